/// A compiled event pattern, in EventBridge's pattern language.
///
/// A pattern has the form of the events that it is for. An event matches when it has every key that the pattern names,
/// with one of the values of that key's list. Other keys of the event do not matter. In an array of the event one
/// matching element is enough, and the conditions on the members of one object must hold within one element of an array
/// of objects. docs/rules.md describes the language with examples.
public struct EventPattern: Hashable, Sendable {
    /// The condition on the whole event.
    let root: Clause
    /// The paths at which some field allows that the event has no scalar. `Values.absence` is an index into this.
    let absences: [[ExactText]]

    /// The largest number of characters in a pattern's text.
    public static let lengthLimit = 4_096
    /// The largest number of ways to choose one alternative of each `$or`.
    public static let combinationLimit = 1_000
    /// The largest number of levels of nesting.
    public static let depthLimit = 32

    /// Compiles a pattern.
    ///
    /// - Throws: `EventPatternError` for the first fault found, with its place.
    public init(_ pattern: EventValue) throws(EventPatternError) {
        var compilation = PatternCompilation()
        root = try compilation.clause(pattern)
        absences = compilation.absences
        guard root.combinations <= Self.combinationLimit else {
            throw EventPatternError(pointer: "", reason: .tooManyCombinations(limit: Self.combinationLimit))
        }
    }

    /// Whether an event matches the pattern.
    ///
    /// - Complexity: O(pattern × event) at worst; some hundred nanoseconds for an event of Muster's own.
    public func matches(_ event: EventValue) -> Bool {
        let isAbsent = absences.isEmpty ? [] : absences.map { !event.hasLeaf(at: $0[...]) }
        return root.matches(event, isAbsent)
    }

    /// The paths of keys whose values the pattern tests, each once.
    public var paths: [[String]] {
        var paths: [[String]] = []
        root.forEachPath(behind: []) { path in
            if !paths.contains(path) { paths.append(path) }
        }
        return paths
    }

    /// The condition on one object: every field matches, and one alternative of each `$or`.
    struct Clause: Hashable, Sendable {
        var fields: [Field] = []
        var alternatives: [[Clause]] = []

        /// The number of ways to choose one alternative of each `$or`, capped at one beyond the limit.
        var combinations: Int {
            var product = 1
            for field in fields {
                guard case .object(let clause) = field.condition else { continue }
                product = min(product * clause.combinations, EventPattern.combinationLimit + 1)
            }
            for clauses in alternatives {
                let sum = clauses.reduce(0) { $0 + $1.combinations }
                product = min(product * sum, EventPattern.combinationLimit + 1)
            }
            return product
        }

        /// Calls `body` with the path of every field that has a list of values.
        func forEachPath(behind path: [String], _ body: ([String]) -> Void) {
            for field in fields {
                switch field.condition {
                case .object(let clause): clause.forEachPath(behind: path + [field.key.text], body)
                case .values: body(path + [field.key.text])
                }
            }
            for clause in alternatives.joined() { clause.forEachPath(behind: path, body) }
        }

        /// Whether a value meets the clause; nil stands for an absent value.
        func matches(_ value: EventValue?, _ isAbsent: [Bool]) -> Bool {
            if case .array(let elements) = value, !elements.isEmpty {
                return elements.contains { matches($0, isAbsent) }
            }
            // In reverse: a pattern's last field is usually its most specific one, and fails soonest.
            for index in fields.indices.reversed() {
                let member = value?[fields[index].key]
                switch fields[index].condition {
                case .object(let clause): guard clause.matches(member, isAbsent) else { return false }
                case .values(let values): guard values.admits(member, isAbsent) else { return false }
                }
            }
            for clauses in alternatives {
                guard clauses.contains(where: { $0.matches(value, isAbsent) }) else { return false }
            }
            return true
        }
    }

    /// The condition on the value of one key.
    struct Field: Hashable, Sendable {
        var key: ExactText
        var condition: Condition
    }

    /// A condition on a value: a clause for an object, or a list for scalars.
    indirect enum Condition: Hashable, Sendable {
        case object(Clause)
        case values(Values)
    }

    /// The scalars that a field admits: those that any entry of its list admits.
    struct Values: Hashable, Sendable {
        var exact = ExactValues()
        var tests: [ValueTest] = []
        /// The index in `absences` of the path where the event may lack a scalar; nil when there must be one.
        var absence: Int?

        /// Whether the list admits a value, or an element of it at whatever depth.
        func admits(_ value: EventValue?, _ isAbsent: [Bool]) -> Bool {
            if let absence, isAbsent[absence] { return true }
            return value.map(admits) ?? false
        }

        private func admits(_ value: EventValue) -> Bool {
            switch value {
            case .object: false
            case .array(let elements): elements.contains(where: admits)
            case .scalar(let scalar): exact.contains(scalar) || tests.contains { $0.admits(scalar) }
            }
        }
    }
}
