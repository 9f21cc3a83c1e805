// A fix's innovation is its offset from the estimate. The mean of the innovations is zero as long as the estimate is
// right.

extension ConfidentTrack {
    /// The time constant of the mean, seconds.
    private static var innovationSeconds: Double { 180 }
    /// The largest weight of one fix in the mean, so that no fix is believed alone after a long gap.
    private static var innovationShare: Double { 1.0 / 3 }
    /// How far off zero the mean may be, in deviations. The deviation of the last fix's true error is 0.6 of these,
    /// because the filter takes errors for 1.6 times what receivers report.
    private static var innovationGate: Double { 1.5 }
    /// The same gate while surprises are checked. Surprises alone move the mean this far only after more than 180 s,
    /// for which the surprises of a device that reports that it stands must persist.
    private static var surpriseInnovationGate: Double { 2.25 }

    /// Averages a fix's innovation, in deviations, with those of the last minutes. A surprise counts as if it lay at
    /// the gate, in its direction.
    ///
    /// The exponential mean of a residual is a common test of whether a filter still follows what it measures; see
    /// Bar-Shalom, Li and Kirubarajan, "Estimation with Applications to Tracking and Navigation", 5.4. A fix that is
    /// better than the usual one of the last minutes reduces the mean by more, in proportion to the variances: a good
    /// fix at the estimate shows that the poor fixes beside it share an error.
    mutating func noteInnovation(_ step: Step, deviationMetres: Double) {
        let weight = min(step.elapsed / (step.elapsed + Self.innovationSeconds), Self.innovationShare)
        let unit = max(deviationMetres, step.metres / Self.gate)
        let usual = Double(usualDeviation)
        let kept = usual > step.deviation ? 1 - min(weight * usual * usual / step.variance, 1) : 1 - weight
        let (east, north) = step.innovation
        let scale = weight / unit
        innovationEast = Float(kept * Double(innovationEast) + scale * east)
        innovationNorth = Float(kept * Double(innovationNorth) + scale * north)
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

    /// Whether surprises that do not confirm each other all lie on one side of the estimate. Then the device has left
    /// the estimate, although the surprises do not agree on where it is.
    func haveSurprisesDrifted(to step: Step) -> Bool {
        liesWithMean(step, beyond: Self.surpriseInnovationGate, metres: 0)
    }

    /// Whether the mean innovation is so many deviations off zero, and a fix lies at least so many metres away in its
    /// direction.
    private func liesWithMean(_ step: Step, beyond deviations: Double, metres: Double) -> Bool {
        let (east, north) = (Double(innovationEast), Double(innovationNorth))
        let square = east * east + north * north
        // Most fixes end here: this runs for every fix.
        guard square >= deviations * deviations else { return false }
        let innovation = step.innovation
        return innovation.east * east + innovation.north * north >= metres * square.squareRoot()
    }
}
