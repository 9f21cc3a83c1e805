import MusterGeometry

@testable import MusterCore

/// Proximity rules, and what they report.
extension World {
    static let closeness = ProximityNumber(1)
    /// Metres of one degree of latitude at 45° N.
    static let metresPerDegree = 111_132.0

    /// Sets a rule about the distance to a person or device.
    mutating func measure(
        _ centre: ProximityRule.Centre, within metres: Double, _ demand: ProximityRule.Demand = .fence,
        of subject: ProximityRule.Subject = .everyone, number: ProximityNumber = World.closeness
    ) throws(ProximityError) {
        defer { settle() }
        let rule = ProximityRule(
            number: number, team: Self.team, name: "close-\(number.rawValue)", centre: centre, subject: subject,
            radiusMetres: metres, demand: demand, setBy: Self.lea, setAt: Self.time(now))
        try engine.putProximityRule(rule, now: Self.time(now), into: &decision)
    }

    /// Devices report for a while, each so many metres north of 45° N, 14° E, while the clock is looked at.
    mutating func stand(
        _ places: KeyValuePairs<DeviceNumber, Double>, to end: Double, accuracy: Metres = 5, every step: Double = 5
    ) {
        for second in stride(from: now + step, through: end, by: step) {
            for (device, metres) in places {
                report(45 + metres / Self.metresPerDegree, 14, at: second, accuracy: accuracy, by: device)
            }
            sweep(at: second)
        }
    }

    /// The reports of proximity rules.
    var proximity: [ProximityReport] {
        log.compactMap { change in
            if case .proximity(let report) = change { report } else { nil }
        }
    }

    /// What proximity rules reported, as "near 1".
    var proximityTurns: [String] {
        proximity.map { "\($0.turn)" + ($0.who.map { " \($0.rawValue)" } ?? "") }
    }

    /// The rule about the distance; nil when there is none.
    var proximityRule: ProximityRule? { engine.proximity.states[Self.closeness]?.rule }

    /// How far a person is from the centre of the rule.
    func reading(of user: UserNumber) -> ProximityReading? {
        proximityRule.flatMap { rule in
            engine.proximity(of: rule, now: Self.time(now)).first { $0.user == user }
        }
    }
}

extension World {
    /// Replaces the engine by one with what the store would hold after kill -9, rules and alarms with it.
    mutating func restartWithProximity() {
        let rules = engine.proximityRules(of: Self.team)
        let alarms = rules.flatMap { rule in
            engine.proximityAlarms(of: rule.number).map { (rule: rule.number, alarm: $0) }
        }
        restart(rules: engine.attendanceRules(of: Self.team))
        engine.resume(proximityRules: rules, alarms: alarms)
    }
}
