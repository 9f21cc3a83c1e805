import MusterGeometry

// A fix that does not fit is a surprise: the device moved unseen, or the fix is wrong. The next fixes decide which.

extension ConfidentTrack {
    /// Outlier rejection: checks a fix that is too far away to be averaged. The track moves to it after a long silence,
    /// or when further fixes confirm it for long enough.
    mutating func weighSurprise(_ step: Step) {
        endPath()
        if step.isFine && step.elapsed >= Self.silenceSeconds { return restart(at: step) }
        if surprises == 0 { gapMilliseconds = fittedMilliseconds }
        // The better fix speaks again, and worse ones go on contradicting it. One that is as bad as they replaces it.
        if step.variance > Self.contradictingShare * Double(candidateVariance) { isContradicted = 0 }
        let spread = Self.gate * (step.variance + Double(candidateVariance)).squareRoot()
        if surprises > 0 && step.metres(from: candidate) <= spread + Self.greatestSpeed * step.elapsed {
            surprises = 2
            candidate = Mark(step, ageMilliseconds: candidate.ageMilliseconds)
        } else {
            surprises = 1
            steadyCount = 0
            candidate = Mark(step)
            candidateStart = candidate
            candidateStartVariance = Float(step.variance)
        }
        countSteady(step, reach: spread + Self.steadySpeed * step.elapsed)
        candidateVariance = Float(step.variance)
        variance += Float(Self.diffusion * step.elapsed)
        let hasMoved = hasCandidateMoved(to: step)
        // A device whose fixes moved this far reports wrongly that it stands.
        if hasMoved && saysThatItStands(step) { doubtsStanding = 1 }
        if hasMoved && takePath(to: step) { return }
        if isBorneOut(by: step, hasMoved: hasMoved) { restart(at: step) }
    }

    /// Counts the accurate surprises that lie near the first of them.
    private mutating func countSteady(_ step: Step, reach: Double) {
        guard step.isFine && step.accuracy <= Self.steadyAccuracy else { return }
        if steadyCount > 0 && step.metres(from: steady) <= reach {
            steadyCount = min(steadyCount, .max - 1) + 1
        } else {
            steadyCount = 1
            steady = Mark(step)
        }
    }

    /// Whether the surprises themselves have moved by more than their errors. A wrong place stays or jumps back; only a
    /// moving device goes on from one wrong place to the next.
    private func hasCandidateMoved(to step: Step) -> Bool {
        let spread = (step.variance + Double(candidateStartVariance)).squareRoot()
        return step.metres(from: candidateStart) > Self.gate * spread
    }

    /// Whether the surprises so far are enough to believe them.
    private func isBorneOut(by step: Step, hasMoved: Bool) -> Bool {
        if haveSurprisesDrifted(to: step) { return true }
        guard surprises >= 2 else { return false }
        let gap = Double(gapMilliseconds) / 1000
        let mayHaveArrived = gap >= Self.gapSeconds && step.metres <= Self.greatestSpeed * gap
        if mayHaveArrived && hasSteadied { return true }
        let stands = saysThatItStands(step) && !hasMoved && !mayHaveArrived && step.elapsed <= Self.gapSeconds
        return candidate.ageMilliseconds >= (stands ? Self.stillMilliseconds : Self.persistenceMilliseconds)
    }

    /// Whether a surprise was dismissed or believed less than 20 s ago, and no three of them agreed.
    var isUnsteady: Bool {
        steadyCount > 0 && steadyCount < Self.steadyFixes && steady.ageMilliseconds < Self.steadyMilliseconds
    }

    /// Whether three accurate surprises of the last series, over 20 s or more, agreed on one place.
    var hasSteadied: Bool {
        steadyCount >= Self.steadyFixes && steady.ageMilliseconds >= Self.steadyMilliseconds
    }

    /// Whether the device reports that it stands, with this fix or with the one before: measured speeds scatter.
    private func saysThatItStands(_ step: Step) -> Bool {
        guard let said = step.saidSpeed else { return false }
        return said < Self.leastSpeed || speed == 0
    }

    /// Records whether a fix that fits contradicts a much better fix, which was a surprise. The filter does not know
    /// which of the two is right. The contradiction lasts until a fix fits that is not much worse than the surprise.
    mutating func noteContradiction(by step: Step) {
        let isWorse = step.variance > Self.contradictingShare * Double(candidateVariance)
        isContradicted = isWorse && (surprises > 0 || isContradicted == 1) ? 1 : 0
    }

    /// The last surprise, when only much worse fixes have contradicted it; otherwise nil.
    @inline(__always)
    var contradiction: (coordinate: Coordinate, deviationMetres: Double)? {
        guard isContradicted == 1 else { return nil }
        return (coordinate(of: candidate), Double(candidateVariance).squareRoot())
    }

    /// Moves the track to a fix, as if the fix were its first one.
    mutating func restart(at step: Step) {
        if !hasSteadied { (steadyCount, steady) = (1, Mark()) }
        variance = Float(step.variance)
        lasting = Float(Self.lastingShare * step.variance)
        surprises = 0
        isContradicted = 0
        (innovationEast, innovationNorth, usualDeviation) = (0, 0, Float(step.fineDeviation))
        if step.isFine { fittedMilliseconds = 0 }
        move(eastDegrees: step.eastDegrees, northDegrees: step.northDegrees)
    }
}
