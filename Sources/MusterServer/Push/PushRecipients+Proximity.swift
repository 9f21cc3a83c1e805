import MusterCore
import MusterWire

/// The recipients of push messages about proximity rules.
extension PushRecipients {
    /// Sends reports to the team's leaders, or to the admins if it has none. A user's edits of a rule are not sent.
    func notification(of report: ProximityReport, at moment: Instant) -> Notification? {
        guard let title = title(of: report), let who = report.who, let team = directory.teams[report.team] else {
            return nil
        }
        let distance = report.metres.map { "About \(Self.rounded($0)) m apart." }
        let message = PushMessage(
            topic: "proximity \(report.rule.rawValue) \(who.rawValue)", createdAt: moment,
            lastingSeconds: Self.callSeconds,
            data: [
                .init("source", .text("muster")), .init("kind", .text("proximity")),
                .init("team", .text(team.name)), .init("rule", .text(report.name)),
                .init("state", .text(report.turn.wireName.description)),
            ],
            notice: .init(title: title, body: [distance, report.note].compactMap(\.self).joined(separator: " ")))
        return Notification(message: message, recipients: .people(leaders(of: team)), writer: nil)
    }

    /// The first line of the message; nil for a report that is not sent.
    private func title(of report: ProximityReport) -> String? {
        guard let who = report.who.map({ directory.spokenName(of: $0) }) else { return nil }
        let centre: String =
            if case .person(let user) = report.centre {
                directory.spokenName(of: user)
            } else {
                directory.name(of: report.centre)
            }
        let words: String? =
            switch report.turn {
            case .near: "\(who) is within \(Self.rounded(report.radiusMetres)) m of \(centre)"
            case .left: "\(who) is no longer near \(centre)"
            case .apart: "\(who) is more than \(Self.rounded(report.radiusMetres)) m from \(centre)"
            case .together: "\(who) is near \(centre) again"
            case .made, .changed, .removed: nil
            }
        return words.map { report.source == .simulated ? "Simulated: \($0)" : $0 }
    }

    private static func rounded(_ metres: Double) -> Int64 { Int64(metres.rounded()) }
}
