import MusterCore
import MusterStore
import MusterWire

/// Events of proximity rules. docs/rules.md lists their members.
extension EventMapper {
    func content(_ report: ProximityReport, _ directory: Directory) -> EventContent? {
        guard let team = directory.teams[report.team] else { return nil }
        var detail: [EventValue.Member] = []
        detail.add("EventType", report.turn.wireName.description.uppercased())
        detail.add("Rule", report.name)
        detail.add("Team", team.name)
        switch report.centre {
        case .person(let user): detail.add("CentreUser", name(of: user, directory))
        case .device(let device):
            detail.add("CentreDevice", directory.devices[device].map { directory.amazonID(of: $0) })
        }
        detail.append(.init("RadiusMetres", .number(report.radiusMetres)))
        if case .together(let afterSeconds) = report.demand {
            detail.append(.init("AfterSeconds", .number(afterSeconds)))
        }
        detail.add("User", report.who.flatMap { name(of: $0, directory) })
        detail.add("Since", report.since)
        if let metres = report.metres { detail.append(.init("DistanceMetres", .number(metres))) }
        if let deviation = report.deviationMetres { detail.append(.init("DeviationMetres", .number(deviation))) }
        detail.add("Source", report.source?.wireName.description)
        detail.add("By", report.by.flatMap { name(of: $0, directory) })
        detail.add("Note", report.note)
        return EventContent(
            detailType: "Muster Proximity", time: report.at, resources: [origin.arn(ofTeam: team.name)],
            detail: .object(detail), subject: report.who.map { .user($0) } ?? .nobody)
    }

    private func name(of user: UserNumber, _ directory: Directory) -> String? {
        directory.users[user].map { directory.amazonName(of: $0) }
    }
}
