// How the inverse problem finds its first azimuth α₁: a start, then Newton's method, kept between two bounds.

extension InverseProblem {
    private static var tolerance: Double { Double.ulpOfOne }
    private static var tolerance1: Double { 200 * Double.ulpOfOne }
    private static var tolerance2: Double { 0x1p-26 }
    /// Below this arc a line on the auxiliary sphere is as exact as the series.
    private static var shortArc: Double {
        let f = WGS84.flattening
        return 0.1 * tolerance2 / (f * (1 - f / 2) / 2).squareRoot()
    }

    /// Sets a first α₁; section 5 and the appendix. For short lines it solves the whole problem and returns the metres.
    mutating func estimate() -> Double? {
        let difference = Direction(
            sine: beta2.sine * beta1.cosine - beta2.cosine * beta1.sine,
            cosine: beta2.cosine * beta1.cosine + beta2.sine * beta1.sine)
        let sumSine = beta2.sine * beta1.cosine + beta2.cosine * beta1.sine
        let isShort = difference.cosine >= 0 && difference.sine < 0.5 && beta2.cosine * lambda < 0.5
        var dnMean = 1.0
        var omega = lambda12
        if isShort {
            // ω₁₂ = λ₁₂ / w̄, (48), (49).
            let sum = beta1.sine + beta2.sine
            let across = beta1.cosine + beta2.cosine
            let meanSquare = sum * sum / (sum * sum + across * across)
            dnMean = (1 + WGS84.secondEccentricitySquared * meanSquare).squareRoot()
            let angle = lambda / ((1 - WGS84.flattening) * dnMean)
            omega = Direction(sine: sine(angle), cosine: cosine(angle))
        }
        aim(along: omega, difference, sumSine)
        let arcSine = length(alpha1.sine, alpha1.cosine)
        let arcCosine = beta1.sine * beta2.sine + beta1.cosine * beta2.cosine * omega.cosine
        if isShort && arcSine < Self.shortArc {
            let versine = omega.cosine >= 0 ? omega.sine * omega.sine / (1 + omega.cosine) : 1 - omega.cosine
            alpha2 = Direction(
                sine: beta1.cosine * omega.sine,
                cosine: difference.sine - beta1.cosine * beta2.sine * versine
            ).normalisedOrEast()
            alpha1 = alpha1.normalisedOrEast()
            return arcTangent(arcSine, arcCosine) * WGS84.polarRadius * dnMean
        }
        let limit = 6 * WGS84.thirdFlattening * Double.pi * beta1.cosine * beta1.cosine
        if arcCosine < 0 && arcSine < limit { aimNearAntipode(sumSine) }
        alpha1 = alpha1.normalisedOrEast()
        return nil
    }

    /// α₁ of the great circle on the auxiliary sphere, (49); not normalised: its length is the sine of the arc.
    private mutating func aim(along omega: Direction, _ difference: Direction, _ sumSine: Double) {
        let across = beta2.cosine * beta1.sine * omega.sine * omega.sine
        alpha1 = Direction(
            sine: beta2.cosine * omega.sine,
            cosine: omega.cosine >= 0
                ? difference.sine + across / (1 + omega.cosine)
                : sumSine - across / (1 - omega.cosine))
    }

    /// α₁ from the astroid problem: the nearly antipodal case of section 5, (51)–(57).
    private mutating func aimNearAntipode(_ sumSine: Double) {
        let fromAntipode = arcTangent(-lambda12.sine, -lambda12.cosine)
        let k2 = beta1.sine * beta1.sine * WGS84.secondEccentricitySquared
        let a3 = KarneySeries.a3(InverseSolution.expansion(k2))
        let longitudeScale = WGS84.flattening * beta1.cosine * a3 * Double.pi
        let x = fromAntipode / longitudeScale
        let y = sumSine / (longitudeScale * beta1.cosine)
        if y > -Self.tolerance1 && x > -1 - 1000 * Self.tolerance2 {
            let s = min(1, -x)
            alpha1 = Direction(sine: s, cosine: -(1 - s * s).squareRoot())
            return
        }
        let k = Self.astroid(x, y)
        let angle = longitudeScale * -x * k / (1 + k)
        let omega = Direction(sine: sine(angle), cosine: -cosine(angle))
        alpha1 = Direction(
            sine: beta2.cosine * omega.sine,
            cosine: sumSine - beta2.cosine * beta1.sine * omega.sine * omega.sine / (1 - omega.cosine))
    }

    /// The positive root κ of κ⁴ + 2κ³ − (x² + y² − 1)κ² − 2y²κ − y² = 0, (55).
    private static func astroid(_ x: Double, _ y: Double) -> Double {
        let p = x * x
        let q = y * y
        let r = (p + q - 1) / 6
        if q == 0 && r <= 0 { return 0 }
        let s = p * q / 4
        let r3 = r * r * r
        let discriminant = s * (s + 2 * r3)
        var u = r
        if discriminant >= 0 {
            var t3 = s + r3
            t3 += t3 < 0 ? -discriminant.squareRoot() : discriminant.squareRoot()
            let t = cubeRoot(t3)
            u += t + (t != 0 ? r * r / t : 0)
        } else {
            let angle = arcTangent((-discriminant).squareRoot(), -(s + r3))
            u += 2 * r * cosine(angle / 3)
        }
        let v = (u * u + q).squareRoot()
        let uv = u < 0 ? q / (v - u) : u + v
        let w = (uv - q) / (2 * v)
        return uv / ((uv + w * w).squareRoot() + w)
    }

