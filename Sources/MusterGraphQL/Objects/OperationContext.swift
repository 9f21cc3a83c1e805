import MusterCore
import MusterServer
import MusterStore
import MusterWire
import Synchronization

/// What the fields of one operation share: the rights of the caller in one snapshot of the directory, what was read
/// already, and what the operation may still examine.
final class OperationContext: Sendable {
    /// What the engine knows of a person.
    struct PersonFacts: Sendable {
        var safety: Safety
        /// The latest of the positions of the person's devices.
        var position: Position?
    }

    /// What the engine knows of a device.
    struct DeviceFacts: Sendable {
        var position: Position?
        /// The regions that the device stands in, in the order of their numbers.
        var regions: [RegionNumber]
    }

    private struct State {
        var access: Access
        var people: [UserNumber: PersonFacts] = [:]
        var devices: [DeviceNumber: DeviceFacts] = [:]
        /// Every person, by team; nil until a field needs them.
        var members: [TeamNumber: [User]]?
        /// The people whom the caller may see; nil until a field needs them.
        var readable: [User]?
        var rolls: [Incident: NamedRoll] = [:]
        /// The safety of people as the change that a subscription reports has it.
        var assumed: [UserNumber: Safety] = [:]
        /// The versions of people as the change that a subscription reports, or their removal, has them.
        var versions: [UserNumber: ModelVersion] = [:]
        var room = OperationContext.objectLimit
        /// How many mutations were executed.
        var commands = 0
        /// How many positions they reported.
        var reports = 0
        /// How often the store or the engine was read.
        var reads = 0
    }

    let coordinator: StoreCoordinator
    let configuration: Configuration
    let identity: Identity
    private let context: AppRequestContext
    private let room: Int
    private let state: Mutex<State>

    /// How many objects an operation may examine, in all its fields together.
    static let objectLimit = 500_000
    /// How many people or devices the engine is asked about at once. The writer commits nothing meanwhile.
    private static let lookLimit = 2_000
    /// How many objects a subscription may examine for one change.
    static let changeLimit = 50_000

    /// Makes the context of an operation.
    ///
    /// - Throws: `Problem.unauthorized` for a request without a principal.
    convenience init(_ parts: ServerParts, _ context: AppRequestContext) throws(Problem) {
        self.init(parts, context, try context.access(in: parts.coordinator.directory))
    }

    /// Makes the context of an operation of a caller with these rights.
    init(
        _ parts: ServerParts, _ context: AppRequestContext, _ access: Access, room: Int = OperationContext.objectLimit
    ) {
        self.room = room
        coordinator = parts.coordinator
        configuration = parts.configuration
        identity = parts.identity
        self.context = context
        state = Mutex(State(access: access, room: room))
    }

    /// The caller's rights, in the directory of the operation.
    var access: Access { state.withLock { $0.access } }
    /// The directory as the operation sees it.
    var directory: Directory { access.directory }
    /// The caller, for the audit log.
    var author: Author { Author(access.principal) }

    /// Reads everything anew from now on: a mutation changed it.
    func renew() { renew(access.principal) }

    /// Verifies again who asks, and reads everything anew from now on. The mutations before may have taken long.
    ///
    /// - Throws: an error of the proof, when the caller lost the right meanwhile.
    func verifyAnew() async throws {
        guard let proof = context.proof else { throw Problem.unauthorized }
        renew(try await proof.verify(by: identity, atOpening: false))
    }

    private func renew(_ principal: Principal) {
        let directory = coordinator.directory
        state.withLock { state in
            state.access = Access(principal, in: directory)
            (state.people, state.devices, state.members) = ([:], [:], nil)
            (state.readable, state.rolls) = (nil, [:])
        }
    }

    /// Counts objects that a field examines.
    ///
    /// - Throws: a fault when the operation examined too many.
    func spend(_ objects: Int) throws(GraphQLFieldFault) {
        let isWithin = state.withLock { state in
            state.room -= objects
            return state.room >= 0
        }
        guard isWithin else {
            throw .tooMuch("The operation examines more than \(room) objects: ask for less at a time.")
        }
    }

    /// Counts a mutation, and verifies for each but the first again who asks.
    ///
    /// - Throws: a fault when the operation has too many; an error of the proof.
    func beginCommand(of limit: Int) async throws {
        let count = state.withLock { state in
            state.commands += 1
            return state.commands
        }
        guard count <= limit else {
            throw GraphQLFieldFault.tooMuch("An operation executes at most \(limit) mutations.")
        }
        if count > 1 { try await verifyAnew() }
    }

    /// Counts positions that a mutation reports.
    ///
    /// - Throws: a fault when the operation reports too many.
    func spendReports(_ positions: Int, of limit: Int) throws(GraphQLFieldFault) {
        let count = state.withLock { state in
            state.reports += positions
            return state.reports
        }
        guard count <= limit else { throw .tooMuch("An operation reports at most \(limit) positions.") }
    }

    /// The fault that an error of the server becomes; one without details for an unexpected error, which it logs.
    func fault(for error: any Error) -> GraphQLFieldFault {
        if let fault = GraphQLFieldFault(endOfCredential: error) ?? GraphQLFieldFault(mapping: error) { return fault }
        context.log(error)
        return GraphQLFieldFault("The server failed unexpectedly. Its log has the details.", code: "InternalFailure")
    }

    // MARK: Reading

    /// How often the operation read the store or the engine: for a page of a thousand objects as often as for one of
    /// ten.
    var readCount: Int { state.withLock { $0.reads } }

    private func countRead() { state.withLock { $0.reads += 1 } }

    /// Reads the store on a thread that may block.
    func read<Success: Sendable>(
        _ body: @escaping @Sendable (any Store) throws -> Success
    ) async throws -> Success {
        countRead()
        return try await coordinator.read(body)
    }

