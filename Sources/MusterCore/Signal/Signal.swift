/// A device, or a person in its name, reported that something happened: a button was pressed, or an app entered a
/// region. Rules send it to targets. It changes no standing, and it is no evidence of anybody's safety.
///
/// Like every observation, it may arrive late from a phone that was offline, and it may arrive twice.
public struct Signal: Hashable, Sendable {
    /// The id that the sender chose, or else the server; unique among the signals of one device. A signal with the id
    /// of a stored one is a repetition.
    public var id: String
    /// The name of the event, as the sender chose it.
    public var name: String
    /// When it happened, by the sender's clock.
    public var sampleTime: Instant
    /// When Muster received it.
    public var receivedTime: Instant
    /// The user who reported the signal for another user's device; nil when the device itself, or its user, did.
    public var reporter: UserNumber?
    /// The sender's keys and values, in the sender's order. No key occurs twice.
    public var values: [Value]

    /// One of the texts that a signal carries.
    public struct Value: Hashable, Sendable {
        /// The name of the text.
        public var key: String
        /// The text. Muster never interprets it.
        public var text: String

        /// Creates one text under its name.
        public init(_ key: String, _ text: String) {
            self.key = key
            self.text = text
        }
    }

    /// How many values a signal may have.
    public static let valueLimit = 32
    /// How long the keys and texts of all values together may be, in bytes of UTF-8.
    public static let valuesLimitBytes = 4_096
    /// How many signals of a device the store keeps. A further one removes the one that was received first, with its
    /// id.
    public static let keptLimit = 1_000

    public init(
        id: String, name: String, sampleTime: Instant, receivedTime: Instant, reporter: UserNumber? = nil,
        values: [Value] = []
    ) {
        self.id = id
        self.name = name
        self.sampleTime = sampleTime
        self.receivedTime = receivedTime
        self.reporter = reporter
        self.values = values
    }

    /// Whether a text can be a name or an id: 1 to 64 characters of `A-Z a-z 0-9 . _ -`.
    public static func isValid(word: String) -> Bool { Declaration.isValid(id: word) }
}
