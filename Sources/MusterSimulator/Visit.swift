package import MusterCore

/// A true stay of a person inside a shape, without measurement error.
package struct Visit: Hashable, Sendable {
    /// When the stay began, in seconds since the world began. For a person inside at the first known moment, it is
    /// that moment.
    package var fromSeconds: Double
    /// When the stay ended, in seconds since the world began. For a person still inside, it is the moment that the
    /// world has reached.
    package var toSeconds: Double
}

/// A true crossing of a boundary, and the first fix that could show it.
package struct TrueCrossing: Hashable, Sendable {
    /// Whether the person entered or left.
    package var kind: Crossing.Kind
    /// When the boundary was crossed, in seconds since the world began.
    package var crossedSeconds: Double
    /// The sample time of the first fix taken beyond the boundary.
    package var sampleTime: Instant
}
