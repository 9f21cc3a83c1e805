/// A number of an event, which is compared by value: 300, 300.0 and 3e2 are one number, and a whole number beyond 2⁵³
/// differs from its neighbour.
public enum EventNumber: Hashable, Sendable {
    /// A whole number of 64 bits, exact also beyond 2⁵³.
    case whole(Int64)
    /// A finite number that no `whole` can hold.
    case fractional(Double)

    /// The number nearest to a double, which must be finite.
    public init(_ number: Double) {
        self = Int64(exactly: number).map { .whole($0) } ?? .fractional(number)
    }
}

extension EventNumber: Comparable {
    /// Whether the left number is smaller; exact, also between whole and fractional numbers.
    public static func < (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.whole(let left), .whole(let right)): left < right
        case (.fractional(let left), .fractional(let right)): left < right
        // A fractional number is never whole, so rounding it down decides.
        case (.whole(let left), .fractional(let right)): clamped(right).map { left <= $0 } ?? (right > 0)
        case (.fractional(let left), .whole(let right)): clamped(left).map { $0 < right } ?? (left < 0)
        }
    }

    /// The greatest whole number that is not above `number`; nil when 64 bits cannot hold it.
    private static func clamped(_ number: Double) -> Int64? { Int64(exactly: number.rounded(.down)) }
}
