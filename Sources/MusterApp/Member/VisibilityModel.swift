import Foundation
import MusterWire
public import Observation

/// Who may see where the person is, and the pause that explains why nothing is heard of them.
@MainActor @Observable public final class VisibilityModel {
    private let follower: TeamFollower
    private let outbox: Outbox
    private let server: ServerClient
    private let wording: Wording
    private var viewers: [Viewer]?
    private var fault: ServerFault?
    /// Whether the list is being requested.
    public private(set) var isLoading = false

    init(_ follower: TeamFollower, _ outbox: Outbox, _ server: ServerClient, _ wording: Wording) {
        (self.follower, self.outbox, self.server, self.wording) = (follower, outbox, server, wording)
    }

    private struct Viewer: Hashable {
        var name: String?
        var role: String?
        var device: String?
        var kind: String?
        var madeBy: String?
        var expires: Date?
    }

    /// The title of the part.
    public var title: String { words.text(.visibleLabel) }

    /// Who sees the person, a line for each; empty before `load()`.
    public var lines: [String] { (viewers ?? []).map { line(of: $0) } }

    /// What is to be said besides the list: that nobody sees the person, or that the server does not say.
    public var note: String? {
        if let fault {
            if viewers != nil { return words.text(.visibleBefore) }
            if case .refused(404, _) = fault { return words.text(.visibleOld) }
            return words.text(.visibleOffline)
        }
        return viewers?.isEmpty == true ? words.text(.visibleNobody) : nil
    }

    /// Requests the list from the server. If that fails or is cancelled, the list of before stays.
    public func load() async {
        isLoading = true
        defer { isLoading = false }
        do {
            let items = try await server.items("users/\(ServerClient.encoded(follower.state.user))/viewers")
            viewers = items.map { item in
                Viewer(
                    name: item["name"]?.string.map { CalledNames.whole($0, item["displayName"]?.string) },
                    role: item["role"]?.string, device: item["device"]?.string,
                    kind: item["kind"]?.string, madeBy: item["madeBy"]?.string, expires: item["expires"]?.date)
            }
            fault = nil
        } catch {
            if error != .cancelled { fault = error }
        }
    }

    // MARK: The pause

    /// Whether the team allows a pause, and none of what forbids one is so.
    public var mayPause: Bool {
        let state = follower.state
        return state.team.map { state.allowingPauses.contains($0) } ?? false
            && state.ownIncident == nil && outbox.callKind(of: state) == nil
    }
    /// The title of the part about the pause.
    public var pauseTitle: String { words.text(.visiblePause) }
    /// What a pause does.
    public var pauseExplanation: String { words.text(.visibleWhat) }
    /// The title of the field for why.
    public var pauseNoteTitle: String { words.text(.visibleNote) }
    /// The title of the button that ends the pause.
    public var endPauseTitle: String { words.text(.visibleEnd) }
    /// For how long one may pause.
    public var pauseChoices: [CheckInModel.Interval] {
        [
            CheckInModel.Interval(seconds: 1800, title: words.text(.visibleMinutes30)),
            CheckInModel.Interval(seconds: 3600, title: words.text(.visibleMinutes60)),
            CheckInModel.Interval(seconds: 14_400, title: words.text(.visibleMinutes240)),
        ]
    }
    /// That a pause lasts, and until when; nil without one.
    public var pauseText: String? {
        guard let pause = follower.state.me?.pause, pause.until > wording.now else { return nil }
        return words.text(isPausing ? .visiblePaused : .visiblePausedUrgent, ["time": wording.minute(pause.until)])
    }
    /// Whether the app records no position now: a pause lasts, and neither an incident, a call for help nor an overdue
    /// check-in asks for the person.
    public var isPausing: Bool {
        guard let me = follower.state.me, let pause = me.pause, pause.until > wording.now else { return false }
        let isOverdue = ["overdue", "sos"].contains(me.timer?.happened)
        return follower.state.ownIncident == nil && outbox.callKind(of: follower.state) == nil && !isOverdue
    }

    /// Begins a pause. It begins once the server has it.
    public func pause(forSeconds seconds: Double, note: String) async {
        let until = outbox.serverNow.addingTimeInterval(min(43_200, max(60, seconds.isNaN ? 60 : seconds)))
        await outbox.add(.pause(until: until, note: note.trimmed(toBytes: 500)))
    }

    /// Ends the pause.
    public func endPause() async { await outbox.add(.endPause) }

    // MARK: Words

    private var words: Words { wording.words }

    private func line(of viewer: Viewer) -> String {
        if let name = viewer.name {
            let name: KeyValuePairs = ["name": wording.legible(name)]
            switch viewer.role {
            case "admin": return words.text(.visibleAdmin, name)
            case "analyst": return words.text(.visibleAnalyst, name)
            default: return words.text(.visibleLeader, name)
            }
        }
        let what: String
        if let device = viewer.device {
            what = words.text(.visibleToken, ["device": wording.legible(device)])
        } else {
            what = words.text(named: "visible.link.\(viewer.kind ?? "")") ?? words.text(.visibleLink)
        }
        let maker = viewer.madeBy.map { words.text(.visibleMadeBy, ["name": wording.called($0)]) }
        let until = viewer.expires.map { words.text(.visibleUntil, ["time": wording.minute($0)]) }
        return words.listed([what, maker ?? "", until ?? ""])
    }
}
