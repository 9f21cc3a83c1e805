package import MusterCore
package import MusterWire

/// Replaces numbers by names in attendance rules and their reports.
extension Directory {
    package func named(_ rule: AttendanceRule, _ count: AttendanceCount) -> NamedAttendanceRule {
        NamedAttendanceRule(
            rule, team: teams[rule.team]?.name ?? gone(rule.team), region: named(rule.region),
            person: rule.subject.person.map { name(of: $0) }, setBy: name(of: rule.setBy),
            awaited: rule.progress.awaited.prefix(AttendanceCount.listLimit).map { name(of: $0) }, count: named(count))
    }

    /// The report of an attendance rule, with names.
    package func named(_ report: AttendanceReport) -> NamedAttendanceReport {
        NamedAttendanceReport(
            report, team: teams[report.team]?.name ?? gone(report.team), region: named(report.region),
            person: report.subject.person.map { name(of: $0) }, by: report.by.map { name(of: $0) },
            who: report.who.map { name(of: $0) }, count: named(report.count))
    }

    private func named(_ count: AttendanceCount) -> NamedAttendanceCount {
        NamedAttendanceCount(count) { name(of: $0) }
    }
}
