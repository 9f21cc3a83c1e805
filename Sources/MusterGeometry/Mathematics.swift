// The only file of the geometry that uses the C library: functions of `Double` that Swift's standard library lacks.

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(WASILibc)
    import WASILibc
#elseif canImport(Bionic)
    import Bionic
#elseif arch(wasm32)
    // WebAssembly without a system: what runs it brings these along; see Wasm/regions.mjs.
    @_extern(c) private func sin(_ radians: Double) -> Double
    @_extern(c) private func cos(_ radians: Double) -> Double
    @_extern(c) private func atan2(_ y: Double, _ x: Double) -> Double
    @_extern(c) private func cbrt(_ value: Double) -> Double
    @_extern(c) private func tanh(_ value: Double) -> Double
    @_extern(c) private func erfc(_ value: Double) -> Double
    @_extern(c) private func exp(_ value: Double) -> Double
    @_extern(c) private func log(_ value: Double) -> Double
#endif

/// The sine of an angle in radians.
@inline(__always)
func sine(_ radians: Double) -> Double { sin(radians) }

/// The cosine of an angle in radians.
@inline(__always)
func cosine(_ radians: Double) -> Double { cos(radians) }

/// The angle of the vector (x, y) in radians, −π to π.
@inline(__always)
func arcTangent(_ y: Double, _ x: Double) -> Double { atan2(y, x) }

/// The cube root, with the sign of its argument.
@inline(__always)
func cubeRoot(_ value: Double) -> Double { cbrt(value) }

/// e to the power of a number.
@inline(__always)
func naturalExponential(_ value: Double) -> Double { exp(value) }

/// The logarithm to the base e.
@inline(__always)
func naturalLogarithm(_ value: Double) -> Double { log(value) }

package func hyperbolicTangent(_ value: Double) -> Double { tanh(value) }

/// Φ: the probability that a normal number of mean 0 and deviation 1 is below a value; 0.5 at 0.
package func normalProbability(below value: Double) -> Double { 0.5 * erfc(-value * 0.5.squareRoot()) }

/// Returns a difference of longitudes the short way round, in degrees, −180 to 180.
package func shortWay(_ degrees: Double) -> Double {
    // Nearly every difference is in that range already, and the C library is slow.
    abs(degrees) <= 180 ? degrees : degrees.remainder(dividingBy: 360)
}

/// The length of the vector (x, y); its arguments here are of the order of 1, where nothing overflows.
@inline(__always)
func length(_ x: Double, _ y: Double) -> Double { (x * x + y * y).squareRoot() }

/// Returns the number if it is above 0, else 0, and never −0, which would turn an arc tangent by half a circle.
@inline(__always)
func positive(_ value: Double) -> Double { value > 0 ? value : 0 }

/// An angle as its sine and cosine, of length 1 after `normalised()`.
struct Direction {
    var sine: Double
    var cosine: Double

    /// Creates a direction from a sine and a cosine in the right proportion.
    @inline(__always)
    init(sine: Double, cosine: Double) {
        self.sine = sine
        self.cosine = cosine
    }

    /// The direction of an angle in degrees; exact at the multiples of 90.
    init(degrees: Double) {
        // Reducing in degrees is exact; reducing in radians is not.
        let quarterTurns = (degrees / 90).rounded(.toNearestOrEven)
        let rest = (degrees - 90 * quarterTurns) * (Double.pi / 180)
        let s = MusterGeometry.sine(rest)
        let c = MusterGeometry.cosine(rest)
        switch Int(quarterTurns) & 3 {
        case 0: self.init(sine: s, cosine: c)
        case 1: self.init(sine: c, cosine: -s)
        case 2: self.init(sine: -s, cosine: -c)
        default: self.init(sine: -c, cosine: s)
        }
    }

    /// The same direction with length 1.
    @inline(__always)
    func normalised() -> Direction {
        let scale = 1 / length(sine, cosine)
        return Direction(sine: sine * scale, cosine: cosine * scale)
    }

    /// The angle in degrees, −180 to 180; exact at the multiples of 90.
    var degrees: Double {
        if abs(sine) > abs(cosine) {
            let fromAxis = arcTangent(cosine, abs(sine)) * (180 / Double.pi)
            return sine > 0 ? 90 - fromAxis : fromAxis - 90
        }
        if cosine < 0 {
            let fromAxis = arcTangent(abs(sine), -cosine) * (180 / Double.pi)
            return sine < 0 ? fromAxis - 180 : 180 - fromAxis
        }
        return arcTangent(sine, cosine) * (180 / Double.pi)
    }
}
