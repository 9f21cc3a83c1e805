import MusterCore
import MusterGeometry

extension Safety {
    /// Any safety of a state.
    static func random(_ state: State, at moment: Instant, _ generator: inout SeededGenerator) -> Safety {
        let number = Int32.random(in: .min ... .max, using: &generator)
        let sources: [Source?] = [
            nil, .silence, .region, .position, .ownDeclaration, .marked(by: UserNumber(number)),
            .checkInTimer,
        ]
        return Safety(
            state: state, since: moment, region: number % 2 == 0 ? nil : RegionNumber(number),
            source: sources.randomElement(using: &generator) ?? nil,
            acknowledgedBy: number % 3 == 0 ? UserNumber(number) : nil)
    }
}

extension Declaration {
    /// A declaration that was said at a test's second.
    static func test(_ id: String, of subject: Int32 = 1, at seconds: Double, note: String? = nil) -> Declaration {
        Declaration(
            id: id, subject: UserNumber(subject), author: UserNumber(9), kind: .needsHelp, sampleTime: .test(seconds),
            receivedTime: .test(seconds + 1), note: note)
    }

    /// Any declaration.
    static func random(_ generator: inout SeededGenerator) -> Declaration {
        let number = Int32.random(in: .min ... .max, using: &generator)
        let isShort = Bool.random(using: &generator)
        return Declaration(
            id: "d\(number)", subject: UserNumber(number), author: UserNumber(1 &- number),
            device: isShort ? nil : DeviceNumber(number), kind: Kind.allCases.randomElement(using: &generator) ?? .safe,
            sampleTime: Instant(milliseconds: .random(in: .min ... .max, using: &generator)),
            receivedTime: Instant(milliseconds: .random(in: .min ... .max, using: &generator)),
            note: isShort ? nil : "Am Tor 🧭 \(number)", coordinate: isShort ? nil : .random(&generator))
    }
}

extension Incident {
    /// An incident of a team that began at a test's second.
    static func test(_ number: Int32, team: Int32 = 1, at seconds: Double) -> Incident {
        Incident(
            number: IncidentNumber(number), team: TeamNumber(team), kind: .drill, note: "Übung",
            startedAt: .test(seconds), startedBy: UserNumber(9))
    }

    /// Any incident.
    static func random(_ generator: inout SeededGenerator) -> Incident {
        let number = Int32.random(in: .min ... .max, using: &generator)
        let hows: [Closing.How?] = [
            nil, .allAccounted, .teamGone, .byHand(by: UserNumber(number), reason: "Fehlalarm"), .automatic,
            .takenOver(by: IncidentNumber(number)),
        ]
        let how = hows.randomElement(using: &generator) ?? nil
        var incident = Incident(
            number: IncidentNumber(number), team: TeamNumber(1 &- number), kind: number % 2 == 0 ? .real : .drill,
            note: number % 3 == 0 ? nil : "", startedAt: Instant(milliseconds: Int64(number)),
            startedBy: UserNumber(number), allAccountedAt: number % 5 == 0 ? nil : .test(2),
            closing: how.map { Closing(at: .test(1), how: $0) },
            reopening: number % 7 == 0 ? nil : Reopening(at: .test(3), by: UserNumber(number), reason: "zu früh"),
            turn: Turn.allCases.randomElement(using: &generator))
        incident.leader = number % 2 == 0 ? nil : UserNumber(2 &- number)
        incident.startID = number % 3 == 0 ? nil : "s\(number)"
        let details: [IncidentDetail?] = [nil] + IncidentDetail.samples
        incident.news = (details.randomElement(using: &generator) ?? nil).map {
            News(at: .test(4), by: number % 2 == 0 ? nil : UserNumber(number), detail: $0)
        }
        return incident
    }
}

extension IncidentDetail {
    /// One of each kind.
    static let samples: [IncidentDetail] = [
        .par(.init(round: 1, dueAt: .test(9))), .par(.init(round: .max, crews: PARCount.samples)),
        .par(.init(round: 3, dueAt: .test(9), crews: PARCount.samples, countsVisitors: true)),
        .parTimer(PARTimer(everySeconds: 900.5, graceSeconds: 60)), .parTimer(PARTimer()),
        .handedOver(to: UserNumber(.max), from: nil), .handedOver(to: UserNumber(1), from: UserNumber(.max)),
    ]
}

extension PARCount {
    static let samples = [
        PARCount(crew: CrewNumber(3), name: "Löschzug 3", people: 4, present: 3),
        PARCount(crew: CrewNumber(.max), name: "Engine 4", people: 0),
        PARCount(crew: nil, name: nil, people: .max, present: 0),
        PARCount(crew: nil, name: nil, people: 3, isVisitors: true),
        PARCount(crew: nil, name: nil, people: 3, present: 2, isVisitors: true),
    ]
}

