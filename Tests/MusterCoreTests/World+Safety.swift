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
        receivedAt: Double? = nil
    ) -> Verdict {
        now = max(now, receivedAt ?? seconds)
        let declaration = Declaration(
            id: "d\(log.count)", subject: subject, author: author ?? subject, kind: kind,
            sampleTime: Self.time(seconds), receivedTime: Self.time(now))
        let verdict = engine.decide(.declaration(declaration), now: Self.time(now), into: &decision)
        settle()
        return verdict
    }

    /// Lea starts an incident.
    mutating func evacuate(_ number: Int32 = 1, at seconds: Double) throws(IncidentFault) {
        now = max(now, seconds)
        let incident = Incident(
            number: IncidentNumber(number), team: Self.team, kind: .drill, startedAt: Self.time(now),
            startedBy: Self.lea)
        defer { settle() }
        try engine.start(incident, now: Self.time(now), into: &decision)
    }

    /// Lea closes an incident.
    mutating func close(_ number: Int32 = 1, at seconds: Double) throws(IncidentFault) {
        now = max(now, seconds)
        defer { settle() }
        try engine.close(
            IncidentNumber(number), of: Self.team, by: Self.lea, reason: "enough", now: Self.time(now),
            into: &decision)
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
            safety: users.map { ($0, engine.safety(of: $0)) })
        restarted.resume(declared: users.map { ($0, engine.declared(of: $0)) }, incidents: incidents)
        engine = restarted
    }

    /// The states of one person that the log tells of, each with how it is known.
    func told(of user: UserNumber = World.ana) -> [String] {
        log.compactMap { change in
            guard case .safety(let safety, user) = change else { return nil }
            return "\(safety.state) \(safety.source.name)"
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

    /// The record of all incidents: who, what, how.
    var lines: [String] {
        record.map { "\(directory.users[$0.person]?.name ?? "?") \($0.event) \($0.safety.state)" }
    }
}

extension Safety.Source {
    fileprivate var name: String {
        if case .marked(let user) = self { "marked \(user.rawValue)" } else { "\(self)" }
    }
}
