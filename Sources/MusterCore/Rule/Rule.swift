/// An event pattern, and where the events that match it go.
public struct Rule: Hashable, Sendable {
    /// Its number.
    public let number: RuleNumber
    /// Unique; 1 to 64 characters of letters, digits and `._-`.
    public var name: String
    /// What it is for, in a person's words.
    public var description: String
    /// The pattern, as the text of one JSON object in EventBridge's pattern language.
    public var pattern: String
    /// Whether it is followed.
    public var isEnabled: Bool
    /// Where matching events go.
    public var targets: [RuleTarget]
    /// When it was made and changed.
    public var times: EditTimes
    /// The admin who put it last, and whose right it goes on by; nil where that was not noted.
    public var maker: UserNumber?

    /// A rule.
    public init(
        number: RuleNumber, name: String, description: String = "", pattern: String, isEnabled: Bool = true,
        targets: [RuleTarget] = [], times: EditTimes = EditTimes(), maker: UserNumber? = nil
    ) {
        self.number = number
        self.name = name
        self.description = description
        self.pattern = pattern
        self.isEnabled = isEnabled
        self.targets = targets
        self.times = times
        self.maker = maker
    }
}

/// One of a rule's targets, and what of the event it is given.
public struct RuleTarget: Hashable, Sendable {
    /// Unique within the rule; 1 to 64 characters.
    public var id: String
    /// Where the event goes.
    public var destination: Destination
    /// What of the event goes there.
    public var input: Input

    /// Where an event goes.
    public enum Destination: Hashable, Sendable {
        /// Built in: the regions that the rule speaks of are muster regions.
        case safety
        /// A target of the directory.
        case target(TargetNumber)
    }

    /// What a target is given.
    public enum Input: Hashable, Sendable {
        /// The event.
        case event
        /// Always this text of JSON.
        case constant(String)
        /// The part of the event at this JSON path.
        case path(String)
        /// This text, with `<name>` replaced by the part of the event at the path of that name.
        case template(String, paths: [String: String])
    }

    /// A target of a rule.
    public init(id: String, destination: Destination, input: Input = .event) {
        self.id = id
        self.destination = destination
        self.input = input
    }
}

/// A rule's number.
public typealias RuleNumber = Number<Rule>

extension Rule: Entity {
    /// The name to find it by.
    public var uniqueName: String? { name }
}
