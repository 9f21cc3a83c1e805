/// An angle in degrees; a bearing counts clockwise from north.
public struct Degrees: Hashable, Comparable, Sendable, ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral {
    /// The number of degrees.
    public var value: Double

    /// Creates an angle from its degrees.
    public init(_ value: Double) { self.value = value }
    /// Creates an angle from its degrees.
    public init(floatLiteral value: Double) { self.value = value }
    /// Creates an angle from its degrees.
    public init(integerLiteral value: Int) { self.value = Double(value) }

    /// Whether the left angle is the smaller number.
    public static func < (left: Degrees, right: Degrees) -> Bool { left.value < right.value }
}
