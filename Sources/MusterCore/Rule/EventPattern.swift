/// A pattern that events match or do not: EventBridge's pattern language, compiled.
///
/// A pattern has the form of the events that it is for. Every key that it names must be there, with one of the values
/// of its list; what it does not name is not looked at. Where the event has an array, one element that fits is enough,
/// and what a pattern says of the members of one object must hold within one element of an array of objects.
/// docs/rules.md has the language with examples.
public struct EventPattern: Hashable, Sendable {
    /// What is asked of the event as a whole.
    let root: Clause
    /// The paths of which some field says that there may be no scalar; a field's `absence` counts into this.
    let absences: [[ExactText]]

    /// Characters that a pattern may have as text.
    public static let lengthLimit = 4_096
    /// Ways to take one alternative of each `$or` that a pattern may have.
    public static let combinationLimit = 1_000
    /// Levels that a pattern may nest.
    public static let depthLimit = 32

    /// Compiles a pattern.
    ///
    /// - Throws: the first fault found, with the place of it.
    public init(_ pattern: EventValue) throws(EventPatternError) {
        var compilation = PatternCompilation()
        root = try compilation.clause(pattern)
        absences = compilation.absences
        guard root.combinations <= Self.combinationLimit else {
            throw EventPatternError(pointer: "", reason: .tooManyCombinations(limit: Self.combinationLimit))
        }
    }

    /// Whether an event is of this pattern.
    ///
    /// - Complexity: O(pattern × event) at worst; some hundred nanoseconds for an event of Muster's own.
    public func matches(_ event: EventValue) -> Bool {
        let isAbsent = absences.isEmpty ? [] : absences.map { !event.hasLeaf(at: $0[...]) }
        return root.matches(event, isAbsent)
    }

    /// The paths of keys of which this pattern says something, each once.
    public var paths: [[String]] {
        var paths: [[String]] = []
        root.forEachPath(behind: []) { path in
            if !paths.contains(path) { paths.append(path) }
        }
        return paths
    }

    /// What is asked of one object: every field, and of each `$or` one alternative.
    struct Clause: Hashable, Sendable {
        var fields: [Field] = []
        var alternatives: [[Clause]] = []

        /// Ways to take one alternative of each `$or`; held at one beyond the limit.
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

        /// Calls `body` with the path of every list of values.
        func forEachPath(behind path: [String], _ body: ([String]) -> Void) {
            for field in fields {
                switch field.condition {
                case .object(let clause): clause.forEachPath(behind: path + [field.key.text], body)
                case .values: body(path + [field.key.text])
                }
            }
            for clause in alternatives.joined() { clause.forEachPath(behind: path, body) }
        }

        /// Whether a value is what is asked for; nil is a value that is not there.
        func matches(_ value: EventValue?, _ isAbsent: [Bool]) -> Bool {
            if case .array(let elements) = value, !elements.isEmpty {
                return elements.contains { matches($0, isAbsent) }
            }
            // From behind: what is said last is said most closely, and fails soonest.
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

    /// What is asked of the value of one key.
    struct Field: Hashable, Sendable {
        var key: ExactText
        var condition: Condition
    }

    /// What can be asked of a value.
    indirect enum Condition: Hashable, Sendable {
        case object(Clause)
        case values(Values)
    }

    /// What a scalar may be: anything of this list.
    struct Values: Hashable, Sendable {
        var exact = ExactValues()
        var tests: [ValueTest] = []
        /// The number of the path at which there may be no scalar either; nil: there must be one.
        var absence: Int?

        /// Whether a value, or an element of it at whatever depth, is one of the list.
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
