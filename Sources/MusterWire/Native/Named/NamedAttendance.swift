package import MusterCore

/// An `AttendanceReport` with names in place of numbers.
package struct NamedAttendanceReport: Hashable, Sendable {
    /// The report, in numbers.
    package var report: AttendanceReport
    package var team: String
    package var region: NamedRegion
    /// The one person that the rule counts; nil when it counts several.
    package var person: String?
    /// The user who made, changed or removed the rule; nil when time or an observation caused the report.
    package var by: String?
    /// The person who arrived; nil for every other turn.
    package var who: String?
    package var count: NamedAttendanceCount

    package init(
        _ report: AttendanceReport, team: String, region: NamedRegion, person: String?, by: String?, who: String?,
        count: NamedAttendanceCount
    ) {
        self.report = report
        self.team = team
        self.region = region
        self.person = person
        self.by = by
        self.who = who
        self.count = count
    }
}

/// An `AttendanceCount` with names in place of numbers.
package struct NamedAttendanceCount: Hashable, Sendable {
    /// The count, in numbers.
    package var count: AttendanceCount
    package var present: [String]
    package var absent: [String]
    package var unknown: [String]

    package init(_ count: AttendanceCount, name: (UserNumber) -> String) {
        self.count = count
        present = count.presentPeople.map(name)
        absent = count.absentPeople.map(name)
        unknown = count.unknownPeople.map(name)
    }
}

/// An `AttendanceRule` with names in place of numbers, and the places of the people that it counts.
package struct NamedAttendanceRule: Hashable, Sendable {
    /// The rule, in numbers.
    package var rule: AttendanceRule
    package var team: String
    package var region: NamedRegion
    /// The one person that the rule counts; nil when it counts several.
    package var person: String?
    package var setBy: String
    /// The people who were reported as not there in the present window, and have not arrived.
    package var awaited: [String]
    package var count: NamedAttendanceCount

    package init(
        _ rule: AttendanceRule, team: String, region: NamedRegion, person: String?, setBy: String, awaited: [String],
        count: NamedAttendanceCount
    ) {
        self.rule = rule
        self.team = team
        self.region = region
        self.person = person
        self.setBy = setBy
        self.awaited = awaited
        self.count = count
    }
}

extension AttendanceReport.Turn {
    /// Its name in the API.
    package var wireName: StaticString {
        switch self {
        case .made: "made"
        case .changed: "changed"
        case .lacking: "lacking"
        case .enough: "enough"
        case .removed: "removed"
        case .notThere: "notThere"
        case .noWord: "noWord"
        case .arrived: "arrived"
        case .unwatched: "unwatched"
        }
    }
}

extension AttendanceRule.Subject {
    /// The role that it asks for, Muster's or the organization's own; nil when it asks for none.
    package var roleName: String? {
        switch self {
        case .role(let role): role.rawValue
        case .ownRole(let role): role
        case .everyone, .person: nil
        }
    }

    /// The one person that the rule counts; nil when it counts several.
    package var person: UserNumber? { if case .person(let user) = self { user } else { nil } }
}

extension WeeklySchedule {
    /// The days of the week in the API, from Monday.
    package static let dayNames = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

    /// Reads a time of day such as 07:00 or 24:00, in minutes after midnight; nil for any other text.
    package static func minute(_ text: String) -> Int16? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2,
            parts.allSatisfy({ $0.utf8.count == 2 && $0.utf8.allSatisfy { (48...57).contains($0) } }),
            let hours = Int16(parts[0]), let minutes = Int16(parts[1]), minutes < 60, hours * 60 + minutes <= 1_440
        else { return nil }
        return hours * 60 + minutes
    }
}

extension JSONWriter {
    /// Writes the report of an attendance rule.
    mutating func members(of named: NamedAttendanceReport) {
        let report = named.report
        member("rule", report.name)
        member("team", named.team)
        member("happened", report.turn.wireName.description)
        member("happenedAt", report.at)
        if let user = named.by { member("by", user) }
        key("region")
        value(named.region)
        members(of: report.subject, person: named.person, report.demand)
        if let since = report.since { member("lackingSince", since) }
        members(of: report.window)
        if let who = named.who { member("arrived", who) }
        members(of: named.count, report.demand)
        if let note = report.note { member("note", note) }
    }

    package mutating func value(_ named: NamedAttendanceRule) {
        let rule = named.rule
        beginObject()
        member("name", rule.name)
        member("team", named.team)
        key("region")
        value(named.region)
        members(of: rule.subject, person: named.person, rule.demand)
        member("opensIncident", rule.opensIncident)
        if let note = rule.note { member("note", note) }
        member("setBy", named.setBy)
        member("setAt", rule.setAt)
        if let since = rule.progress.lackingSince { member("lackingSince", since) }
        switch rule.demand {
        case .atLeast: member("told", rule.progress.isTold)
        case .during:
            members(of: rule.progress.window)
            list("awaited", named.awaited)
        }
        members(of: named.count, rule.demand)
        endObject()
    }

    private mutating func members(
        of subject: AttendanceRule.Subject, person: String?, _ demand: AttendanceRule.Demand
    ) {
        if let role = subject.roleName { member("role", role) }
        if let person { member("person", person) }
        switch demand {
        case .atLeast(let count, let afterSeconds):
            member("minimum", Int64(count))
            member("afterSeconds", afterSeconds)
        case .during(let schedule, let graceSeconds):
            key("schedule")
            value(schedule)
            member("graceSeconds", graceSeconds)
        }
    }

    private mutating func members(of window: AttendanceRule.Window?) {
        guard let window else { return }
        member("windowStart", window.start)
        member("windowEnd", window.end)
    }

    /// Writes a schedule as a request may give it: windows of equal times are one, with several days.
    private mutating func value(_ schedule: WeeklySchedule) {
        beginObject()
        member("zone", schedule.zone)
        key("windows")
        beginArray()
        var written: Set<[Int16]> = []
        for window in schedule.windows where written.insert([window.startMinute, window.endMinute]).inserted {
            beginObject()
            key("days")
            beginArray()
            for other in schedule.windows
            where (other.startMinute, other.endMinute) == (window.startMinute, window.endMinute) {
                value(WeeklySchedule.dayNames[Int(other.weekday) - 1])
            }
            endArray()
            member("from", Self.clock(window.startMinute))
            member("to", Self.clock(window.endMinute))
            endObject()
        }
        endArray()
        endObject()
    }

    private static func clock(_ minute: Int16) -> String {
        let (hours, minutes) = (String(minute / 60), String(minute % 60))
        return (hours.count < 2 ? "0" : "") + hours + ":" + (minutes.count < 2 ? "0" : "") + minutes
    }

    private mutating func members(of named: NamedAttendanceCount, _ demand: AttendanceRule.Demand) {
        member("present", Int64(named.count.present))
        member("absent", Int64(named.count.absent))
        member("unknown", Int64(named.count.unknown))
        if case .atLeast(let minimum, _) = demand { member("certain", named.count.isCertainlyBelow(minimum)) }
        list("presentPeople", named.present)
        list("absentPeople", named.absent)
        list("unknownPeople", named.unknown)
    }

    private mutating func list(_ name: StaticString, _ people: [String]) {
        key(name)
        beginArray()
        for person in people { value(person) }
        endArray()
    }
}
