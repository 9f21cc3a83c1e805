/// Where events may go: a web server that wants to hear of them. Its secret is a credential, not part of it.
public struct Target: Hashable, Sendable {
    /// Its number.
    public let number: TargetNumber
    /// Unique; the same characters as a user's name.
    public var name: String
    /// How it is spoken to.
    public var kind: Kind
    /// Whether anything is sent to it; what comes meanwhile waits.
    public var isEnabled: Bool
    /// When it was made and changed.
    public var times: EditTimes
    /// The admin who put it last, and whose right it goes on by; nil where that was not noted.
    public var maker: UserNumber?

    /// How a target is spoken to.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A signed POST, by Standard Webhooks.
        case webhook
        /// A line of text to a Slack incoming webhook.
        case slack
        /// A line in the server's own log.
        case log
    }

    /// A target.
    public init(
        number: TargetNumber, name: String, kind: Kind, isEnabled: Bool = true, times: EditTimes = EditTimes(),
        maker: UserNumber? = nil
    ) {
        self.number = number
        self.name = name
        self.kind = kind
        self.isEnabled = isEnabled
        self.times = times
        self.maker = maker
    }
}

/// A target's number.
public typealias TargetNumber = Number<Target>

extension Target: Entity {
    /// The name to find it by.
    public var uniqueName: String? { name }
}
