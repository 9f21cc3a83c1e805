import MusterCore
import MusterWire

/// Pushes about PAR and about who leads an incident.
extension PushRecipients {
    /// Notifies the leaders of the team, or the admins where it has none, when the timer requests a PAR and when crews
    /// are overdue; and the user to whom another one handed the incident over.
    func notification(ofPARIn incident: Incident, at moment: Instant) -> Notification? {
        guard let team = directory.teams[incident.team], let news = incident.news else { return nil }
        let prefix = incident.kind == .drill ? "Drill: " : ""
        let (state, title, body): (String, String, String)
        var people: [UserNumber]
        switch news.detail {
        case .par(let note) where incident.turn == .parOverdue:
            let names = note.crews.prefix(Self.namedCrews).map { count in
                count.isVisitors ? "visitors" : count.name ?? "people without a crew"
            }
            let more = note.crews.count > names.count ? ", and \(note.crews.count - names.count) more" : ""
            (state, title) = ("par-overdue", "\(prefix)PAR \(note.round) overdue")
            body = "\(team.name): no report of \(names.joined(separator: ", "))\(more)"
            people = leaders(of: incident.team)
        case .par(let note) where news.by == nil:
            (state, title) = ("par", "\(prefix)PAR \(note.round) is due")
            body = "\(team.name): every crew has to report."
            people = leaders(of: incident.team)
        case .handedOver(let leader, _):
            let author =
                news.by.flatMap { directory.users[$0] }.map { directory.spokenName(of: $0.number) }
                ?? "Another leader"
            (state, title) = ("handed-over", "\(prefix)You lead the incident")
            body = "\(team.name): \(author) handed it over to you."
            people = [leader]
        case .par, .parTimer, .declared, .firstAccounted, .counts: return nil
        }
        people.removeAll { $0 == news.by }
        guard !people.isEmpty else { return nil }
        let message = PushMessage(
            topic: "par \(incident.number.rawValue)", createdAt: moment, lastingSeconds: Self.callSeconds,
            data: [
                .init("source", .text("muster")), .init("kind", .text("par")),
                .init("incident", .number(Int64(incident.number.rawValue))), .init("team", .text(team.name)),
                .init("drill", .text(incident.kind == .drill ? "true" : "false")), .init("state", .text(state)),
            ], notice: .init(title: title, body: body))
        return Notification(message: message, recipients: .people(people), writer: nil)
    }

    /// The number of crews that a message names.
    private static let namedCrews = 5

    /// The leaders of a team; the admins where it has none.
    private func leaders(of team: TeamNumber) -> [UserNumber] {
        let leaders = directory.users.all.filter { $0.role == .leader && $0.team == team }
        return (leaders.isEmpty ? directory.users.all.filter { $0.role == .admin } : leaders).map(\.number)
    }
}
