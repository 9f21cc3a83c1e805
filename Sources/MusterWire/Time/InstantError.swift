/// A fault in a text that should be an RFC 3339 time.
package enum InstantError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The text is not of the form `2026-11-21T06:00:00.000Z`; the offset is that of the first byte that does not fit.
    case malformed(offset: Int)
    /// The month has no such day, or the year no such month.
    case noSuchDay
    /// There is no such hour, minute or second.
    case noSuchTime
    /// There is no such offset from UTC.
    case noSuchOffset
    /// The time is before the year 0001 or after 9999.
    case outOfYears

    /// One sentence without a full stop.
    package var description: String {
        switch self {
        case .malformed(let offset):
            "must be a time like 2026-11-21T06:00:00.000Z (RFC 3339); differs at character \(offset + 1)"
        case .noSuchDay: "there is no such day"
        case .noSuchTime: "there is no such time of day"
        case .noSuchOffset: "there is no such offset from UTC"
        case .outOfYears: "must be within the years 0001 to 9999"
        }
    }
}
