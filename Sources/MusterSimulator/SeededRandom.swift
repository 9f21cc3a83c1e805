#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A reproducible random number generator: the same seed gives the same numbers on the same platform.
///
/// The generator is SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014).
package struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// A generator for a seed.
    package init(seed: UInt64) { state = seed }

    /// A separate generator for one purpose of one person, so that no person's numbers depend on another person's.
    package init(seed: UInt64, stream: Int, purpose: UInt64) {
        var parent = SeededRandom(seed: seed ^ (UInt64(bitPattern: Int64(stream)) &* 0xD1B5_4A32_D192_ED03))
        state = parent.next() ^ (purpose &* 0xA076_1D64_78BD_642F)
    }

    /// The next 64 bits.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }

    /// At least 0 and less than 1.
    package mutating func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// At least the lower bound and less than the upper.
    package mutating func uniform(_ lower: Double, _ upper: Double) -> Double { lower + (upper - lower) * fraction() }

    /// Returns true with the given probability.
    package mutating func chance(_ probability: Double) -> Bool { fraction() < probability }

    /// A normally distributed number, by the Box–Muller transform.
    package mutating func normal(mean: Double = 0, deviation: Double = 1) -> Double {
        let radius = (-2 * log(1 - fraction())).squareRoot()
        return mean + deviation * radius * cos(2 * .pi * fraction())
    }

    /// The exponential of a normally distributed number.
    package mutating func logNormal(mean: Double, deviation: Double) -> Double {
        exp(normal(mean: mean, deviation: deviation))
    }

    /// Exponentially distributed, 0 or more.
    package mutating func exponential(mean: Double) -> Double { -mean * log(1 - fraction()) }

    /// Between the bounds, its logarithm uniformly distributed.
    package mutating func logUniform(_ lower: Double, _ upper: Double) -> Double {
        lower * exp(fraction() * log(upper / lower))
    }

    /// A vector of the given length in a random direction.
    package mutating func vector(length: Double) -> Offset {
        let angle = 2 * .pi * fraction()
        return Offset(east: length * cos(angle), north: length * sin(angle))
    }

    /// A random element; nil when there are no elements.
    package mutating func pick<Element>(_ elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[Int(next() % UInt64(elements.count))]
    }
}