    /// Looks at the engine between two commits.
    func inspect<Success: Sendable>(_ body: @escaping @Sendable (Engine) -> Success) async throws -> Success {
        countRead()
        return try await coordinator.inspect { engine, _, _ in body(engine) }
    }

    // MARK: What the engine knows

    /// Returns what the engine knows of people. Reads those that no field read before, together.
    func facts(of people: [User]) async throws -> [UserNumber: PersonFacts] {
        let (known, directory) = state.withLock { ($0.people, $0.access.directory) }
        let unknown = Set(people.map(\.number)).filter { known[$0] == nil }
        if unknown.isEmpty { return known }
        let devices = unknown.map { (person: $0, devices: directory.devices(of: $0)) }
        try spend(devices.reduce(0) { $0 + 1 + $1.devices.count })
        var read: [(UserNumber, PersonFacts)] = []
        for begin in stride(from: 0, to: devices.count, by: Self.lookLimit) {
            let part = Array(devices[begin..<min(begin + Self.lookLimit, devices.count)])
            read += try await inspect { engine in
                part.map { person, devices in
                    let position = Self.position(of: devices, engine)
                    return (person, PersonFacts(safety: engine.safety(of: person), position: position))
                }
            }
        }
        return state.withLock { state in
            state.people.reserveCapacity(state.people.count + read.count)
            for (person, var facts) in read {
                facts.safety = state.assumed[person] ?? facts.safety
                state.people[person] = facts
            }
            return state.people
        }
    }

    /// The newest position of the device that was located last, by corrected clocks: one that is slow by an hour hides
    /// no other.
    private static func position(of devices: [DeviceNumber], _ engine: Engine) -> Position? {
        devices.compactMap { device in
            engine.latestPosition(of: device).map { position in
                (position: position, at: engine.evaluatedTime(of: device) ?? position.sampleTime)
            }
        }.max { $0.at < $1.at }?.position
    }

    /// Returns what the engine knows of devices. Reads those that no field read before, together.
    func facts(of devices: [Device]) async throws -> [DeviceNumber: DeviceFacts] {
        let known = state.withLock { $0.devices }
        let unknown = Set(devices.map(\.number)).filter { known[$0] == nil }
        if unknown.isEmpty { return known }
        try spend(unknown.count)
        let wanted = Array(unknown)
        var read: [(DeviceNumber, DeviceFacts)] = []
        for begin in stride(from: 0, to: wanted.count, by: Self.lookLimit) {
            let part = Array(wanted[begin..<min(begin + Self.lookLimit, wanted.count)])
            read += try await inspect { engine in
                part.map { device in
                    let inside = engine.shownStandings(of: device).filter { $0.standing == .inside }
                    return (
                        device,
                        DeviceFacts(position: engine.latestPosition(of: device), regions: inside.map(\.region))
                    )
                }
            }
        }
        return state.withLock { state in
            for (device, facts) in read { state.devices[device] = facts }
            return state.devices
        }
    }

    /// Shows a person in a version, whatever the store says.
    func assume(_ version: ModelVersion, of user: User) { state.withLock { $0.versions[user.number] = version } }

    /// The version that a person is shown in, where it is not the store's.
    func assumedVersion(of user: User) -> ModelVersion? { state.withLock { $0.versions[user.number] } }

    /// Shows a person's safety as a change has it, and all else as it is now. Call it before any field is read.
    func assume(_ safety: Safety, of user: User) { state.withLock { $0.assumed[user.number] = safety } }

    /// Returns people's safety. What a change says of a person asks nothing of the writer.
    func safety(of people: [User]) async throws -> [UserNumber: Safety] {
        var safety = state.withLock { $0.assumed }
        let assumed = safety
        let rest = assumed.isEmpty ? people : people.filter { assumed[$0.number] == nil }
        let facts = try await self.facts(of: rest)
        for person in rest { safety[person.number] = facts[person.number]?.safety }
        return safety
    }

    /// Returns the roll of an incident as the caller may see it. Reads it once, whatever asks for it.
    func roll(of incident: Incident) async throws -> NamedRoll {
        if let known = state.withLock({ $0.rolls[incident] }) { return known }
        // A roll is a read of its whole record, and a look at the engine.
        try spend(1_000)
        countRead()
        let roll = try await coordinator.roll(of: incident, for: access)
        try spend(roll.people.count)
        state.withLock { $0.rolls[incident] = roll }
        return roll
    }

    // MARK: People

    /// Returns the people of a team whom the caller may see, in the order of their numbers; no gateways, which are
    /// machines.
    ///
    /// - Throws: a fault when the operation examined too many objects.
    func people(of team: TeamNumber) throws(GraphQLFieldFault) -> [User] {
        let (access, members) = state.withLock { ($0.access, $0.members) }
        if let members { return (members[team] ?? []).filter { access.mayRead($0) } }
        try spend(access.directory.users.count)
        var made: [TeamNumber: [User]] = [:]
        for user in access.directory.users.all where user.role != .gateway {
            if let team = user.team { made[team, default: []].append(user) }
        }
        state.withLock { $0.members = made }
        return (made[team] ?? []).filter { access.mayRead($0) }
    }

    /// Returns the people whom the caller may see, in the order of their numbers; no gateways, which are machines.
    ///
    /// - Throws: a fault when the operation examined too many objects.
    func people() throws(GraphQLFieldFault) -> [User] {
        let (access, known) = state.withLock { ($0.access, $0.readable) }
        if let known {
            try spend(known.count)
            return known
        }
        let people = access.readableUsers.filter { $0.role != .gateway }
        try spend(people.count)
        state.withLock { $0.readable = people }
        return people
    }
}
