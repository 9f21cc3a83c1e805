// A fix's innovation is where it lies from the estimate. Innovations have no mean as long as the estimate is right.

extension ConfidentTrack {
    /// The time constant of the mean, seconds.
    private static var innovationSeconds: Double { 180 }
    /// The largest weight of one fix in the mean, so that no fix is believed alone after a long gap.
    private static var innovationShare: Double { 1.0 / 3 }
    /// How far off zero the mean may be, in deviations. The deviation of the last fix's true error is 0.6 of these,
    /// because the filter takes errors for 1.6 times what receivers report.
    private static var innovationGate: Double { 1.5 }
    /// How far off zero the mean may be while surprises are checked. From surprises alone it is so far off after more
    /// than the 180 s for which those of a device that says it stands must persist.
    private static var surpriseInnovationGate: Double { 2.25 }

    /// Averages a fix's innovation, in deviations, with those of the last minutes. A surprise counts as if it lay at
    /// the gate, in its direction.
    ///
    /// The exponential mean of a residual is a common test of whether a filter still follows what it measures; see
    /// Bar-Shalom, Li and Kirubarajan, "Estimation with Applications to Tracking and Navigation", 5.4. A fix that is
    /// better than the usual one of the last minutes takes as much more of their mean away: a good fix where the
    /// estimate is shows that poor ones beside it err alike.
    mutating func noteInnovation(_ step: Step, deviationMetres: Double) {
        let weight = min(step.elapsed / (step.elapsed + Self.innovationSeconds), Self.innovationShare)
        let unit = max(deviationMetres, step.metres / Self.gate)
        let usual = Double(usualDeviation)
        let better = max(usual * usual / step.variance, 1)
        let kept = 1 - min(weight * better, 1)
        let (east, north) = step.innovation
        innovationEast = Float(kept * Double(innovationEast) + weight * east / unit)
        innovationNorth = Float(kept * Double(innovationNorth) + weight * north / unit)
        usualDeviation += Float(weight * (step.fineDeviation - usual))
    }

    /// Whether the fixes of the last minutes, this one included, lie so far on one side of the estimate that the device
    /// must have gone there.
    ///
    /// Poor fixes hardly move the estimate that good ones left: 300 m off with an accuracy of 100 m, they would need
    /// most of an hour, in which the device would count as still being where it was.
    func hasDrifted(to step: Step, deviationMetres: Double) -> Bool {
        liesWithMean(step, beyond: Self.innovationGate, metres: Self.innovationGate * deviationMetres)
    }

    /// Whether surprises that contradict each other all lie on one side of the estimate, so that the device is not
    /// where it was, wherever it is.
    func haveSurprisesDrifted(to step: Step) -> Bool {
        liesWithMean(step, beyond: Self.surpriseInnovationGate, metres: 0)
    }

    /// Whether the mean innovation is so many deviations off zero, and a fix lies at least so many metres away in its
    /// direction.
    private func liesWithMean(_ step: Step, beyond deviations: Double, metres: Double) -> Bool {
        let (east, north) = (Double(innovationEast), Double(innovationNorth))
        let square = east * east + north * north
        let innovation = step.innovation
        return square >= deviations * deviations
            && innovation.east * east + innovation.north * north >= metres * square.squareRoot()
    }
}
