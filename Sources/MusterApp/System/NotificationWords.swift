/// The texts of a notification that the server sends, in the language of the phone. The server's own text is English.
public struct NotificationWords: Hashable, Sendable {
    /// What happened.
    public var title: String
    /// What to do.
    public var body: String
    /// Whether it should break through silence, where the person and the system allow it.
    public var isCritical: Bool
    /// The actions that it offers.
    public var actions: [QuickAction]

    /// Words the data of a message (docs/push.md): `kind`, `state`, `team`, `drill`, `user`, `by`,
    /// `displayName`.
    ///
    /// - Parameters:
    ///   - data: the members of the message's `data`, numbers as their digits.
    ///   - body: the server's body, which has what a leader wrote.
    ///   - reader: the person who is signed in, so that a check-in is theirs or somebody else's.
    /// - Returns: nil for a kind that this version does not know: the server's own text is shown then.
    public init?(_ data: [String: String], body: String, user reader: String?, _ language: Language) {
        let words = Words(language)
        let user = data["user"] ?? data["by"] ?? ""
        let name = CalledNames.whole(user, data["displayName"])
        (isCritical, actions) = (false, [])
        switch (data["kind"], data["state"]) {
        case ("incident", "open"):
            title = words.text(data["drill"] == "true" ? .callDrill : .callReal)
            self.body = body
            isCritical = data["drill"] != "true"
            actions = [.seen, .safe, .needHelp]
        case ("incident", _):
            title = words.text(data["drill"] == "true" ? .pushDrillOver : .pushAllClear)
            self.body = body
        case ("call", let state):
            title = words.text(state == "sos" ? .sosFrom : .pushNeedsHelp, ["name": name])
            self.body = words.text(.pushCallBody)
            isCritical = true
        case ("check-in", "due"):
            title = words.text(.timerCheckIn)
            self.body = words.text(.pushCheckIn)
            actions = [.checkIn, .needHelp]
        case ("check-in", _):
            title = words.text(.pushNoWord, ["name": name])
            self.body = words.text(.pushNoWordBody)
        case ("locate", _):
            title = words.text(.personAsk)
            self.body = words.text(.pushLocateBody, ["name": name])
        default: return nil
        }
        if data["kind"] == "check-in", let reader, user != reader { actions = [] }
    }
}
