/// A reproducible random number generator: the same seed yields the same numbers on the same platform.
///
/// The generator is SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014).
package struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Creates a generator from a seed.
    package init(seed: UInt64) { state = seed }

    /// Creates a separate generator for one purpose of one person, so that no person's numbers depend on another
    /// person's.
    package init(seed: UInt64, stream: Int, purpose: UInt64) {
        var parent = SeededRandom(seed: seed ^ (UInt64(bitPattern: Int64(stream)) &* 0xD1B5_4A32_D192_ED03))
        state = parent.next() ^ (purpose &* 0xA076_1D64_78BD_642F)
    }

    /// Returns the next 64 bits.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }

    /// Returns a uniform number, at least 0 and below 1.
    package mutating func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// Returns a uniform number, at least the lower bound and below the upper one.
    package mutating func uniform(_ lower: Double, _ upper: Double) -> Double { lower + (upper - lower) * fraction() }

    /// Returns true with the given probability.
    package mutating func chance(_ probability: Double) -> Bool { fraction() < probability }

    /// Returns a normally distributed number, by the Box–Muller transform.
    package mutating func normal(mean: Double = 0, deviation: Double = 1) -> Double {
        let radius = (-2 * naturalLogarithm(1 - fraction())).squareRoot()
        return mean + deviation * radius * cosine(2 * .pi * fraction())
    }

    /// Returns the exponential of a normally distributed number.
    package mutating func logNormal(mean: Double, deviation: Double) -> Double {
        naturalExponential(normal(mean: mean, deviation: deviation))
    }

    /// Returns an exponentially distributed number, 0 or more.
    package mutating func exponential(mean: Double) -> Double { -mean * naturalLogarithm(1 - fraction()) }

    /// Returns a number between the bounds whose logarithm is uniformly distributed.
    package mutating func logUniform(_ lower: Double, _ upper: Double) -> Double {
        lower * naturalExponential(fraction() * naturalLogarithm(upper / lower))
    }

    /// Returns a vector of the given length in a random direction.
    package mutating func vector(length: Double) -> Offset {
        let angle = 2 * .pi * fraction()
        return Offset(east: length * cosine(angle), north: length * sine(angle))
    }

    /// Returns a random element; nil when there are none.
    package mutating func pick<Element>(_ elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[Int(next() % UInt64(elements.count))]
    }
}
