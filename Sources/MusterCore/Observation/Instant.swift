/// A moment, in whole milliseconds since 1970-01-01T00:00:00Z, without leap seconds.
public struct Instant: Hashable, Comparable, Sendable {
    /// Milliseconds since 1970, UTC.
    public let milliseconds: Int64

    /// The moment so many milliseconds after 1970 began.
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// The moment so many seconds after 1970 began, to the millisecond.
    ///
    /// - Precondition: `seconds` is finite and within ±9.2e15.
    public init(seconds: Double) { milliseconds = Int64((seconds * 1000).rounded()) }

    /// Seconds since 1970, UTC.
    public var seconds: Double { Double(milliseconds) / 1000 }

    /// Whether the left moment is the earlier.
    public static func < (left: Instant, right: Instant) -> Bool { left.milliseconds < right.milliseconds }

    /// The moment so many seconds later.
    public func advanced(bySeconds seconds: Double) -> Instant {
        Instant(milliseconds: milliseconds + Int64((seconds * 1000).rounded()))
    }

    /// Seconds from the earlier moment to this one; negative when `earlier` is in fact later.
    public func seconds(since earlier: Instant) -> Double {
        Double(milliseconds - earlier.milliseconds) / 1000
    }
}