    /// Newton's method on λ₁₂(α₁), with bisection where a step would leave the bounds; section 4.
    mutating func refine() {
        let newtonSteps = 20
        let allSteps = newtonSteps + 53 + 10
        var low = Direction(sine: InverseSolution.tiny, cosine: 1)
        var high = Direction(sine: InverseSolution.tiny, cosine: -1)
        var isNear = false
        var isClosed = false
        var trial = trial()
        for step in 0..<allSteps {
            trial = self.trial()
            let error = trial.error
            if isClosed || !(abs(error) >= (isNear ? 8 : 1) * Self.tolerance) { break }
            let slope = alpha1.cosine / alpha1.sine
            if error > 0 && (step > newtonSteps || slope > high.cosine / high.sine) {
                high = alpha1
            } else if error < 0 && (step > newtonSteps || slope < low.cosine / low.sine) {
                low = alpha1
            }
            if step < newtonSteps && trial.derivative > 0 {
                let change = -error / trial.derivative
                let turn = Direction(sine: sine(change), cosine: cosine(change))
                let newSine = alpha1.sine * turn.cosine + alpha1.cosine * turn.sine
                if newSine > 0 && abs(change) < Double.pi {
                    let newCosine = alpha1.cosine * turn.cosine - alpha1.sine * turn.sine
                    alpha1 = Direction(sine: newSine, cosine: newCosine).normalised()
                    isNear = abs(error) <= 16 * Self.tolerance
                    continue
                }
            }
            alpha1 = Direction(sine: (low.sine + high.sine) / 2, cosine: (low.cosine + high.cosine) / 2).normalised()
            isNear = false
            isClosed =
                abs(low.sine - alpha1.sine) + (low.cosine - alpha1.cosine) < Self.tolerance
                || abs(alpha1.sine - high.sine) + (alpha1.cosine - high.cosine) < Self.tolerance
        }
        alpha2 = trial.alpha2
        distance = lengths(trial.e, trial.sigma12, trial.sigma1, trial.sigma2).distance * WGS84.polarRadius
    }

    /// The result of a trial α₁.
    private struct Trial {
        let alpha2: Direction
        let sigma1: Direction
        let sigma2: Direction
        let sigma12: Double
        let e: Double
        /// The λ₁₂ reached minus the λ₁₂ sought, and its derivative by α₁ (46).
        let error: Double
        let derivative: Double
    }

    /// Follows the geodesic with the present α₁ to the latitude of point 2; (45), (8), (46).
    private mutating func trial() -> Trial {
        // A line that leaves the equator along it has no slope, so its azimuth is changed by a tiny amount.
        if beta1.sine == 0 && alpha1.cosine == 0 { alpha1.cosine = -InverseSolution.tiny }
        let sine0 = alpha1.sine * beta1.cosine
        let cosine0 = length(alpha1.cosine, alpha1.sine * beta1.sine)
        let omega1 = Direction(sine: sine0 * beta1.sine, cosine: alpha1.cosine * beta1.cosine)
        let sigma1 = Direction(sine: beta1.sine, cosine: omega1.cosine).normalised()

        let isSame = beta2.cosine == beta1.cosine
        let sine2 = isSame ? alpha1.sine : sine0 / beta2.cosine
        var cosine2 = abs(alpha1.cosine)
        if !isSame || abs(beta2.sine) != -beta1.sine {
            let along = alpha1.cosine * beta1.cosine
            let gain =
                beta1.cosine < -beta1.sine
                ? (beta2.cosine - beta1.cosine) * (beta1.cosine + beta2.cosine)
                : (beta1.sine - beta2.sine) * (beta1.sine + beta2.sine)
            cosine2 = max(0, along * along + gain).squareRoot() / beta2.cosine
        }
        let omega2 = Direction(sine: sine0 * beta2.sine, cosine: cosine2 * beta2.cosine)
        let sigma2 = Direction(sine: beta2.sine, cosine: omega2.cosine).normalised()
        let sigma12 = arcTangent(
            positive(sigma1.cosine * sigma2.sine - sigma1.sine * sigma2.cosine),
            sigma1.cosine * sigma2.cosine + sigma1.sine * sigma2.sine)

        let omega12 = Direction(
            sine: positive(omega1.cosine * omega2.sine - omega1.sine * omega2.cosine),
            cosine: omega1.cosine * omega2.cosine + omega1.sine * omega2.sine)
        let beyond = arcTangent(
            omega12.sine * lambda12.cosine - omega12.cosine * lambda12.sine,
            omega12.cosine * lambda12.cosine + omega12.sine * lambda12.sine)
        let e = InverseSolution.expansion(cosine0 * cosine0 * WGS84.secondEccentricitySquared)
        let c3 = KarneySeries.c3(e)
        let b3 = c3(sigma2) - c3(sigma1)
        let error = beyond - WGS84.flattening * KarneySeries.a3(e) * sine0 * (sigma12 + b3)

        let ratio = 1 - WGS84.flattening
        let derivative =
            cosine2 == 0
            ? -2 * ratio * dn1 / beta1.sine
            : lengths(e, sigma12, sigma1, sigma2).reduced * ratio / (cosine2 * beta2.cosine)
        return Trial(
            alpha2: Direction(sine: sine2, cosine: cosine2), sigma1: sigma1, sigma2: sigma2, sigma12: sigma12, e: e,
            error: error, derivative: derivative)
    }
}

extension Direction {
    /// The same direction with length 1; due east where its sine is not above 0.
    func normalisedOrEast() -> Direction {
        sine > 0 ? normalised() : Direction(sine: 1, cosine: 0)
    }
}
