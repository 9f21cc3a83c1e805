import MusterCore
import MusterGeometry

/// What people say of people, and incidents.
extension World {
    /// Someone who leads Ana's team.
    static let lea = UserNumber(2)
    /// Another of Ana's team, without a device.
    static let ben = UserNumber(3)

    /// Adds people to Ana's team: Lea, who leads it, and Ben.
    mutating func addTeam() {
        edit(.putUser(User(number: Self.lea, name: "lea", role: .leader, team: Self.team)))
        edit(.putUser(User(number: Self.ben, name: "ben", role: .member, team: Self.team)))
    }

    /// Someone says something of someone, at a time of the world; it arrives then unless told otherwise.
    @discardableResult
    mutating func declare(
        _ kind: Declaration.Kind, of subject: UserNumber = World.ana, by author: UserNumber? = nil, at seconds: Double,
        receivedAt: Double? = nil, note: String? = nil
    ) -> Verdict {
        now = max(now, receivedAt ?? seconds)
        let declaration = Declaration(
            id: "d\(log.count)", subject: subject, author: author ?? subject, kind: kind,
            sampleTime: Self.time(seconds), receivedTime: Self.time(now), note: note)
        let verdict = engine.decide(.declaration(declaration), now: Self.time(now), into: &decision)
        settle()
        return verdict
    }

    /// Lea starts an incident.
    mutating func evacuate(
        _ number: Int32 = 1, _ kind: Incident.Kind = .drill, at seconds: Double
    ) throws(IncidentError) {
        now = max(now, seconds)
        let incident = Incident(
            number: IncidentNumber(number), team: Self.team, kind: kind, startedAt: Self.time(now),
            startedBy: Self.lea)
        defer { settle() }
        try engine.start(incident, now: Self.time(now), into: &decision)
    }

    /// Lea closes an incident.
    mutating func close(_ number: Int32 = 1, at seconds: Double) throws(IncidentError) {
        now = max(now, seconds)
        defer { settle() }
        try engine.close(
            IncidentNumber(number), of: Self.team, by: Self.lea, reason: "enough", now: Self.time(now),
            into: &decision)
    }

    /// Lea opens an incident again.
    mutating func reopen(_ number: Int32 = 1, at seconds: Double) throws(IncidentError) {
        now = max(now, seconds)
        defer { settle() }
        let closed = log.compactMap { change in
            if case .incident(let incident) = change { incident } else { nil }
        }.filter { $0.number == IncidentNumber(number) }
        guard let incident = closed.last else { throw .isNotOpen }
        try engine.reopen(
            incident, record: record.filter { $0.incident == incident.number },
            isUser: { directory.users[$0] != nil }, by: Self.lea, reason: "too soon", now: Self.time(now),
            into: &decision)
    }

    /// Lea puts a visitor on the roll.
    @discardableResult
    mutating func addVisitor(_ name: String, _ state: Safety.State = .unknown, at seconds: Double) throws -> UserNumber
    {
        now = max(now, seconds)
        defer { settle() }
        return try engine.addVisitor(
            named: name, state, note: nil, to: IncidentNumber(1), of: Self.team, by: Self.lea, now: Self.time(now),
            into: &decision
        ).person
    }

    /// Lea says how someone is whom no declaration can speak of.
    mutating func mark(_ person: UserNumber, _ state: Safety.State, at seconds: Double) throws {
        now = max(now, seconds)
        defer { settle() }
        try engine.mark(
            person, state, note: "seen", on: IncidentNumber(1), of: Self.team, by: Self.lea, now: Self.time(now),
            into: &decision)
    }

    /// Lea takes someone off the roll.
    mutating func takeOff(_ person: UserNumber, at seconds: Double) throws {
        now = max(now, seconds)
        defer { settle() }
        try engine.takeOff(
            person, reason: "gone home", from: IncidentNumber(1), of: Self.team, by: Self.lea, now: Self.time(now),
            into: &decision)
    }

    /// Someone removes a user, with all that goes with it.
    mutating func remove(_ user: UserNumber) { carryOut(directory.removal(of: user)) }

    /// Returns an engine with what was stored of this one, as after a start of the server at a second.
    mutating func restart(at seconds: Double) {
        restart()
        now = seconds
        engine.adjustTimes(to: Self.time(seconds), wasOff: true)
    }

    /// An engine that knows only what was stored of this one.
    mutating func restart() {
        let users = directory.users.all.map(\.number)
        let devices = directory.devices.all.map(\.number)
        let incidents = directory.teams.all.compactMap { engine.openIncident(of: $0.number) }
        var restarted = Engine(
            directory: directory,
            positions: devices.compactMap { device in engine.latestPosition(of: device).map { (device, $0) } },
            presences: devices.map { ($0, engine.standings(of: $0)) },
            musterPresences: devices.map { ($0, engine.musterPresences(of: $0)) },
            safety: users.map { ($0, engine.safety(of: $0)) })
        restarted.resume(devices.map { ($0, engine.record(of: $0, after: decision)) })
        restarted.resume(declared: users.map { ($0, engine.declared(of: $0)) }, incidents: incidents)
        for incident in incidents {
            restarted.resume(roll: record.filter { $0.incident == incident.number }, of: incident.number)
        }
        engine = restarted
    }

    /// The states of one person that the log tells of, each with how it is known and why it is in doubt.
    func told(of user: UserNumber = World.ana) -> [String] {
        log.compactMap { change in
            guard case .safety(let safety, user) = change else { return nil }
            return "\(safety.state) \(safety.source.name)" + (safety.doubt.map { " \($0)" } ?? "")
        }
    }

    /// How often a call for help was told again, each time.
    var reminders: [Int32] {
        log.compactMap { change in
            if case .reminder(_, _, let count) = change { count } else { nil }
        }
    }

    /// How incidents ended, in order.
    var closings: [Incident.Closing.How] {
        log.compactMap { change in
            if case .incident(let incident) = change { incident.closing?.how } else { nil }
        }
    }

    /// What happened to incidents, in order.
    var turns: [Incident.Turn] {
        log.compactMap { change in
            if case .incident(let incident) = change { incident.turn } else { nil }
        }
    }

    /// The record of all incidents: who, what, how; of an incident itself what alone.
    var lines: [String] {
        record.map { line in
            guard !line.event.isMilestone else { return "\(line.event)" }
            return "\(directory.users[line.person]?.name ?? line.name ?? "?") \(line.event) \(line.safety.state)"
        }
    }
}

extension Safety.Source {
    fileprivate var name: String {
        if case .marked(let user) = self { "marked \(user.rawValue)" } else { "\(self)" }
    }
}
