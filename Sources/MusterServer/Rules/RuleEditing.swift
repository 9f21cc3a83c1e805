package import MusterCore
import MusterStore
package import MusterWire

// `RuleEditing`: checks a rule that a client sends, and describes its faults.

/// Why a requested rule is not valid.
package enum RuleError: Error, Hashable, Sendable {
    case noRule(String)
    case hasTargets(String)
    case tooManyRules(limit: Int)
    case tooManyTargets(limit: Int)
    case pattern(EventPatternError)
    /// The pattern cannot select muster regions, for this reason.
    case safetyPattern(String)
    case noTarget(String)
    case input(InputError)
    /// The target `safety` takes no input.
    case safetyTakesNoInput
}

extension RuleError: CustomStringConvertible {
    /// One sentence, for people.
    package var description: String {
        switch self {
        case .noRule(let name): "Rule \(name) does not exist."
        case .hasTargets(let name): "Rule \(name) has targets: remove them first."
        case .tooManyRules(let limit): "There are \(limit) rules already: remove one first."
        case .tooManyTargets(let limit): "A rule has at most \(limit) targets."
        case .pattern(let fault): "Event pattern is not valid: \(fault)."
        case .safetyPattern(let words): words
        case .noTarget(let name): "There is no target \(name)."
        case .input(let fault): "The input is not valid: \(fault)."
        case .safetyTakesNoInput: "The target safety is given no input."
        }
    }
}

/// The limits and checks of rules, whichever endpoint edits them.
package enum RuleEditing {
    static let ruleLimit = 1_000
    /// The largest number of targets of a rule.
    package static let targetLimit = 5
    /// The largest number of characters of a rule's description.
    package static let descriptionLimit = 512
    /// The name of the built-in target.
    package static let safety = "safety"

    /// Whether a text is valid as a rule's name or as a target's id within it.
    package static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    /// Compiles a pattern, to check that it is valid.
    @discardableResult
    package static func compile(_ pattern: String) throws(RuleError) -> EventPattern {
        do {
            return try EventPattern(parsing: pattern)
        } catch {
            throw .pattern(error)
        }
    }

    /// Returns the rule of that name with the new pattern, or a new rule.
    package static func rule(named name: String, pattern: String, in directory: Directory, _ draft: Draft) throws
        -> Rule
    {
        if var rule = directory.rules[name] {
            rule.pattern = pattern
            return rule
        }
        guard directory.rules.count < ruleLimit else { throw RuleError.tooManyRules(limit: ruleLimit) }
        return Rule(number: try draft.transaction.nextRuleNumber(), name: name, pattern: pattern)
    }

    /// Checks that a rule is valid as a whole.
    package static func check(_ rule: Rule) throws(RuleError) {
        let pattern = try compile(rule.pattern)
        guard rule.targets.count <= targetLimit else { throw .tooManyTargets(limit: targetLimit) }
        for target in rule.targets { try check(target, with: pattern) }
    }

    /// Checks that a target's input is valid, and that the pattern suits the target `safety`.
    package static func check(_ target: RuleTarget, with pattern: EventPattern) throws(RuleError) {
        do {
            _ = try TargetInput(target.input)
        } catch {
            throw .input(error)
        }
        guard target.destination == .safety else { return }
        if let refusal = SafetyRule.refusal(of: pattern) { throw .safetyPattern(refusal) }
        guard target.input == .event else { throw .safetyTakesNoInput }
    }

    /// The destination of a target's name.
    package static func destination(named name: String, in directory: Directory) throws(RuleError)
        -> RuleTarget.Destination
    {
        if name == safety { return .safety }
        guard let target = directory.targets[name] else { throw .noTarget(name) }
        return .target(target.number)
    }

    /// The name of a destination; nil for a target that no longer exists.
    package static func name(of destination: RuleTarget.Destination, in directory: Directory) -> String? {
        switch destination {
        case .safety: safety
        case .target(let number): directory.targets[number]?.name
        }
    }
}
