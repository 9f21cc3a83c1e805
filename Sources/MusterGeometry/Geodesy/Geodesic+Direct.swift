/// The direct problem: finds the end of a geodesic from its start, direction and length. Section 3 of Karney (2013).
struct DirectSolution {
    let end: Coordinate
    /// Degrees, −180 to 180.
    let finalAzimuth: Double

    init(from start: Coordinate, azimuth: Double, distance: Double) {
        precondition(azimuth.isFinite && distance.isFinite, "a direction and a length are finite")
        let ratio = 1 - WGS84.flattening
        let alpha1 = Direction(degrees: azimuth.remainder(dividingBy: 360))
        let latitude = Direction(degrees: start.latitude)
        // The reduced latitude β₁, tan β = (1 − f) tan φ (6); its cosine is kept above 0, also at a pole.
        var beta1 = Direction(sine: ratio * latitude.sine, cosine: latitude.cosine).normalised()
        beta1.cosine = max(InverseSolution.tiny, beta1.cosine)

        // The auxiliary sphere at the start: α₀ (10), σ₁ (11), ω₁ (12).
        let sine0 = alpha1.sine * beta1.cosine
        let cosine0 = length(alpha1.cosine, alpha1.sine * beta1.sine)
        let onEquator = beta1.sine == 0 && alpha1.cosine == 0
        let sigma1 = Direction(sine: beta1.sine, cosine: onEquator ? 1 : beta1.cosine * alpha1.cosine)
        let omega1 = Direction(sine: sine0 * sigma1.sine, cosine: sigma1.cosine)
        let sigma1Unit = sigma1.normalised()

        let e = InverseSolution.expansion(cosine0 * cosine0 * WGS84.secondEccentricitySquared)  // (16)
        let a1 = 1 + KarneySeries.a1MinusOne(e)
        let c1 = KarneySeries.c1(e)
        let b11 = c1(sigma1Unit)

        // From the length to σ₁₂ through τ (7), (20).
        let tau12 = distance / (WGS84.polarRadius * a1)
        let shift = Direction(sine: sine(b11), cosine: cosine(b11))
        let tau1 = Direction(
            sine: sigma1Unit.sine * shift.cosine + sigma1Unit.cosine * shift.sine,
            cosine: sigma1Unit.cosine * shift.cosine - sigma1Unit.sine * shift.sine)
        let step = Direction(sine: sine(tau12), cosine: cosine(tau12))
        let tau2 = Direction(
            sine: tau1.sine * step.cosine + tau1.cosine * step.sine,
            cosine: tau1.cosine * step.cosine - tau1.sine * step.sine)
        let sigma12 = tau12 + KarneySeries.c1Reverted(e)(tau2) + b11
        let turn = Direction(sine: sine(sigma12), cosine: cosine(sigma12))
        let sigma2 = Direction(
            sine: sigma1Unit.sine * turn.cosine + sigma1Unit.cosine * turn.sine,
            cosine: sigma1Unit.cosine * turn.cosine - sigma1Unit.sine * turn.sine)

        // The end: β₂ and α₂ (13), (14), ω₂ (12), λ₁₂ (8).
        let beta2Sine = cosine0 * sigma2.sine
        var beta2Cosine = length(sine0, cosine0 * sigma2.cosine)
        var sigma2Cosine = sigma2.cosine
        if beta2Cosine == 0 {
            beta2Cosine = InverseSolution.tiny
            sigma2Cosine = InverseSolution.tiny
        }
        let alpha2 = Direction(sine: sine0, cosine: cosine0 * sigma2Cosine)
        let omega2 = Direction(sine: sine0 * sigma2.sine, cosine: sigma2Cosine)
        let omega12 = arcTangent(
            omega2.sine * omega1.cosine - omega2.cosine * omega1.sine,
            omega2.cosine * omega1.cosine + omega2.sine * omega1.sine)
        let c3 = KarneySeries.c3(e)
        let b3 = c3(Direction(sine: sigma2.sine, cosine: sigma2Cosine)) - c3(sigma1Unit)
        let lambda12 = omega12 - WGS84.flattening * sine0 * KarneySeries.a3(e) * (sigma12 + b3)

        let degrees = start.longitude + (lambda12 * (180 / Double.pi)).remainder(dividingBy: 360)
        let endLatitude = Direction(sine: beta2Sine, cosine: ratio * beta2Cosine).degrees
        self.end = Coordinate(
            validLatitude: max(-90, min(90, endLatitude)), longitude: degrees.remainder(dividingBy: 360))
        self.finalAzimuth = alpha2.degrees
    }
}
