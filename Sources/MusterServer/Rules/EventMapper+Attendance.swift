import MusterCore
import MusterStore
import MusterWire

/// Events of attendance rules. docs/rules.md lists their members.
extension EventMapper {
    func content(_ report: AttendanceReport, _ directory: Directory) -> EventContent? {
        guard let team = directory.teams[report.team] else { return nil }
        var detail: [EventValue.Member] = []
        detail.add("EventType", report.turn.eventType)
        detail.add("Rule", report.name)
        detail.add("Team", team.name)
        if let region = directory.regions[report.region] {
            detail.add("Region", region.id)
            detail.add("Collection", directory.collections[region.collection]?.name)
        }
        detail.add("Role", report.subject.roleName)
        detail.add("User", report.subject.person.flatMap { name(of: $0, directory) })
        detail.add("By", report.by.flatMap { name(of: $0, directory) })
        detail.add("Since", report.since)
        switch report.demand {
        case .atLeast(let minimum, let afterSeconds):
            detail.append(.init("Minimum", .integer(Int64(minimum))))
            detail.append(.init("AfterSeconds", .number(afterSeconds)))
            detail.append(.init("Certain", .boolean(report.count.isCertainlyBelow(minimum))))
        case .during(let schedule, let graceSeconds):
            detail.add("Zone", schedule.zone)
            detail.append(.init("GraceSeconds", .number(graceSeconds)))
            detail.add("WindowStart", report.window?.start)
            detail.add("WindowEnd", report.window?.end)
            detail.add("Arrived", report.who.flatMap { name(of: $0, directory) })
        }
        detail.append(.init("Present", .integer(Int64(report.count.present))))
        detail.append(.init("Absent", .integer(Int64(report.count.absent))))
        detail.append(.init("Unknown", .integer(Int64(report.count.unknown))))
        detail.append(.init("AbsentUsers", names(of: report.count.absentPeople, directory)))
        detail.append(.init("UnknownUsers", names(of: report.count.unknownPeople, directory)))
        detail.add("Note", report.note)
        return EventContent(
            detailType: "Muster Attendance", time: report.at, resources: [origin.arn(ofTeam: team.name)],
            detail: .object(detail), subject: .nobody)
    }

    private func names(of people: [UserNumber], _ directory: Directory) -> EventValue {
        .array(people.compactMap { name(of: $0, directory) }.map { .string($0) })
    }

    private func name(of user: UserNumber, _ directory: Directory) -> String? {
        directory.users[user].map { directory.amazonName(of: $0) }
    }
}

extension AttendanceReport.Turn {
    /// The value of `EventType` in the event.
    fileprivate var eventType: String {
        switch self {
        case .made: "MADE"
        case .changed: "CHANGED"
        case .lacking: "LACKING"
        case .enough: "ENOUGH"
        case .removed: "REMOVED"
        case .notThere: "NOT_THERE"
        case .noWord: "NO_WORD"
        case .arrived: "ARRIVED"
        case .unwatched: "UNWATCHED"
        }
    }
}