extension IncidentEntry {
    /// A line of an incident's record.
    static func test(
        _ incident: Int32, _ person: Int32, _ state: Safety.State, at seconds: Double, event: Event = .changed
    ) -> IncidentEntry {
        IncidentEntry(
            incident: IncidentNumber(incident), at: .test(seconds), person: UserNumber(person), event: event,
            safety: Safety(state: state, since: .test(seconds - 1), source: .marked(by: UserNumber(9))),
            lastSeen: person % 2 == 0
                ? nil
                : LastSeen(
                    coordinate: Coordinate(validLatitude: 51.1, longitude: -0.1 + 0.3), sampleTime: .test(seconds - 2)),
            author: person < 0 ? UserNumber(9) : nil, note: event == .changed ? "Übung" : nil,
            name: person < 0 ? "Zoë" : nil)
    }

    /// Any line as the log has it, without where the person was last seen.
    static func random(_ generator: inout SeededGenerator) -> IncidentEntry {
        let number = Int32.random(in: .min ... .max, using: &generator)
        let state = Safety.State.allCases.randomElement(using: &generator) ?? .safe
        return IncidentEntry(
            incident: IncidentNumber(number), at: .test(5), person: UserNumber(1 &- number),
            event: Event.allCases.randomElement(using: &generator) ?? .changed,
            safety: .random(state, at: .test(4), &generator), lastSeen: nil,
            author: number % 2 == 0 ? nil : UserNumber(number), note: number % 3 == 0 ? nil : "heim",
            name: number % 5 == 0 ? nil : "Zoë 🧭")
    }
}

extension AttendanceRule {
    static func test(_ number: Int32, team: Int32, _ subject: Subject = .everyone) -> AttendanceRule {
        AttendanceRule(
            number: AttendanceNumber(number), team: TeamNumber(team), name: "gate-\(number)", region: RegionNumber(3),
            subject: subject, demand: .atLeast(2, afterSeconds: 0.5), opensIncident: number % 2 == 0,
            note: number % 2 == 0 ? nil : "Tür", setBy: UserNumber(7), setAt: .test(1))
    }
}

extension AttendanceReport {
    static func random(at moment: Instant, _ generator: inout SeededGenerator) -> AttendanceReport {
        let subjects: [AttendanceRule.Subject] = [
            .everyone, .role(.leader), .ownRole("Ärztin"), .person(UserNumber(4)),
        ]
        var rule = AttendanceRule.test(
            .random(in: 1 ... .max, using: &generator), team: 1,
            subjects.randomElement(using: &generator) ?? .everyone)
        rule.progress.lackingSince = Bool.random(using: &generator) ? moment : nil
        var report = AttendanceReport(
            Turn.allCases.randomElement(using: &generator) ?? .made, of: rule, at: moment,
            by: Bool.random(using: &generator) ? UserNumber(.max) : nil)
        if Bool.random(using: &generator) {
            let windows = [WeeklySchedule.Window(weekday: 3, startMinute: 7, endMinute: 1_440)]
            report.demand = .during(WeeklySchedule(zone: "UTC", windows: windows), graceSeconds: 0)
            report.window = .init(
                occurrence: .init(day: .random(in: .min ... .max, using: &generator), window: 0), start: moment,
                end: .test(7))
            report.who = UserNumber(5)
        }
        report.count.present = 1
        report.count.absent = 300
        report.count.unknown = .max
        report.count.presentPeople = [UserNumber(1)]
        report.count.unknownPeople = Bool.random(using: &generator) ? [] : [UserNumber(2), UserNumber(.max)]
        return report
    }
}

extension ProximityRule {
    static func test(
        _ number: Int32, team: Int32, _ centre: Centre = .person(UserNumber(5)), _ subject: Subject = .everyone,
        _ demand: Demand = .fence
    ) -> ProximityRule {
        ProximityRule(
            number: ProximityNumber(number), team: TeamNumber(team), name: "near-\(number)", centre: centre,
            subject: subject, radiusMetres: 50.25, demand: demand, note: number % 2 == 0 ? nil : "Kran",
            setBy: UserNumber(7), setAt: .test(1))
    }
}

extension ProximityReport {
    static func random(at moment: Instant, _ generator: inout SeededGenerator) -> ProximityReport {
        let isDevice = Bool.random(using: &generator)
        let rule = ProximityRule.test(
            .random(in: 1 ... .max, using: &generator), team: 1,
            isDevice ? .device(DeviceNumber(.max)) : .person(UserNumber(3)),
            .everyone, Bool.random(using: &generator) ? .fence : .together(afterSeconds: 0.5))
        var report = ProximityReport(
            Turn.allCases.randomElement(using: &generator) ?? .made, of: rule, at: moment,
            by: Bool.random(using: &generator) ? UserNumber(.max) : nil)
        guard Bool.random(using: &generator) else { return report }
        report.who = UserNumber(4)
        report.since = moment
        report.metres = 12.345_678_9
        report.deviationMetres = 0.1
        report.source = Bool.random(using: &generator) ? .bluetooth : nil
        return report
    }
}
