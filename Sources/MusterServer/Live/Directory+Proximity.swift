package import MusterCore
package import MusterWire

/// Replaces numbers by names in proximity rules and their reports.
extension Directory {
    package func named(
        _ rule: ProximityRule, _ readings: [ProximityReading], _ alarms: [ProximityAlarm]
    ) -> NamedProximityRule {
        let alarms = Dictionary(alarms.map { ($0.user, $0) }) { first, _ in first }
        return NamedProximityRule(
            rule, team: teams[rule.team]?.name ?? gone(rule.team), centre: name(of: rule.centre),
            person: rule.subject.person.map { name(of: $0) }, setBy: name(of: rule.setBy),
            people: readings.map { .init(name: name(of: $0.user), reading: $0, alarm: alarms[$0.user]) })
    }

    /// The report of a proximity rule, with names.
    package func named(_ report: ProximityReport) -> NamedProximityReport {
        NamedProximityReport(
            report, team: teams[report.team]?.name ?? gone(report.team), centre: name(of: report.centre),
            by: report.by.map { name(of: $0) }, who: report.who.map { name(of: $0) })
    }

    /// The name of a rule's centre: a person's, or a device's as user/device.
    package func name(of centre: ProximityRule.Centre) -> String {
        switch centre {
        case .person(let user): name(of: user)
        case .device(let device): qualifiedName(of: device) ?? gone(device)
        }
    }
}
