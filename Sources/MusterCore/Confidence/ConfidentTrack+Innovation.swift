// A fix's innovation is where it lies from the estimate. Innovations have no mean as long as the estimate is right.

extension ConfidentTrack {
    /// The time constant of the mean, seconds.
    private static var innovationSeconds: Double { 180 }
    /// The largest weight of one fix in the mean, so that no fix is believed alone after a long gap.
    private static var innovationShare: Double { 1.0 / 3 }
    /// How far off zero the mean may be, in deviations. The deviation of the last fix's true error is 0.6 of these,
    /// because the filter takes errors for 1.6 times what receivers report.
    private static var innovationGate: Double { 1.5 }

    /// Averages a fix's innovation, in deviations, with those of the last minutes. A surprise counts as if it lay at
    /// the gate, in its direction.
    ///
    /// The exponential mean of a residual is a common test of whether a filter still follows what it measures; see
    /// Bar-Shalom, Li and Kirubarajan, "Estimation with Applications to Tracking and Navigation", 5.4.
    mutating func noteInnovation(_ step: Step, deviationMetres: Double) {
        let weight = min(step.elapsed / (step.elapsed + Self.innovationSeconds), Self.innovationShare)
        let unit = max(deviationMetres, step.metres / Self.gate)
        let (east, north) = step.innovation
        innovationEast += Float(weight * (east / unit - Double(innovationEast)))
        innovationNorth += Float(weight * (north / unit - Double(innovationNorth)))
    }

    /// Whether the fixes of the last minutes, this one included, lie so far on one side of the estimate that the device
    /// must have gone there.
    ///
    /// Poor fixes hardly move the estimate that good ones left: 300 m off with an accuracy of 100 m, they would need
    /// most of an hour, in which the device would count as still being where it was.
    func hasDrifted(to step: Step, deviationMetres: Double) -> Bool {
        let square = innovationEast * innovationEast + innovationNorth * innovationNorth
        let gate = Self.innovationGate
        return Double(square) >= gate * gate && step.metres >= gate * deviationMetres
    }
}
