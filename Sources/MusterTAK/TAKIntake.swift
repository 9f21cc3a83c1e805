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
    /// - Parameter isAnew: whether the call counts although it stands already: the person wanted to end it, and could
    ///   not.
    /// - Throws: the last error.
    func call(_ event: CoTEvent, by principal: Principal, isAnew: Bool) async throws {
        guard let device = principal.device else { return metrics.count(event: "tak_sos_not_allowed") }
        var tries = 1
        while true {
            do {
                return try await store(event, from: device, isAnew: isAnew, by: principal)
            } catch {
                metrics.count(event: "tak_sos_delayed")
                if tries >= TAKLimits.callTries {
                    let name = coordinator.directory.users[principal.user]?.name ?? ""
                    logger.error("A call for help could not be stored", metadata: ["user": "\(name)"])
                    throw error
                }
            }
            tries += 1
            try await Task.sleep(for: .seconds(TAKLimits.callSeconds))
        }
    }

    /// Stores a call unless it stands already: clients repeat a call by themselves, and a repetition must not take an
    /// acknowledgement away.
    ///
    /// TAK's clients keep no queue, so a call is made when it arrives: a wrong clock must cost nobody help. Its time is
    /// decided on the writer's thread, and is never before what was last said of the person, so that the call counts.
    private func store(
        _ event: CoTEvent, from device: DeviceNumber, isAnew: Bool, by principal: Principal
    ) async throws {
        let (user, mark) = (principal.user, TAKCallMark(of: event, by: device))
        if !isAnew, try await stands(mark, declared(of: user), of: user) { return }
        let isTaken = try await coordinator.withDecision(by: Author(principal)) {
            [coordinator] engine, _, decision, now in
            let directory = coordinator.directory
            guard directory.devices[device]?.user == user, let person = directory.users[user],
                Access(principal, in: directory).mayDeclare(.sos, of: person)
            else { return false }
            let declared = engine.declared(of: user)
            let moment = max(now, declared.latest ?? now)
            // The engine keeps one call of a person. So the end of this one would also end a call that stands already,
            // by whomever and however old: the id tells `end` of it.
            let isOverAnother = declared.status == .sos || declared.status == .needsHelp
            let call = Declaration(
                id: mark.idOfCall(at: moment, isOverAnother: isOverAnother), subject: user, author: user,
                device: device, kind: .sos, sampleTime: moment, receivedTime: moment,
                coordinate: event.point?.coordinate)
            _ = engine.decide(.declaration(call), now: now, into: &decision)
            return true
        }
        if !isTaken { metrics.count(event: "tak_sos_not_allowed") }
    }

    private func declared(of user: UserNumber) async throws -> Declared {
        try await coordinator.inspect { engine, _, _ in engine.declared(of: user) }
    }

    /// Whether a call with this mark is among those for which the user counts as calling for help.
    private func stands(_ mark: TAKCallMark, _ declared: Declared, of user: UserNumber) async throws -> Bool {
        guard declared.status == .sos else { return false }
        return try await coordinator.read { store in
            let before = DeclarationKey(sampleTime: Instant(milliseconds: declared.since.milliseconds - 1), id: "~")
            let said = try store.declarations(of: user, after: before, limit: TAKCallMark.pageLimit)
            return said.contains { mark.isOfCall($0.declaration) }
        }
    }

    /// Ends the call for help that an event names, if this device made it by TAK and nobody else calls for the person.
    /// Everything is decided on the writer's thread, so no other call can come between. Tries a few times.
    ///
    /// The person's safety then follows from their devices again: nobody is safe by this.
    ///
    /// - Parameter isOver: whether the device has connected anew, so that the person may have called again there.
    /// - Returns: whether the call has ended.
    /// - Throws: the last error.
    func end(
        _ event: CoTEvent, by principal: Principal, unless isOver: @escaping @Sendable () -> Bool
    ) async throws -> Bool {
        guard let device = principal.device else { return false }
        let mark = TAKCallMark(of: event, by: device)
        var tries = 1
        while true {
            do {
                let hasEnded = try await end(mark, by: principal, device, unless: isOver)
                if !hasEnded { metrics.count(event: "tak_end_not_taken") }
                return hasEnded
            } catch {
                if tries >= TAKLimits.endTries { throw error }
            }
            tries += 1
            try await Task.sleep(for: .seconds(TAKLimits.callSeconds))
        }
    }

    private func end(
        _ mark: TAKCallMark, by principal: Principal, _ device: DeviceNumber,
        unless isOver: @escaping @Sendable () -> Bool
    ) async throws -> Bool {
        let user = principal.user
        // Most ends are of no call: they need no transaction.
        guard try await stands(mark, declared(of: user), of: user) else { return false }
        return try await coordinator.withDecision(by: Author(principal)) { [coordinator] engine, _, decision, now in
            let directory = coordinator.directory
            guard !isOver(), directory.devices[device]?.user == user, let person = directory.users[user],
                Access(principal, in: directory).mayDeclare(.clear, of: person),
                try mark.isOnlyCall(of: user, engine.declared(of: user), in: coordinator.store)
            else { return false }
            let clear = Declaration(
                id: mark.idOfEnd(at: now), subject: user, author: user, device: device, kind: .clear, sampleTime: now,
                receivedTime: now)
            _ = engine.decide(.declaration(clear), now: now, into: &decision)
            return true
        }
    }
}
