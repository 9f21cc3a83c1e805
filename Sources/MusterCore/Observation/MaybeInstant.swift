/// A moment or none, in eight bytes: an optional `Instant` takes sixteen, and the engine keeps several a device.
struct MaybeInstant: Hashable, Sendable {
    // A moment so long ago, 292 million years, is no one's.
    private var milliseconds = Int64.min

    /// The moment; nil for none.
    var instant: Instant? {
        @inline(__always) get { milliseconds == .min ? nil : Instant(milliseconds: milliseconds) }
        @inline(__always) set { milliseconds = newValue?.milliseconds ?? .min }
    }

    /// A moment; nil for none.
    init(_ instant: Instant? = nil) { self.instant = instant }
}
