import MusterCore

/// PAR of the first incident.
extension World {
    /// The PAR of the first incident.
    var par: PARCourse { engine.par(of: IncidentNumber(1)) }

    /// The crews of the newest round: name, present/people, and whether it is short or overdue.
    var crews: [String] {
        guard let round = par.newest else { return [] }
        return round.crews.map { crew in
            let present = crew.count.present.map { String($0) } ?? "-"
            let mark = crew.isShort ? " short" : round.isOverdue(crew) ? " overdue" : ""
            let name = crew.count.isVisitors ? "visitors" : crew.count.name ?? "-"
            return "\(name) \(present)/\(crew.count.people)\(mark)"
        }
    }

    /// The crews that were last reported as overdue.
    var overdue: [String] {
        let late = record.last { $0.event == .parOverdue }
        guard case .par(let note)? = late?.detail else { return [] }
        return note.crews.map { $0.isVisitors ? "visitors" : $0.name ?? "-" }
    }

    /// Turns the request of the first round into one of a version that counted visitors with the people in no crew, and
    /// starts the server again.
    mutating func makeRequestEarlier() {
        guard let place = record.firstIndex(where: { $0.event == .parRequested }),
            case .par(let note)? = record[place].detail
        else { return }
        var crews = note.crews
        let visitors = crews.removeLast()
        crews[crews.count - 1].people += visitors.people
        record[place].detail = .par(.init(round: note.round, dueAt: note.dueAt, crews: crews))
        restart()
    }

    mutating func put(_ user: UserNumber, in crew: CrewNumber) {
        guard var changed = directory.users[user] else { return }
        changed.crew = crew
        edit(.putUser(changed))
    }

    mutating func requestPAR(at seconds: Double, note: String? = nil) throws {
        now = max(now, seconds)
        defer { settle() }
        try engine.requestPAR(
            of: IncidentNumber(1), of: Self.team, note: note, by: Self.lea, now: Self.time(now), into: &decision)
    }

    mutating func reportPAR(
        _ crew: String?, isOfVisitors: Bool = false, present: Int32, note: String? = nil, number: Int32? = nil,
        by author: UserNumber = World.lea, at seconds: Double
    ) throws {
        now = max(now, seconds)
        defer { settle() }
        try engine.reportPAR(
            crew, isOfVisitors: isOfVisitors, present: present, note: note, number: number, of: IncidentNumber(1),
            of: Self.team, by: author, now: Self.time(now), into: &decision)
    }

    mutating func setPARTimer(everySeconds: Double?, at seconds: Double) throws {
        now = max(now, seconds)
        defer { settle() }
        try engine.setPARTimer(
            PARTimer(everySeconds: everySeconds), of: IncidentNumber(1), of: Self.team, by: Self.lea,
            now: Self.time(now), into: &decision)
    }

    mutating func handOver(to user: UserNumber, at seconds: Double) throws {
        now = max(now, seconds)
        defer { settle() }
        try engine.handOver(
            IncidentNumber(1), of: Self.team, to: user, named: directory.users[user]?.name ?? "", note: "relief",
            by: Self.lea, now: Self.time(now), into: &decision)
    }

    /// One step of an incident with PAR.
    mutating func playPAR(_ step: Int) throws {
        switch step {
        case 0: sweep(at: 900)
        case 1: try reportPAR("Engine 3", present: 2, at: 910)
        case 2: try addVisitor("Zoe", at: 920)
        case 3: sweep(at: 1_205)
        case 4:
            try reportPAR(nil, present: 1, at: 1_210)
            try reportPAR(nil, isOfVisitors: true, present: 1, at: 1_212)
        case 5: try setPARTimer(everySeconds: 600, at: 1_220)
        case 6: sweep(at: 1_800)
        case 7: try handOver(to: Self.ana, at: 1_810)
        case 8: put(Self.lea, in: CrewNumber(3))
        case 9: try reportPAR("Engine 3", present: 3, at: 1_820)
        case 10: try requestPAR(at: 1_830)
        default: try close(at: 1_840)
        }
    }
}
