package import MusterCore

/// A stay inside a shape, as it truly was.
package struct Visit: Hashable, Sendable {
    /// When it began, in seconds since the world began; the first moment known, for someone who was inside then.
    package var fromSeconds: Double
    /// When it ended, in seconds since the world began; the moment that the world has reached, for someone inside now.
    package var toSeconds: Double
}

/// A crossing as it truly was, and the fix that could first tell.
package struct TrueCrossing: Hashable, Sendable {
    /// Enter or exit.
    package var kind: Crossing.Kind
    /// When the boundary was crossed, in seconds since the world began.
    package var crossedSeconds: Double
    /// The sample time of the first fix taken beyond the boundary.
    package var sampleTime: Instant
}
