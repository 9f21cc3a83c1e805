/// An optional moment in eight bytes: an optional `Instant` takes sixteen, and the engine keeps several for each
/// device.
struct MaybeInstant: Hashable, Sendable {
    // `.min` stands for none: no device reports a moment 292 million years ago.
    private var milliseconds = Int64.min

    /// The moment; nil for none.
    var instant: Instant? {
        @inline(__always) get { milliseconds == .min ? nil : Instant(milliseconds: milliseconds) }
        @inline(__always) set { milliseconds = newValue?.milliseconds ?? .min }
    }

    /// Creates an optional moment.
    init(_ instant: Instant? = nil) { self.instant = instant }
}
