/// What is asked before something is done that cannot be taken back.
public struct Question: Hashable, Sendable {
    /// What is asked.
    public var title: String
    /// What it does, and to whom.
    public var lines: [String]
    /// The title of the button that does it.
    public var button: String
    /// The title of the button that does nothing.
    public var cancel: String
    /// Whether the button is shown as one that takes something away.
    public var isDestructive: Bool
    /// The title of a text that goes with it, such as a reason; nil if there is none.
    public var noteTitle: String?
    /// Whether the text may not be empty.
    public var needsNote = false

    /// What is asked, and with which buttons.
    public init(
        title: String, lines: [String], button: String, cancel: String, isDestructive: Bool, noteTitle: String? = nil,
        needsNote: Bool = false
    ) {
        self.title = title
        self.lines = lines
        self.button = button
        self.cancel = cancel
        self.isDestructive = isDestructive
        self.noteTitle = noteTitle
        self.needsNote = needsNote
    }
}

/// A line that says where something is that was said or ordered.
public struct DeliveryLine: Hashable, Sendable, Identifiable {
    /// The same for the same thing.
    public var id: String
    /// Where it is: a view chooses a mark by it.
    public var place: Place
    /// All of it in words.
    public var text: String

    /// Where something is that was said or ordered.
    public enum Place: String, Codable, Sendable {
        /// On this phone; the server does not have it yet.
        case phone
        /// At the server.
        case server
        /// At the server, and somebody has seen it.
        case seen
        /// The server refused it.
        case refused
        /// Cancelled; nothing was sent.
        case cancelled
    }
}
