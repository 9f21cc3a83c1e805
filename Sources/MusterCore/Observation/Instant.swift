/// A moment, in whole milliseconds since 1970-01-01T00:00:00Z, without leap seconds.
public struct Instant: Hashable, Comparable, Sendable {
    /// Milliseconds since 1970, UTC.
    public let milliseconds: Int64

    /// Creates a moment from the milliseconds since 1970, UTC.
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Creates a moment from the seconds since 1970, UTC, rounded to the millisecond.
    ///
    /// - Precondition: `seconds` is finite and within ±9.2e15.
    public init(seconds: Double) { milliseconds = Int64((seconds * 1000).rounded()) }

    /// Seconds since 1970, UTC.
    public var seconds: Double { Double(milliseconds) / 1000 }

    /// Whether the left moment is the earlier.
    public static func < (left: Instant, right: Instant) -> Bool { left.milliseconds < right.milliseconds }

    /// Returns the moment `seconds` later, rounded to the millisecond.
    public func advanced(bySeconds seconds: Double) -> Instant {
        Instant(milliseconds: milliseconds + Int64((seconds * 1000).rounded()))
    }

    /// Returns the seconds from an earlier moment to this one; negative when `earlier` is in fact later.
    public func seconds(since earlier: Instant) -> Double {
        Double(milliseconds - earlier.milliseconds) / 1000
    }
}
