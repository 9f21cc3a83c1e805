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
        var room = OperationContext.objectLimit
    }

    let coordinator: StoreCoordinator
    let configuration: Configuration
    private let context: AppRequestContext
    private let state: Mutex<State>

    /// How many objects an operation may examine, in all its fields together.
    static let objectLimit = 500_000

    /// Makes the context of an operation.
    ///
    /// - Throws: `Problem.unauthorized` for a request without a principal.
    convenience init(_ parts: ServerParts, _ context: AppRequestContext) throws(Problem) {
        self.init(parts, context, try context.access(in: parts.coordinator.directory))
    }

    /// Makes the context of an operation of a caller with these rights.
    init(_ parts: ServerParts, _ context: AppRequestContext, _ access: Access) {
        coordinator = parts.coordinator
        configuration = parts.configuration
        self.context = context
        state = Mutex(State(access: access))
    }

    /// The caller's rights, in the directory of the operation.
    var access: Access { state.withLock { $0.access } }
    /// The directory as the operation sees it.
    var directory: Directory { access.directory }
    /// The caller, for the audit log.
    var author: Author { Author(access.principal) }

    /// Reads everything anew from now on: a mutation changed it.
    func renew() {
        let directory = coordinator.directory
        state.withLock { state in
            state.access = Access(state.access.principal, in: directory)
            (state.people, state.devices, state.members) = ([:], [:], nil)
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
            throw .tooMuch("The operation examines more than \(Self.objectLimit) objects: ask for less at a time.")
        }
    }

    /// The fault that an error of the server becomes; one without details for an unexpected error, which it logs.
    func fault(for error: any Error) -> GraphQLFieldFault {
        if let fault = GraphQLFieldFault(mapping: error) { return fault }
        context.log(error)
        return GraphQLFieldFault("The server failed unexpectedly. Its log has the details.", code: "InternalFailure")
    }

    // MARK: What the engine knows

    /// Returns what the engine knows of people. Reads those that no field read before, together.
    func facts(of people: [User]) async throws -> [UserNumber: PersonFacts] {
        let (known, directory) = state.withLock { ($0.people, $0.access.directory) }
        let unknown = Set(people.map(\.number)).filter { known[$0] == nil }
        if unknown.isEmpty { return known }
        let devices = unknown.map { (person: $0, devices: directory.devices(of: $0)) }
        try spend(devices.reduce(0) { $0 + 1 + $1.devices.count })
        let read = try await coordinator.inspect { engine, _, _ in
            devices.map { person, devices in
                let position = devices.compactMap { engine.latestPosition(of: $0) }
                    .max { $0.sampleTime < $1.sampleTime }
                return (person, PersonFacts(safety: engine.safety(of: person), position: position))
            }
        }
        return state.withLock { state in
            for (person, facts) in read { state.people[person] = facts }
            return state.people
        }
    }

    /// Returns what the engine knows of devices. Reads those that no field read before, together.
    func facts(of devices: [Device]) async throws -> [DeviceNumber: DeviceFacts] {
        let known = state.withLock { $0.devices }
        let unknown = Set(devices.map(\.number)).filter { known[$0] == nil }
        if unknown.isEmpty { return known }
        try spend(unknown.count)
        let read = try await coordinator.inspect { engine, _, _ in
            unknown.map { device in
                let inside = engine.shownStandings(of: device).filter { $0.standing == .inside }
                return (
                    device,
                    DeviceFacts(position: engine.latestPosition(of: device), regions: inside.map(\.region))
                )
            }
        }
        return state.withLock { state in
            for (device, facts) in read { state.devices[device] = facts }
            return state.devices
        }
    }

    /// Shows a person's safety as a change has it, and all else as it is now.
    func assume(_ safety: Safety, of user: User) async throws {
        guard var facts = try await facts(of: [user])[user.number] else { return }
        facts.safety = safety
        state.withLock { $0.people[user.number] = facts }
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
        let people = access.readableUsers.filter { $0.role != .gateway }
        try spend(people.count)
        return people
    }
}
