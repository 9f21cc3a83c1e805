/// An event pattern, and the targets that matching events go to.
public struct Rule: Hashable, Sendable {
    /// The number by which the store knows the rule.
    public let number: RuleNumber
    /// The name, unique among rules: 1 to 64 characters of letters, digits and `._-`.
    public var name: String
    /// The purpose, as a user described it.
    public var description: String
    /// The pattern, as the text of one JSON object in EventBridge's pattern language.
    public var pattern: String
    /// Whether the server applies the rule.
    public var isEnabled: Bool
    /// The targets that matching events go to.
    public var targets: [RuleTarget]
    /// When it was made and last changed.
    public var times: EditTimes
    /// The admin who last put the rule. The rule stops when that admin loses the right to it. Nil when the admin was
    /// not recorded.
    public var maker: UserNumber?

    /// Creates a rule from its fields; enabled by default.
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

/// A target of a rule, and the part of the event that it receives.
public struct RuleTarget: Hashable, Sendable {
    /// The id, unique within the rule; 1 to 64 characters.
    public var id: String
    /// Where the event goes.
    public var destination: Destination
    /// The part of the event that the target receives.
    public var input: Input

    /// Where an event can go: to Muster's own safety, or to a target.
    public enum Destination: Hashable, Sendable {
        /// Built in: the regions that the rule's pattern names become muster regions.
        case safety
        /// A target of the directory.
        case target(TargetNumber)
    }

    /// What a target receives.
    public enum Input: Hashable, Sendable {
        /// The whole event.
        case event
        /// Always this JSON text.
        case constant(String)
        /// The part of the event at this JSON path.
        case path(String)
        /// This text, with `<name>` replaced by the part of the event at the path of that name.
        case template(String, paths: [String: String])
    }

    /// Creates a target of a rule, which receives the whole event by default.
    public init(id: String, destination: Destination, input: Input = .event) {
        self.id = id
        self.destination = destination
        self.input = input
    }
}

/// A rule's number.
public typealias RuleNumber = Number<Rule>

extension Rule: Entity {
    /// The rule's name.
    public var uniqueName: String? { name }
}
