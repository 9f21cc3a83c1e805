public import Foundation
import MusterKit
public import Observation

/// The state of the person who holds the phone: as the server says it, and beside it what the phone computes by itself.
///
/// It never says by itself that somebody is safe: `state` is the server's, and `guess` is marked as the phone's own.
@MainActor @Observable public final class StatusModel {
    private let follower: TeamFollower
    private let phone: PhoneState
    private let outbox: Outbox
    private let wording: Wording

    init(_ follower: TeamFollower, _ phone: PhoneState, _ outbox: Outbox, _ wording: Wording) {
        (self.follower, self.phone, self.outbox, self.wording) = (follower, phone, outbox, wording)
    }

    /// The age of the server's word, seconds, from which on it is not shown as the state of now.
    static let oldSeconds = 15.0

    /// The state by which a view chooses mark and colour.
    public var state: ShownState { follower.state.me.map { follower.state.shown($0) } ?? .unknown }

    /// Whether the state is from before, and is shown without a colour: the server said so a while ago, or does not
    /// have the person's call for help yet.
    public var isOld: Bool { isSaidBefore || isCallUnsent }

    /// Who says so, and when: "The server says:".
    public var saidBy: String {
        guard let heardAt = follower.state.heardAt else { return words.text(.statusNothingYet) }
        guard isSaidBefore else { return words.text(.statusSays) }
        return words.text(.statusSaid, ["age": wording.age(of: heardAt), "time": wording.minute(heardAt)])
    }

    /// The word of the state; empty while the server has said nothing.
    public var title: String {
        follower.state.me == nil ? "" : PersonWords(wording: wording).state(state)
    }

    /// Since when; empty if that is not known.
    public var since: String {
        guard let since = follower.state.me?.since else { return "" }
        return words.text(.rowSince, ["time": wording.clock(since)])
    }

    /// How the state is known, how sure it is, and when the server heard the phone.
    public var lines: [String] {
        guard follower.state.heardAt != nil else { return [] }
        guard let me = follower.state.me else { return [words.text(.statusNotFollowed)] }
        let people = PersonWords(wording: wording)
        var lines = [isCallUnsent ? words.text(.statusCallUnsent) : "", source(of: me)]
        if let doubt = me.doubt, !(state == .checking && doubt == .checking) {
            lines.append(words.text(.statusDoubt, ["doubt": people.doubt(doubt)]))
        }
        if let pause = me.pause, pause.until > wording.now {
            lines.append(words.text(.statusPaused, ["time": wording.minute(pause.until)]))
        }
        lines += people.presences(follower.state.presences.values).prefix(3)
        lines.append(words.listed([people.heard(me), people.located(me)]))
        if isSaidBefore { lines.append(words.text(.statusMayHaveChanged)) }
        return lines.filter { !$0.isEmpty }
    }

    /// The title above `guess`.
    public var guessTitle: String { words.text(.statusGuessTitle) }

    /// What this phone computes by itself; nil if it has nothing to add to what the server says.
    public var guess: String? {
        guard let guess = placeGuess else { return nil }
        return outbox.callKind(of: follower.state) == nil ? guess : guess + " " + words.text(.statusGuessCalling)
    }

    /// That the server is not heard, or that it refuses the person, and what to do; nil while all is well.
    public var connectionText: String? {
        switch follower.connection {
        case .live: return nil
        case .connecting: return follower.isKept ? words.text(.connectionConnecting) : nil
        case .signedOut: return words.text(.connectionBannerRefused)
        case .away(let since, _):
            guard let since else { return words.text(.appNeverLive) }
            return words.text(.appNotLive, ["time": wording.minute(since), "age": wording.age(of: since)])
        }
    }

    /// That somebody asks where the person is now; nil if nobody does, or it was answered.
    public var questionText: String? {
        guard let question = follower.state.questions[follower.state.user], let at = question.at else { return nil }
        let answered = phone.location.map { $0.time > at.addingTimeInterval(-wording.serverAheadSeconds) } ?? false
        guard !answered, wording.now.timeIntervalSince(at) < 600 else { return nil }
        return words.text(.questionAsked, ["name": wording.called(question.by), "time": wording.minute(at)])
    }

    /// All of it in one text, for VoiceOver.
    public var spoken: String {
        ([saidBy, title, since] + lines + [guess ?? ""]).filter { !$0.isEmpty }.joined(separator: ". ")
    }

