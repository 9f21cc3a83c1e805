import MusterCore
import MusterWire

/// The recipients of push messages about attendance rules.
extension PushRecipients {
    /// Sends reports to the team's leaders, or to the admins if it has none. A user's edits of a rule are not sent.
    func notification(of report: AttendanceReport, at moment: Instant) -> Notification? {
        let place = directory.regions[report.region]?.name ?? "a region that was removed"
        guard let title = title(of: report, in: place), let team = directory.teams[report.team] else { return nil }
        let words =
            "\(report.count.present) known to be there, \(report.count.absent) elsewhere, "
            + "\(report.count.unknown) not known."
        let message = PushMessage(
            topic: "attendance \(report.rule.rawValue)", createdAt: moment, lastingSeconds: Self.callSeconds,
            data: [
                .init("source", .text("muster")), .init("kind", .text("attendance")),
                .init("team", .text(team.name)), .init("rule", .text(report.name)),
                .init("state", .text(report.turn.wireName.description)),
            ],
            notice: .init(
                title: title, body: [words, report.note].compactMap(\.self).joined(separator: " ")))
        return Notification(message: message, recipients: .people(leaders(of: team)), writer: nil)
    }

    /// The first line of the message; nil for a report that is not sent.
    private func title(of report: AttendanceReport, in place: String) -> String? {
        switch report.turn {
        case .lacking: "Too few in \(place)"
        case .enough: "Enough in \(place) again"
        case .notThere: title(of: report.count.absentPeople, expectedIn: place, "not there")
        case .noWord: title(of: report.count.unknownPeople, expectedIn: place, "not known to be there")
        case .arrived: report.who.map { "\(directory.spokenName(of: $0)) has arrived in \(place)" }
        case .unwatched: "Nobody watched who came to \(place)"
        case .made, .changed, .removed: nil
        }
    }

    /// The first line about people who were expected. It names the person if there is one alone.
    private func title(of people: [UserNumber], expectedIn place: String, _ finding: String) -> String {
        let who = people.count == 1 ? "\(directory.spokenName(of: people[0])) is expected" : "Expected"
        return "\(who) in \(place): \(finding)"
    }

    func leaders(of team: Team) -> [UserNumber] {
        let leaders = directory.users.all.filter { $0.role == .leader && $0.team == team.number }.map(\.number)
        return leaders.isEmpty ? directory.users.all.filter { $0.role == .admin }.map(\.number) : leaders
    }
}
