/// A sine series Σ cₖ sin 2kσ, k from 1 to 6: the form of Karney's B₁, B₂, B₃ and B₁′.
struct SineSeries {
    var c1 = 0.0
    var c2 = 0.0
    var c3 = 0.0
    var c4 = 0.0
    var c5 = 0.0
    var c6 = 0.0

    /// The sum at σ, by Clenshaw's recurrence.
    @inline(__always)
    func callAsFunction(_ sigma: Direction) -> Double {
        let twice = 2 * (sigma.cosine - sigma.sine) * (sigma.cosine + sigma.sine)
        let b6 = c6
        let b5 = c5 + twice * b6
        let b4 = c4 + twice * b5 - b6
        let b3 = c3 + twice * b4 - b5
        let b2 = c2 + twice * b3 - b4
        let b1 = c1 + twice * b2 - b3
        return 2 * sigma.sine * sigma.cosine * b1
    }
}

/// The expansions of C. F. F. Karney, *Algorithms for geodesics*, J. Geodesy 87, 43–55 (2013), to order 6; equation
/// numbers are those of the paper. ε is its expansion parameter (16), n the third flattening.
enum KarneySeries {
    /// A₁ − 1, equation (17).
    @inline(__always)
    static func a1MinusOne(_ e: Double) -> Double {
        let e2 = e * e
        return (e2 * (64 + e2 * (4 + e2)) / 256 + e) / (1 - e)
    }

    /// The coefficients of B₁, equation (18).
    @inline(__always)
    static func c1(_ e: Double) -> SineSeries {
        let e2 = e * e
        let e4 = e2 * e2
        return SineSeries(
            c1: e * (-16 + e2 * (6 - e2)) / 32,
            c2: e2 * (-128 + e2 * (64 - 9 * e2)) / 2048,
            c3: e2 * e * (-16 + 9 * e2) / 768,
            c4: e4 * (-5 + 3 * e2) / 512,
            c5: e4 * e * -7 / 1280,
            c6: e4 * e2 * -7 / 2048)
    }

    /// The coefficients of the reverted series B₁′, equation (21).
    @inline(__always)
    static func c1Reverted(_ e: Double) -> SineSeries {
        let e2 = e * e
        let e4 = e2 * e2
        return SineSeries(
            c1: e * (768 + e2 * (-432 + 205 * e2)) / 1536,
            c2: e2 * (3840 + e2 * (-4736 + 4005 * e2)) / 12288,
            c3: e2 * e * (116 - 225 * e2) / 384,
            c4: e4 * (2695 - 7173 * e2) / 7680,
            c5: e4 * e * 3467 / 7680,
            c6: e4 * e2 * 38081 / 61440)
    }

    /// A₂ − 1, equation (42).
    @inline(__always)
    static func a2MinusOne(_ e: Double) -> Double {
        let e2 = e * e
        return (e2 * (-192 + e2 * (-28 - 11 * e2)) / 256 - e) / (1 + e)
    }

    /// The coefficients of B₂, equation (43).
    @inline(__always)
    static func c2(_ e: Double) -> SineSeries {
        let e2 = e * e
        let e4 = e2 * e2
        return SineSeries(
            c1: e * (16 + e2 * (2 + e2)) / 32,
            c2: e2 * (384 + e2 * (64 + 35 * e2)) / 2048,
            c3: e2 * e * (80 + 15 * e2) / 768,
            c4: e4 * (35 + 7 * e2) / 512,
            c5: e4 * e * 63 / 1280,
            c6: e4 * e2 * 77 / 2048)
    }

    /// A₃, equation (24).
    @inline(__always)
    static func a3(_ e: Double) -> Double {
        let n = WGS84.thirdFlattening
        let k5 = -3.0 / 128
        let k4 = (-3 - 2 * n) / 64
        let k3 = (-1 + n * (-3 - n)) / 16
        let k2 = (-2 + n * (-1 + 3 * n)) / 8
        let k1 = (-1 + n) / 2
        return 1 + e * (k1 + e * (k2 + e * (k3 + e * (k4 + e * k5))))
    }

    /// The coefficients of B₃, equation (25).
    @inline(__always)
    static func c3(_ e: Double) -> SineSeries {
        let n = WGS84.thirdFlattening
        let e2 = e * e
        let e3 = e2 * e
        let first =
            (1 - n) / 4 + e * ((1 - n * n) / 8 + e * ((3 + n * (3 - n)) / 64 + e * ((5 + 2 * n) / 128 + e * 3 / 128)))
        let second = (2 + n * (-3 + n)) / 32 + e * ((3 + n * (-2 - 3 * n)) / 64 + e * ((3 + n) / 128 + e * 5 / 256))
        let third = (5 + n * (-9 + 5 * n)) / 192 + e * ((9 - 10 * n) / 384 + e * 7 / 512)
        let fourth = (7 - 14 * n) / 512 + e * 7 / 512
        return SineSeries(
            c1: e * first, c2: e2 * second, c3: e3 * third, c4: e3 * e * fourth, c5: e3 * e2 * 21 / 2560, c6: 0)
    }
}
