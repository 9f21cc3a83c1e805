package import MusterCore

/// A `ProximityReport` with names in place of numbers.
package struct NamedProximityReport: Hashable, Sendable {
    /// The report, in numbers.
    package var report: ProximityReport
    package var team: String
    /// The name of the centre: a person's, or a device's as user/device.
    package var centre: String
    /// The user who made, changed or removed the rule; nil when time or a position caused the report.
    package var by: String?
    /// The person who came, left, is apart or is together again.
    package var who: String?

    package init(_ report: ProximityReport, team: String, centre: String, by: String?, who: String?) {
        self.report = report
        self.team = team
        self.centre = centre
        self.by = by
        self.who = who
    }
}

/// A `ProximityRule` with names in place of numbers, and the distances of the people that it counts.
package struct NamedProximityRule: Hashable, Sendable {
    /// The rule, in numbers.
    package var rule: ProximityRule
    package var team: String
    /// The name of the centre: a person's, or a device's as user/device.
    package var centre: String
    /// The one person that the rule counts; nil when it counts several.
    package var person: String?
    package var setBy: String
    /// The people that the rule counts; of more than `listLimit` those with an alarm first.
    package var people: [Person]
    /// The number of counted people within the radius, beyond it, and at an unknown distance.
    package var counts: (within: Int, beyond: Int, unknown: Int) { (within, beyond, unknown) }
    private var within = 0
    private var beyond = 0
    private var unknown = 0

    /// The distance of a person from the centre.
    package struct Person: Hashable, Sendable {
        package var name: String
        package var reading: ProximityReading
        package var alarm: ProximityAlarm?

        package init(name: String, reading: ProximityReading, alarm: ProximityAlarm?) {
            self.name = name
            self.reading = reading
            self.alarm = alarm
        }
    }

    /// The largest number of people that a response names.
    package static let listLimit = 200

    package init(
        _ rule: ProximityRule, team: String, centre: String, person: String?, setBy: String, people: [Person]
    ) {
        self.rule = rule
        self.team = team
        self.centre = centre
        self.person = person
        self.setBy = setBy
        for person in people {
            switch person.reading.standing {
            case .within: within += 1
            case .beyond: beyond += 1
            case .unknown: unknown += 1
            }
        }
        let alarmed = people.filter { $0.alarm != nil }
        self.people = Array((alarmed + people.filter { $0.alarm == nil }).prefix(Self.listLimit))
    }
}

extension ProximityReport.Turn {
    /// Its name in the API.
    package var wireName: StaticString {
        switch self {
        case .made: "made"
        case .changed: "changed"
        case .removed: "removed"
        case .near: "near"
        case .left: "left"
        case .apart: "apart"
        case .together: "together"
        }
    }
}

extension ProximityStanding {
    /// Its name in the API.
    fileprivate var wireName: StaticString {
        switch self {
        case .within: "within"
        case .beyond: "beyond"
        case .unknown: "unknown"
        }
    }
}

extension JSONWriter {
    mutating func members(of named: NamedProximityReport) {
        let report = named.report
        member("rule", report.name)
        member("team", named.team)
        member("happened", report.turn.wireName.description)
        member("happenedAt", report.at)
        if let user = named.by { member("by", user) }
        members(of: report.centre, named.centre)
        members(of: report.demand, radiusMetres: report.radiusMetres)
        if let who = named.who { member("who", who) }
        if let since = report.since { member("since", since) }
        if let metres = report.metres { member("metres", metres) }
        if let deviation = report.deviationMetres { member("deviationMetres", deviation) }
        if let source = report.source { member("source", source.wireName.description) }
        if let note = report.note { member("note", note) }
    }

    package mutating func value(_ named: NamedProximityRule) {
        let rule = named.rule
        beginObject()
        member("name", rule.name)
        member("team", named.team)
        members(of: rule.centre, named.centre)
        members(of: rule.demand, radiusMetres: rule.radiusMetres)
        if let role = rule.subject.roleName { member("role", role) }
        if let person = named.person { member("person", person) }
        if let note = rule.note { member("note", note) }
        member("setBy", named.setBy)
        member("setAt", rule.setAt)
        member("within", Int64(named.counts.within))
        member("beyond", Int64(named.counts.beyond))
        member("unknown", Int64(named.counts.unknown))
        key("people")
        beginArray()
        for person in named.people { value(person) }
        endArray()
        endObject()
    }

    private mutating func value(_ person: NamedProximityRule.Person) {
        beginObject()
        member("user", person.name)
        member("standing", person.reading.standing.wireName.description)
        if let metres = person.reading.metres { member("metres", metres) }
        if let deviation = person.reading.deviationMetres { member("deviationMetres", deviation) }
        if let source = person.reading.source { member("source", source.wireName.description) }
        if let alarm = person.alarm {
            member("since", alarm.since)
            member("told", alarm.isTold)
            if alarm.isSimulated { member("simulated", true) }
        }
        endObject()
    }

    private mutating func members(of centre: ProximityRule.Centre, _ name: String) {
        switch centre {
        case .person: member("centrePerson", name)
        case .device: member("centreDevice", name)
        }
    }

    private mutating func members(of demand: ProximityRule.Demand, radiusMetres: Double) {
        member("radiusMetres", radiusMetres)
        switch demand {
        case .fence: member("demand", "fence")
        case .together(let afterSeconds):
            member("demand", "together")
            member("afterSeconds", afterSeconds)
        }
    }
}
