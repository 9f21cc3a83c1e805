/// The inverse problem: finds the shortest line between two places. Sections 4 and 5 of Karney (2013).
struct InverseSolution {
    /// Metres.
    private(set) var distance = 0.0
    /// The azimuth at the start.
    private(set) var departure = Direction(sine: 0, cosine: 1)
    /// The azimuth at the end.
    private(set) var arrival = Direction(sine: 0, cosine: 1)

    /// Smaller than any value that matters; its square is still above 0.
    static var tiny: Double { 0x1p-511 }

    /// ε of k², equation (16).
    @inline(__always)
    static func expansion(_ k2: Double) -> Double {
        k2 / (2 * (1 + (1 + k2).squareRoot()) + k2)
    }

    /// Solves for the line from one place to another.
    init(from start: Coordinate, to end: Coordinate) {
        var problem = InverseProblem(from: start, to: end)
        problem.solve()
        distance = problem.distance
        (departure, arrival) = problem.turnedBack()
    }
}

/// The inverse problem in its normal position, equation (44), and its solution.
struct InverseProblem {
    private let longitudeSign: Double
    private let latitudeSign: Double
    private let isSwapped: Bool
    let isFromPole: Bool
    /// λ₁₂, radians and as a direction.
    let lambda: Double
    let lambda12: Direction
    /// The reduced latitudes.
    var beta1: Direction
    var beta2: Direction
    /// √(1 + e′² sin² β).
    let dn1: Double
    let dn2: Double
    /// The unknown azimuth at the start.
    var alpha1 = Direction(sine: 0, cosine: 1)
    var alpha2 = Direction(sine: 0, cosine: 1)
    var distance = 0.0

    init(from start: Coordinate, to end: Coordinate) {
        // The difference of the longitudes, with its rounding error.
        let plain = end.longitude - start.longitude
        let virtual = plain - end.longitude
        let lost = (end.longitude - (plain - virtual)) + (-start.longitude - virtual)
        let turned = plain.remainder(dividingBy: 360)
        var difference = turned + lost
        longitudeSign = difference < 0 ? -1 : 1
        difference = abs(difference)
        if difference > 180 { difference = 180 }
        lambda = difference * (Double.pi / 180)
        // Close to 180° the supplement is exact where the angle itself is not.
        if difference > 90 {
            let supplement = ((180 - abs(turned)) - longitudeSign * lost) * (Double.pi / 180)
            let small = positive(supplement)
            lambda12 = Direction(sine: sine(small), cosine: -cosine(small))
        } else {
            lambda12 = Direction(sine: sine(lambda), cosine: cosine(lambda))
        }

        isSwapped = abs(start.latitude) < abs(end.latitude)
        var phi1 = isSwapped ? end.latitude : start.latitude
        var phi2 = isSwapped ? start.latitude : end.latitude
        latitudeSign = phi1 < 0 ? 1 : -1
        phi1 *= latitudeSign
        phi2 *= latitudeSign
        isFromPole = phi1 == -90

        let ratio = 1 - WGS84.flattening
        let first = Direction(degrees: phi1)
        let second = Direction(degrees: phi2)
        beta1 = Direction(sine: ratio * first.sine, cosine: first.cosine).normalised()
        beta2 = Direction(sine: ratio * second.sine, cosine: second.cosine).normalised()
        beta1.cosine = max(InverseSolution.tiny, beta1.cosine)
        beta2.cosine = max(InverseSolution.tiny, beta2.cosine)
        // Equal latitudes must give exactly equal numbers, or the root finder meets a false difference.
        if beta1.cosine < -beta1.sine {
            if beta2.cosine == beta1.cosine { beta2.sine = beta2.sine < 0 ? beta1.sine : -beta1.sine }
        } else if abs(beta2.sine) == -beta1.sine {
            beta2.cosine = beta1.cosine
        }
        let k = WGS84.secondEccentricitySquared
        dn1 = (1 + k * beta1.sine * beta1.sine).squareRoot()
        dn2 = (1 + k * beta2.sine * beta2.sine).squareRoot()
    }

    /// Returns the azimuths for the places as they were given.
    func turnedBack() -> (departure: Direction, arrival: Direction) {
        let first = isSwapped ? alpha2 : alpha1
        let second = isSwapped ? alpha1 : alpha2
        let sineSign = longitudeSign
        let cosineSign = isSwapped ? -latitudeSign : latitudeSign
        return (
            Direction(sine: first.sine * sineSign, cosine: first.cosine * cosineSign),
            Direction(sine: second.sine * sineSign, cosine: second.cosine * cosineSign)
        )
    }

    /// Finds the distance and both azimuths.
    mutating func solve() {
        if isFromPole || lambda12.sine == 0, solveOnMeridian() { return }
        if beta1.sine == 0, lambda <= (1 - WGS84.flattening) * Double.pi {
            // The equator is the shortest line up to λ₁₂ = (1 − f)π; section 4.
            alpha1 = Direction(sine: 1, cosine: 0)
            alpha2 = alpha1
            distance = WGS84.equatorialRadius * lambda
            return
        }
        if let short = estimate() {
            distance = short
            return
        }
        refine()
    }

    /// The line along a meridian, or false where it is not the shortest (nearly antipodal points).
    private mutating func solveOnMeridian() -> Bool {
        let departure = Direction(sine: lambda12.sine, cosine: lambda12.cosine)
        let sigma1 = Direction(sine: beta1.sine, cosine: departure.cosine * beta1.cosine)
        let sigma2 = Direction(sine: beta2.sine, cosine: beta2.cosine)
        let sigma12 = arcTangent(
            positive(sigma1.cosine * sigma2.sine - sigma1.sine * sigma2.cosine),
            sigma1.cosine * sigma2.cosine + sigma1.sine * sigma2.sine)
        let lengths = lengths(WGS84.thirdFlattening, sigma12, sigma1, sigma2)
        guard sigma12 < 1 || lengths.reduced >= 0 else { return false }
        alpha1 = departure
        alpha2 = Direction(sine: 0, cosine: 1)
        distance = sigma12 < 3 * InverseSolution.tiny ? 0 : lengths.distance * WGS84.polarRadius
        return true
    }

    /// s₁₂/b and m₁₂/b, equations (7), (38), (40).
    @inline(__always)
    func lengths(
        _ e: Double, _ sigma12: Double, _ sigma1: Direction, _ sigma2: Direction
    ) -> (distance: Double, reduced: Double) {
        let a1 = KarneySeries.a1MinusOne(e)
        let a2 = KarneySeries.a2MinusOne(e)
        let c1 = KarneySeries.c1(e)
        let c2 = KarneySeries.c2(e)
        let b1 = c1(sigma2) - c1(sigma1)
        let b2 = c2(sigma2) - c2(sigma1)
        let j12 = (a1 - a2) * sigma12 + ((1 + a1) * b1 - (1 + a2) * b2)
        let reduced =
            dn2 * (sigma1.cosine * sigma2.sine) - dn1 * (sigma1.sine * sigma2.cosine)
            - sigma1.cosine * sigma2.cosine * j12
        return ((1 + a1) * (sigma12 + b1), reduced)
    }
}
