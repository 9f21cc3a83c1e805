import MusterGeometry

@testable import MusterCore

/// Attendance rules, and what they report.
extension World {
    static let leasPhone = DeviceNumber(2)
    static let bensPhone = DeviceNumber(3)
    static let gate = AttendanceNumber(1)

    /// Ana, Lea, who leads, and Ben, each with a phone; a square around 45, 14; and minutes of silence that may pass.
    static func crew(silenceSeconds: Double = 600, policy: CrossingPolicy = .confident) -> World {
        var world = World(silenceSeconds: silenceSeconds, policy: policy)
        world.addTeam()
        world.edit(.putDevice(Device(number: leasPhone, name: "phone", user: lea)))
        world.edit(.putDevice(Device(number: bensPhone, name: "phone", user: ben)))
        world.putSquare(1, at: 45, 14)
        world.sweep(at: 0)
        // The first minute after a start is quiet.
        world.pass(to: 70)
        return world
    }

    /// Lets time pass, with a tick every few seconds.
    mutating func pass(to end: Double, every step: Double = 5) {
        for second in stride(from: now + step, through: end, by: step) { sweep(at: second) }
        if now < end { sweep(at: end) }
    }

    /// Devices stay at a latitude and report, while the clock is looked at.
    mutating func stay(
        _ devices: [DeviceNumber], at latitude: Double, to end: Double, every step: Double = 5
    ) {
        for second in stride(from: now + step, through: end, by: step) {
            for device in devices { report(latitude, 14, at: second, accuracy: 5, by: device) }
            sweep(at: second)
        }
    }

    /// Sets a rule about the square.
    mutating func demand(
        _ count: Int32, of subject: AttendanceRule.Subject = .everyone, after seconds: Double = 60,
        in region: Int32 = 1, number: AttendanceNumber = World.gate, opensIncident: Bool = false
    ) throws(AttendanceError) {
        defer { settle() }
        let rule = AttendanceRule(
            number: number, team: Self.team, name: "gate-\(number.rawValue)", region: RegionNumber(region),
            subject: subject, demand: .atLeast(count, afterSeconds: seconds), opensIncident: opensIncident,
            setBy: Self.lea, setAt: Self.time(now))
        try engine.putAttendanceRule(rule, now: Self.time(now), into: &decision)
    }

    /// The reports of attendance rules.
    var attendance: [AttendanceReport] {
        log.compactMap { change in
            if case .attendance(let report) = change { report } else { nil }
        }
    }

    /// What attendance rules reported, with the second.
    var attendanceTurns: [String] {
        attendance.map { "\($0.turn) \(Int($0.at.seconds(since: Self.time(0))))" }
    }

    /// The rule of a number; nil when there is none.
    func attendanceRule(_ number: AttendanceNumber) -> AttendanceRule? { engine.attendance.states[number]?.rule }

    func whereabouts(of user: UserNumber, in region: Int32 = 1) -> Attendance {
        engine.attendance(of: user, in: RegionNumber(region), now: Self.time(now), after: Decision())
    }

    /// Returns an engine with what the store of this one would hold after kill -9.
    mutating func restart(
        rules: [AttendanceRule], silentFor seconds: Double = 0
    ) {
        let devices = directory.devices.all.map(\.number)
        let records = devices.map { ($0, engine.record(of: $0, after: decision)) }
        let presences = devices.map { (device: $0, presences: engine.standings(of: $0)) }
        let safety = directory.users.all.map { (user: $0.number, safety: engine.safety(of: $0.number)) }
        engine = Engine(directory: directory, positions: [], presences: presences, safety: safety)
        engine.resume(records)
        engine.resume(attendanceRules: rules)
        now += seconds
    }
}
