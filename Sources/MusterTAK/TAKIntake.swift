import Logging
import MusterCore
import MusterGeometry
import MusterServer
import MusterStore
import MusterWire

/// Translates what a client sends into observations and stores them. A device speaks for its own user alone, and of
/// its user's safety it can say one thing: that they call for help.
struct TAKIntake: Sendable {
    private let coordinator: StoreCoordinator
    private let metrics: Metrics
    private let configuration: Configuration
    private let logger: Logger

    init(_ parts: ServerParts) {
        coordinator = parts.coordinator
        metrics = parts.metrics
        configuration = parts.configuration
        logger = parts.logger
    }

    private func earliest(at now: Instant) -> Instant {
        now.advanced(bySeconds: -configuration.retentionDays * 86_400)
    }

    /// Stores positions; they are on disk when this returns. Positions that are older than what the server keeps are
    /// left out. A position whose device's clock is ahead is stored, because it shows the clock's offset; the engine
    /// does not believe it.
    func store(_ events: [CoTEvent], by principal: Principal) async throws {
        guard let device = principal.device, !events.isEmpty else { return }
        let now = configuration.now()
        let earliest = earliest(at: now)
        let reported = events.compactMap { $0.position(receivedAt: now) }
        let timely = reported.filter { earliest <= $0.sampleTime }
        if timely.count < reported.count { metrics.count(event: "tak_wrong_time") }
        guard !timely.isEmpty else { return }
        do {
            _ = try await coordinator.ingest(timely.map { .position($0, of: device) }, by: principal)
        } catch {
            guard case .overQuota = error else { throw error }
            metrics.count(event: "tak_over_quota")
        }
    }

    /// Stores a call for help of the device's user; it is on disk when this returns. Tries again while the server
    /// cannot store it, because a client cannot see that it was not stored.
    ///
    /// - Throws: the last error.
    func call(_ event: CoTEvent, by principal: Principal) async throws {
        let access = Access(principal, in: coordinator.directory)
        guard let device = principal.device, let user = access.directory.users[principal.user],
            access.mayDeclare(.sos, of: user)
        else { return metrics.count(event: "tak_sos_not_allowed") }
        let now = configuration.now()
        let mark = Self.mark(of: event, device)
        let declaration = Declaration(
            id: "\(mark)\(now.milliseconds)", subject: user.number, author: user.number, device: device,
            // TAK's clients keep no queue, so a call is made when it arrives: a wrong clock must cost nobody help.
            kind: .sos, sampleTime: now, receivedTime: now, coordinate: event.point?.coordinate)
        var tries = 1
        while true {
            do {
                return try await store(declaration, marked: mark, by: principal)
            } catch {
                metrics.count(event: "tak_sos_delayed")
                if tries >= TAKLimits.callTries {
                    logger.error("A call for help could not be stored", metadata: ["user": "\(user.name)"])
                    throw error
                }
            }
            tries += 1
            try await Task.sleep(for: .seconds(TAKLimits.callSeconds))
        }
    }

    /// Stores a call unless it stands already: clients repeat a call by themselves, and a repetition must not take an
    /// acknowledgement away.
    private func store(_ call: Declaration, marked mark: String, by principal: Principal) async throws {
        if try await stands(mark, call.subject) { return }
        _ = try await coordinator.ingest([.declaration(call)], by: principal)
    }

    /// Whether a call with this mark is among those for which the user counts as calling for help.
    private func stands(_ mark: String, _ user: UserNumber) async throws -> Bool {
        let declared = try await coordinator.inspect { engine, _, _ in engine.declared(of: user) }
        guard declared.status == .sos else { return false }
        return try await coordinator.read { store in
            let calls = try Self.calls(since: declared.since, of: user, in: store) ?? []
            return calls.contains { $0.id.hasPrefix(mark) }
        }
    }

    /// Ends the call for help that an event names, if this device made it by TAK and nobody has called for the person
    /// since. Everything is decided on the writer's thread, so no other call can come between.
    ///
    /// The person's safety then follows from their devices again: nobody is safe by this.
    ///
    /// - Returns: whether the call has ended.
    func end(_ event: CoTEvent, by principal: Principal) async throws -> Bool {
        guard let device = principal.device else { return false }
        let mark = Self.mark(of: event, device)
        let user = principal.user
        // Most ends are of no call: they need no transaction.
        guard try await stands(mark, user) else {
            metrics.count(event: "tak_end_not_taken")
            return false
        }
        let hasEnded = try await coordinator.withDecision(by: Author(principal)) {
            [coordinator] engine, _, decision, now in
            let directory = coordinator.directory
            let declared = engine.declared(of: user)
            guard directory.devices[device]?.user == user, let person = directory.users[user],
                Access(principal, in: directory).mayDeclare(.clear, of: person),
                try Self.isOnlyCall(mark, declared, of: user, in: coordinator.store)
            else { return false }
            let clear = Declaration(
                id: "\(mark)end-\(now.milliseconds)", subject: user, author: user, device: device, kind: .clear,
                sampleTime: now, receivedTime: now)
            _ = engine.decide(.declaration(clear), now: now, into: &decision)
            return true
        }
        if !hasEnded { metrics.count(event: "tak_end_not_taken") }
        return hasEnded
    }

    /// The largest number of declarations since a call among which another call is looked for.
    private static let declarationLimit = 500

    /// The calls for help of a user since a moment, oldest first; nil when there are too many declarations to look
    /// through.
    private static func calls(
        since moment: Instant, of user: UserNumber, in store: any Store
    ) throws -> [Declaration]? {
        let before = DeclarationKey(sampleTime: Instant(milliseconds: moment.milliseconds - 1), id: "~")
        let said = try store.declarations(of: user, after: before, limit: declarationLimit)
        guard said.count < declarationLimit else { return nil }
        return said.map(\.declaration).filter { $0.kind == .sos || $0.kind == .needsHelp }
    }

    /// Whether the person calls for help, and each call since the call began has this mark.
    private static func isOnlyCall(
        _ mark: String, _ declared: Declared, of user: UserNumber, in store: any Store
    ) throws -> Bool {
        guard declared.status == .sos, declared.source == .ownDeclaration,
            let calls = try calls(since: declared.since, of: user, in: store), !calls.isEmpty,
            calls.allSatisfy({ $0.id.hasPrefix(mark) })
        else { return false }
        // A check-in timer that ran out calls without a declaration.
        return declared.latest == calls.map(\.moment).max()
    }

    /// The beginning of the ids of declarations about one call by one device.
    private static func mark(of event: CoTEvent, _ device: DeviceNumber) -> String {
        "tak-\(device.rawValue)-\(Fingerprint.text(of: Array(event.uid.utf8)).prefix(16))-"
    }
}
