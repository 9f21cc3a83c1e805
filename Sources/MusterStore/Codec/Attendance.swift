import MusterCore
import MusterDocuments

/// The stored bytes of attendance rules and their reports.
extension ByteWriter {
    /// Writes a rule without its number.
    mutating func put(_ rule: AttendanceRule) {
        put(number: rule.team.rawValue)
        put(text: rule.name)
        put(number: rule.region.rawValue)
        put(rule.subject)
        put(rule.demand)
        put(byte: rule.opensIncident ? 1 : 0)
        put(optional: rule.note)
        put(number: rule.setBy.rawValue)
        put(instant: rule.setAt)
        put(optional: rule.progress.lackingSince)
        put(byte: rule.progress.isTold ? 1 : 0)
        put(optional: rule.progress.window)
        put(people: rule.progress.awaited)
    }

    mutating func put(_ report: AttendanceReport) {
        put(number: report.rule.rawValue)
        put(text: report.name)
        put(number: report.team.rawValue)
        put(number: report.region.rawValue)
        put(report.subject)
        put(report.demand)
        put(optional: report.note)
        put(byte: report.turn.rawValue)
        put(instant: report.at)
        put(optional: report.by)
        put(optional: report.since)
        put(optional: report.window)
        put(optional: report.who)
        put(number: report.count.present)
        put(number: report.count.absent)
        put(number: report.count.unknown)
        put(people: report.count.presentPeople)
        put(people: report.count.absentPeople)
        put(people: report.count.unknownPeople)
    }

    mutating func put(_ subject: AttendanceRule.Subject) {
        switch subject {
        case .everyone: put(byte: 0)
        case .role(let role):
            put(byte: 1)
            put(text: role.rawValue)
        case .ownRole(let role):
            put(byte: 2)
            put(text: role)
        case .person(let user):
            put(byte: 3)
            put(number: user.rawValue)
        }
    }

    private mutating func put(_ demand: AttendanceRule.Demand) {
        switch demand {
        case .atLeast(let count, let afterSeconds):
            put(byte: 0)
            put(number: count)
            put(exact: afterSeconds)
        case .during(let schedule, let graceSeconds):
            put(byte: 1)
            put(text: schedule.zone)
            put(varint: UInt64(schedule.windows.count))
            for window in schedule.windows {
                put(byte: window.weekday)
                put(number: Int32(window.startMinute))
                put(number: Int32(window.endMinute))
            }
            put(exact: graceSeconds)
        }
    }

    private mutating func put(optional window: AttendanceRule.Window?) {
        put(byte: window == nil ? 0 : 1)
        guard let window else { return }
        put(number: window.occurrence.day)
        put(byte: window.occurrence.window)
        put(instant: window.start)
        put(instant: window.end)
    }

    mutating func put(optional moment: Instant?) {
        put(byte: moment == nil ? 0 : 1)
        if let moment { put(instant: moment) }
    }

    private mutating func put(people: [UserNumber]) {
        put(varint: UInt64(people.count))
        for person in people { put(number: person.rawValue) }
    }
}

extension ByteReader {
    mutating func attendanceRule(_ number: AttendanceNumber) throws(CodecError) -> AttendanceRule {
        let team = TeamNumber(try self.number())
        let name = try text()
        let region = RegionNumber(try self.number())
        let (subject, demand) = (try ruleSubject(), try attendanceDemand())
        let opensIncident = try isPresent()
        let note: String? = try isPresent() ? try text() : nil
        let setBy = UserNumber(try self.number())
        var rule = AttendanceRule(
            number: number, team: team, name: name, region: region, subject: subject, demand: demand,
            opensIncident: opensIncident, note: note, setBy: setBy, setAt: try instant())
        rule.progress.lackingSince = try optionalInstant()
        rule.progress.isTold = try isPresent()
        rule.progress.window = try attendanceWindow()
        rule.progress.awaited = try people()
        return rule
    }

    mutating func attendanceReport() throws(CodecError) -> AttendanceReport {
        let number = AttendanceNumber(try number())
        let name = try text()
        let (team, region) = (TeamNumber(try self.number()), RegionNumber(try self.number()))
        let (subject, demand) = (try ruleSubject(), try attendanceDemand())
        let note: String? = try isPresent() ? try text() : nil
        guard let turn = AttendanceReport.Turn(rawValue: try byte()) else { throw .malformed(offset: offset) }
        let moment = try instant()
        let rule = AttendanceRule(
            number: number, team: team, name: name, region: region, subject: subject, demand: demand, note: note,
            setBy: UserNumber(0), setAt: moment)
        var report = AttendanceReport(turn, of: rule, at: moment)
        report.by = try isPresent() ? UserNumber(try self.number()) : nil
        report.since = try optionalInstant()
        report.window = try attendanceWindow()
        report.who = try isPresent() ? UserNumber(try self.number()) : nil
        report.count.present = try self.number()
        report.count.absent = try self.number()
        report.count.unknown = try self.number()
        report.count.presentPeople = try people()
        report.count.absentPeople = try people()
        report.count.unknownPeople = try people()
        return report
    }

    mutating func ruleSubject() throws(CodecError) -> AttendanceRule.Subject {
        switch try byte() {
        case 0: return .everyone
        case 1:
            guard let role = Role(rawValue: try text()) else { throw .malformed(offset: offset) }
            return .role(role)
        case 2: return .ownRole(try text())
        case 3: return .person(UserNumber(try number()))
        default: throw .malformed(offset: offset)
        }
    }

    private mutating func attendanceDemand() throws(CodecError) -> AttendanceRule.Demand {
        switch try byte() {
        case 0:
            let count = try number()
            return .atLeast(count, afterSeconds: try exactDouble())
        case 1:
            let zone = try text()
            var windows: [WeeklySchedule.Window] = []
            for _ in 0..<(try count(minimumBytes: 3)) {
                let weekday = try byte()
                let (start, end) = (Int16(exactly: try number()), Int16(exactly: try number()))
                guard (1...7).contains(weekday), let start, let end, (0..<1_440).contains(start),
                    (1...1_440).contains(end)
                else { throw .malformed(offset: offset) }
                windows.append(WeeklySchedule.Window(weekday: weekday, startMinute: start, endMinute: end))
            }
            return .during(WeeklySchedule(zone: zone, windows: windows), graceSeconds: try exactDouble())
        default: throw .malformed(offset: offset)
        }
    }

    private mutating func attendanceWindow() throws(CodecError) -> AttendanceRule.Window? {
        guard try isPresent() else { return nil }
        let day = try number()
        let occurrence = WeeklySchedule.Occurrence(day: day, window: try byte())
        let start = try instant()
        return AttendanceRule.Window(occurrence: occurrence, start: start, end: try instant())
    }

    mutating func optionalInstant() throws(CodecError) -> Instant? { try isPresent() ? try instant() : nil }

    private mutating func people() throws(CodecError) -> [UserNumber] {
        var people: [UserNumber] = []
        for _ in 0..<(try count(minimumBytes: 1)) { people.append(UserNumber(try number())) }
        return people
    }
}
