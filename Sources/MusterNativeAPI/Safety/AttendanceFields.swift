import Hummingbird
import MusterCore
import MusterServer
import MusterWire

/// The fields of a request that sets an attendance rule.
struct AttendanceFields: Sendable {
    let region: RegionNumber
    let subject: AttendanceRule.Subject
    let demand: AttendanceRule.Demand
    let opensIncident: Bool
    let note: String?

    /// Parses a body.
    ///
    /// - Parameter now: the server's time, at which the time zone must be known.
    /// - Throws: `Problem.invalid` with every fault.
    init(_ request: Request, for team: Team, _ access: Access, now: Instant) async throws {
        var fields = try await Fields(request)
        let region = fields.region(for: team, in: access.directory)
        subject = fields.subject(of: team, access)
        let demand = fields.demand(at: now)
        opensIncident = fields.boolean("opensIncident") ?? false
        note = fields.text("note", limitBytes: AttendanceRule.noteLimitBytes)
        try fields.finish()
        guard let region, let demand else { throw Problem.internalError }
        self.region = region
        self.demand = demand
    }
}

extension Fields {
    /// Parses `collection` and `region`: a region in which the engine decides, by the confident policy, where the
    /// team's people are. Events of a raw fence are no evidence of where people are.
    fileprivate mutating func region(for team: Team, in directory: Directory) -> RegionNumber? {
        let name = text("collection", isRequired: true)
        let id = text("region", isRequired: true)
        guard let name, let id else { return nil }
        guard let collection = directory.collections[name] else { return fault("collection", "does not exist") }
        guard let region = directory.region(id, in: collection.number) else {
            return fault("region", "does not exist in \(name)")
        }
        guard directory.trackers[team.tracker]?.collections.contains(collection.number) ?? false else {
            return fault("collection", "is not linked to the team's tracker, so nobody in the team is seen in it")
        }
        guard collection.policy == .confident || region.beacon != nil || directory.isMuster(region) else {
            return fault("region", "is in a raw collection, whose events are not evidence: choose a confident one")
        }
        return region.number
    }

    /// Parses `role` or `person`: the people whom a rule counts.
    mutating func subject(of team: Team, _ access: Access) -> AttendanceRule.Subject {
        let role = text("role", limitBytes: User.databaseRoleBytes)
        let person = text("person")
        if let person {
            if role != nil { addFault("role", "cannot be given together with person") }
            guard let user = access.directory.users[person], user.team == team.number, access.mayRead(user),
                user.role != .gateway
            else {
                addFault("person", "is not a person in the team")
                return .everyone
            }
            return .person(user.number)
        }
        guard let role else { return .everyone }
        if let role = Role(rawValue: role), role != .gateway { return .role(role) }
        if !User.isDatabaseRole(role) { addFault("role", "is not a role of a person") }
        return .ownRole(role)
    }

    /// Parses either `minimum` with `afterSeconds`, or `schedule` with `graceSeconds`.
    fileprivate mutating func demand(at now: Instant) -> AttendanceRule.Demand? {
        guard let described = json("schedule") else {
            let most = Double(AttendanceRule.countLimits.upperBound)
            let minimum = number("minimum", in: 1...most, isRequired: true)
            let afterSeconds = number("afterSeconds", in: AttendanceRule.afterLimits) ?? 0
            guard let minimum else { return nil }
            guard minimum == minimum.rounded() else { return fault("minimum", "must be a whole number") }
            return .atLeast(Int32(minimum), afterSeconds: afterSeconds)
        }
        if has("minimum") { addFault("minimum", "cannot be given together with schedule") }
        let grace = number("graceSeconds", in: AttendanceRule.graceLimits) ?? AttendanceRule.defaultGraceSeconds
        guard let schedule = schedule(described, at: now) else { return nil }
        guard schedule.windows.allSatisfy({ $0.lengthSeconds > grace }) else {
            return fault("graceSeconds", "must be shorter than every window")
        }
        return .during(schedule, graceSeconds: grace)
    }

    private mutating func schedule(_ value: JSONValue, at now: Instant) -> WeeklySchedule? {
        guard let zone = value["zone"]?.string, let described = value["windows"]?.elements,
            value.members?.count == 2
        else { return fault("schedule", "must have zone and windows, and nothing else") }
        guard ZoneOffsets.system.secondsAhead(zone, now) != nil else {
            return fault("schedule", "must have a time zone by its IANA name, such as Europe/Vienna")
        }
        var windows: Set<WeeklySchedule.Window> = []
        for window in described.prefix(WeeklySchedule.windowLimit + 1) {
            guard let days = window["days"]?.elements, window.members?.count == 3,
                let start = window["from"]?.string.flatMap(WeeklySchedule.minute), start < 1_440,
                let end = window["to"]?.string.flatMap(WeeklySchedule.minute), end > 0
            else { return fault("schedule", "must have windows of days, from and to, such as 07:00 and 15:30") }
            for day in days.prefix(8) {
                guard let index = day.string.flatMap({ WeeklySchedule.dayNames.firstIndex(of: $0) }) else {
                    return fault("schedule", "must name days \(WeeklySchedule.dayNames.joined(separator: ", "))")
                }
                windows.insert(.init(weekday: UInt8(index + 1), startMinute: start, endMinute: end))
            }
        }
        guard (1...WeeklySchedule.windowLimit).contains(windows.count) else {
            return fault("schedule", "must have 1 to \(WeeklySchedule.windowLimit) windows, counted by day")
        }
        return WeeklySchedule(zone: zone, windows: Array(windows))
    }
}
