/// A length in metres.
public struct Metres: Hashable, Comparable, Sendable, ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral {
    /// The number of metres.
    public var value: Double

    /// Creates a length from its metres.
    public init(_ value: Double) { self.value = value }
    /// Creates a length from its metres.
    public init(floatLiteral value: Double) { self.value = value }
    /// Creates a length from its metres.
    public init(integerLiteral value: Int) { self.value = Double(value) }

    /// Whether the left length is the shorter.
    public static func < (left: Metres, right: Metres) -> Bool { left.value < right.value }
    /// The sum of two lengths.
    public static func + (left: Metres, right: Metres) -> Metres { Metres(left.value + right.value) }
    /// The difference of two lengths.
    public static func - (left: Metres, right: Metres) -> Metres { Metres(left.value - right.value) }
}
