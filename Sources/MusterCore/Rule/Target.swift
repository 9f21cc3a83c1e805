/// A receiver of events, such as a web server. Its secret is a credential, which is stored apart.
public struct Target: Hashable, Sendable {
    /// The number by which deliveries and rules name the target.
    public let number: TargetNumber
    /// The name, unique among targets; the same characters as a user's name.
    public var name: String
    /// How the server sends events to it.
    public var kind: Kind
    /// Whether the server sends to it. Events for a disabled target wait.
    public var isEnabled: Bool
    /// Which events the server sends by itself, while the target is enabled.
    public var mode: Mode
    /// When it was made and last changed.
    public var times: EditTimes
    /// The admin who last put the target. The target stops when that admin loses the right to it. Nil when the admin
    /// was not recorded.
    public var maker: UserNumber?

    /// The ways of sending events.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A signed POST, by Standard Webhooks.
        case webhook
        /// A line of text to a Slack incoming webhook.
        case slack
        /// A line in the server's own log.
        case log
        /// A text by SMS to people or numbers, through a gateway.
        case sms
    }

    /// Which deliveries wait until a person or a timer asks the server to send them.
    public enum Mode: Hashable, Sendable {
        /// None waits: the server sends each delivery as soon as it can.
        case atOnce
        /// Deliveries with a number above this one wait. The server sends those up to it until they arrive or are given
        /// up.
        case byHand(through: Int64)
    }

    /// Creates a target from its fields; by default it is enabled and the server sends deliveries at once.
    public init(
        number: TargetNumber, name: String, kind: Kind, isEnabled: Bool = true, mode: Mode = .atOnce,
        times: EditTimes = EditTimes(), maker: UserNumber? = nil
    ) {
        self.number = number
        self.name = name
        self.kind = kind
        self.isEnabled = isEnabled
        self.mode = mode
        self.times = times
        self.maker = maker
    }
}

extension Target.Mode {
    /// The highest number of a delivery that the server sends; nil for every number.
    public var through: Int64? {
        switch self {
        case .atOnce: nil
        case .byHand(let through): through
        }
    }
}

/// A target's number.
public typealias TargetNumber = Number<Target>

extension Target: Entity {
    /// The target's name.
    public var uniqueName: String? { name }
}
