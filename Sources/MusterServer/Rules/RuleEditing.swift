package import MusterCore
import MusterStore
package import MusterWire

/// Why a rule cannot be as it was asked for.
package enum RuleError: Error, Hashable, Sendable {
    case noRule(String)
    case hasTargets(String)
    case tooManyRules(limit: Int)
    case tooManyTargets(limit: Int)
    case pattern(EventPatternError)
    /// Why the pattern cannot say which regions are muster regions.
    case safetyPattern(String)
    case noTarget(String)
    case input(InputError)
    /// The target `safety` is given nothing.
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

/// What rules may be, whoever asks for them.
enum RuleEditing {
    /// Rules that there may be.
    static let ruleLimit = 1_000
    /// Targets that a rule may have.
    static let targetLimit = 5
    /// Characters of a rule's description.
    static let descriptionLimit = 512
    /// What the target that is built in is called.
    static let safety = "safety"

    /// Whether a text can be a rule's name or a target's id in it.
    static func isName(_ text: String) -> Bool {
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

    /// Compiles a pattern, to be sure that it can be.
    @discardableResult
    static func compile(_ pattern: String) throws(RuleError) -> EventPattern {
        do {
            return try EventPattern(parsing: pattern)
        } catch {
            throw .pattern(error)
        }
    }

    /// The rule of a name, or a new one.
    static func rule(named name: String, pattern: String, in directory: Directory, _ draft: Draft) throws -> Rule {
        if var rule = directory.rules[name] {
            rule.pattern = pattern
            return rule
        }
        guard directory.rules.count < ruleLimit else { throw RuleError.tooManyRules(limit: ruleLimit) }
        return Rule(number: try draft.transaction.nextRuleNumber(), name: name, pattern: pattern)
    }

    /// Makes sure that a rule can be followed as it is.
    static func check(_ rule: Rule) throws(RuleError) {
        let pattern = try compile(rule.pattern)
        guard rule.targets.count <= targetLimit else { throw .tooManyTargets(limit: targetLimit) }
        for target in rule.targets { try check(target, with: pattern) }
    }

    /// Makes sure that a target can be given what it is to be given, and that `safety` understands the pattern.
    static func check(_ target: RuleTarget, with pattern: EventPattern) throws(RuleError) {
        do {
            _ = try TargetInput(target.input)
        } catch {
            throw .input(error)
        }
        guard target.destination == .safety else { return }
        if let refusal = SafetyRule.refusal(of: pattern) { throw .safetyPattern(refusal) }
        guard target.input == .event else { throw .safetyTakesNoInput }
    }

    /// Where a target's name leads.
    static func destination(named name: String, in directory: Directory) throws(RuleError) -> RuleTarget.Destination {
        if name == safety { return .safety }
        guard let target = directory.targets[name] else { throw .noTarget(name) }
        return .target(target.number)
    }

    /// What a destination is called; nil for a target that is gone.
    static func name(of destination: RuleTarget.Destination, in directory: Directory) -> String? {
        switch destination {
        case .safety: safety
        case .target(let number): directory.targets[number]?.name
        }
    }
}