    /// The state for a widget, a watch or a Live Activity, which show it without the app.
    public var snapshot: StatusSnapshot {
        let heardAt = follower.state.heardAt
        let now = title.isEmpty ? words.text(.stateUnknown) : title
        var aged = now
        if let heardAt, !title.isEmpty {
            aged = words.text(.statusWas, ["state": title, "time": wording.minute(heardAt)])
        }
        if isCallUnsent { aged = words.text(.statusCallNotSent) }
        return StatusSnapshot(
            state: state, title: isOld ? aged : now, agedTitle: aged, isOld: isOld, since: follower.state.me?.since,
            detail: lines.first ?? saidBy, saidAt: heardAt?.addingTimeInterval(-wording.serverAheadSeconds),
            language: wording.language)
    }

    // MARK: Pieces

    private var words: Words { wording.words }

    private var isSaidBefore: Bool {
        guard !follower.isLive, let heardAt = follower.state.heardAt else { return false }
        return wording.now.timeIntervalSince(heardAt) > Self.oldSeconds
    }

    private var isCallUnsent: Bool { outbox.callStanding(over: follower.state)?.isUnsent ?? false }

    private func source(of me: Person) -> String {
        let place = me.region.map { wording.legible($0.name) }
        switch me.source {
        case "region": return place.map { words.text(.statusSourceRegion, ["place": $0]) } ?? ""
        case "seemsToHaveLeft": return place.map { words.text(.statusSourceSeemsToHaveLeft, ["place": $0]) } ?? ""
        // Outside an incident nobody needs to be in an assembly point.
        case "position": return state == .located ? "" : words.text(.statusSourcePosition)
        case "silence": return words.text(.statusSourceSilence)
        case "unlocated": return words.text(.statusSourceUnlocated)
        case "underReview": return words.text(.statusSourceUnderReview)
        case "ownDeclaration": return withHearer(words.text(.statusSourceOwnDeclaration), me)
        case "marked":
            guard let marker = me.markedBy else { return "" }
            return withHearer(words.text(.statusSourceMarked, ["name": wording.called(marker)]), me)
        case "checkInTimer": return withHearer(words.text(.statusSourceCheckInTimer), me)
        default: return ""
        }
    }

    private func withHearer(_ text: String, _ me: Person) -> String {
        let heard = me.acknowledgedBy.map { words.text(.knownHeardBy, ["name": wording.called($0)]) }
        return words.listed([text, heard ?? ""])
    }

    private var placeGuess: String? {
        guard let safety = phone.safety, !phone.regions.isEmpty || safety.state != .unknown else { return nil }
        let insides = phone.regions.filter { $0.standing == .inside }
        let isInMuster = safety.state == .safe
        // If the phone has a doubt, it does not say that it is in an assembly point.
        let shown = insides.filter { $0.isMuster == isInMuster }
        let place = words.listed(shown.map { wording.legible($0.title) })
        let isInsideByServer = follower.state.me.map { $0.state == .safe && $0.source == "region" } ?? false
        if isInMuster {
            let isSaid = shown.allSatisfy { isInside($0.id) } && !shown.isEmpty
            return follower.isLive && (isInsideByServer || isSaid) || place.isEmpty
                ? nil : words.text(.statusGuessInside, ["place": place])
        }
        if follower.isLive, !isInsideByServer { return nil }
        guard safety.state == .unsafe else {
            return place.isEmpty ? nil : words.text(.statusGuessInside, ["place": place])
        }
        return place.isEmpty
            ? words.text(.statusGuessOutside) : words.text(.statusGuessElsewhere, ["place": place])
    }

    /// Whether the server has a device of the person inside a region, without a doubt.
    private func isInside(_ region: Muster.RegionName) -> Bool {
        let presence = follower.state.presences["\(region.collection)/\(region.id)"]
        return presence.map { $0.standing == "inside" && $0.doubt == nil } ?? false
    }
}

/// The own state as a widget, a watch or a Live Activity shows it: a value without the app.
public struct StatusSnapshot: Codable, Hashable, Sendable {
    /// The state by which mark and colour are chosen.
    public var state: ShownState
    /// The word of the state; of one that is old what it was and when, and that a call for help is not sent.
    public var title: String
    /// The title from the moment on from which it is old.
    public var agedTitle: String
    /// Whether it is old now, or from before a call for help that is not sent yet: it is shown without a colour.
    public var isOld: Bool
    /// Since when; nil if that is not known.
    public var since: Date?
    /// One line on how it is known.
    public var detail: String
    /// When the server said so, by the phone's clock; nil if it never did. Older than some minutes, it is shown by
    /// `agedTitle` and without a colour.
    public var saidAt: Date?
    /// The language of the texts.
    public var language: Language
}
