/// A test of a scalar in a pattern, other than being equal to a value.
indirect enum ValueTest: Hashable, Sendable {
    case prefix([UInt8])
    case suffix([UInt8])
    /// The text is in lower case already, here and in the two cases below.
    case equalsIgnoringCase(ExactText)
    case prefixIgnoringCase([UInt8])
    case suffixIgnoringCase([UInt8])
    case wildcard(Wildcard)
    case numeric(NumericRange)
    case block(AddressBlock)
    case anythingBut(ExactValues, [ValueTest])
    /// Admits every scalar.
    case exists

    /// Whether a scalar passes the test.
    func admits(_ scalar: EventScalar) -> Bool {
        switch self {
        case .exists: return true
        case .anythingBut(let values, let tests):
            return !values.contains(scalar) && !tests.contains { $0.admits(scalar) }
        case .numeric(let range):
            guard case .number(let number) = scalar else { return false }
            return range.contains(number)
        default:
            guard case .text(let text) = scalar else { return false }
            return admits(text)
        }
    }

    private func admits(_ text: ExactText) -> Bool {
        switch self {
        case .prefix(let prefix): text.withBytes { $0.starts(with: prefix) }
        case .suffix(let suffix): text.withBytes { $0.ends(with: suffix) }
        case .equalsIgnoringCase(let folded): text.folded == folded
        case .prefixIgnoringCase(let prefix): text.folded.withBytes { $0.starts(with: prefix) }
        case .suffixIgnoringCase(let suffix): text.folded.withBytes { $0.ends(with: suffix) }
        case .wildcard(let wildcard): text.withBytes { wildcard.matches($0) }
        case .block(let block): block.contains(text.text)
        case .numeric, .anythingBut, .exists: false
        }
    }
}

extension ExactText {
    /// The text in lower case, by Unicode's default mapping.
    var folded: ExactText { ExactText(text.lowercased()) }
}

/// The numbers between two bounds; without a bound the range has no end on that side.
struct NumericRange: Hashable, Sendable {
    /// An end of the range.
    struct Bound: Hashable, Sendable {
        var number: EventNumber
        var isInclusive: Bool
    }

    var lower: Bound?
    var upper: Bound?

    func contains(_ number: EventNumber) -> Bool {
        if let lower, number < lower.number || (number == lower.number && !lower.isInclusive) { return false }
        if let upper, number > upper.number || (number == upper.number && !upper.isInclusive) { return false }
        return true
    }
}

/// A list of scalars, one of which a value must equal.
struct ExactValues: Hashable, Sendable {
    private(set) var list: [EventScalar] = []
    /// The same scalars again, when the list has more than `longest`.
    private var lookup: Set<EventScalar> = []

    private static let longest = 8

    init(_ list: [EventScalar] = []) {
        self.list = list
        if list.count > Self.longest { lookup = Set(list) }
    }

    /// Whether the list has a scalar.
    func contains(_ scalar: EventScalar) -> Bool {
        lookup.isEmpty ? list.contains(scalar) : lookup.contains(scalar)
    }
}
