import MusterCore
package import MusterGeometry

/// One phone's way past some regions, judged by several rules.
package struct StudyRun: Sendable {
    /// The phone's true way.
    package var path: StudyPath
    /// The noise of its fixes.
    package var noise: Noise
    /// When it takes fixes.
    package var sampling: StudySampling
    package var regions: [StudyRegion]
    package var rules: [StudyRule]
    /// Visits that are shorter than this do not count.
    package var leastVisitSeconds = 0.0

    package init(
        _ path: StudyPath, _ noise: Noise, _ sampling: StudySampling, regions: [StudyRegion],
        rules: [StudyRule] = StudyRule.compared
    ) {
        self.path = path
        self.noise = noise
        self.sampling = sampling
        self.regions = regions
        self.rules = rules
    }

    /// Returns the outcomes: for each region, for each rule.
    package func outcomes(chance: SeededRandom) -> [[StudyOutcome]] {
        var watches = regions.map { region in
            let visits = path.visits(to: region)
            return rules.map { StudyWatch($0, region, visits: visits, leastSeconds: leastVisitSeconds) }
        }
        var phone = StudyPhone(path, noise, sampling, chance: chance)
        while let fix = phone.next() {
            for region in watches.indices {
                for rule in watches[region].indices { watches[region][rule].evaluateFix(fix) }
            }
        }
        return watches.map { $0.map { $0.finished(after: path.seconds) } }
    }
}

/// The outcome of a rule for one phone and one region.
package struct StudyOutcome: Hashable, Sendable {
    /// A true visit, and how late the rule noticed it; nil for never.
    package struct Visit: Hashable, Sendable {
        /// The delay from the true enter or exit to the fix at which the rule reported it.
        package struct Delay: Hashable, Sendable {
            package var seconds: Double
            /// The delay in fixes, with the one at which the rule reported it.
            package var fixes: Int
        }
        package var enter: Delay?
        /// The delay of the exit; nil too when no enter was reported.
        package var exit: Delay?
    }

    /// The number of reported crossings.
    package var flips = 0
    /// The fixes while the person was inside; `held` counts those at which the rule's standing was inside.
    package var inside = StudyShare()
    /// The fixes while the person was outside; `held` counts those at which the rule's standing was outside.
    package var outside = StudyShare()
    /// The number of exits reported while the person was inside.
    package var falseExits = 0
    /// The number of enters reported while the person was outside.
    package var falseEnters = 0
    /// The true visits that began.
    package var visits: [Visit] = []
    /// The seconds that the person was truly inside.
    package var insideSeconds = 0.0
    /// All seconds of the run.
    package var seconds = 0.0
    /// By `StudyShare.bounds`: the fixes with a probability of that size; `held` counts those at which the person was
    /// inside.
    package var calibration = StudyShare.bounds.map { _ in StudyShare() }
}

/// A judge, and the truth that its verdicts are compared with.
private struct StudyWatch {
    private let region: StudyRegion
    private let visits: [ClosedRange<Double>]
    private let leastSeconds: Double
    private var judge: StudyJudge
    private var outcome = StudyOutcome()
    /// The index of the present visit, or of the last one.
    private var visit = -1
    private var fixes = 0

    init(_ rule: StudyRule, _ region: StudyRegion, visits: [ClosedRange<Double>], leastSeconds: Double) {
        self.region = region
        self.visits = visits
        self.leastSeconds = leastSeconds
        judge = StudyJudge(rule)
    }

    mutating func evaluateFix(_ fix: StudyPhone.Fix) {
        let crossing = judge.evaluateFix(fix, of: region)
        while visit + 1 < visits.count, visits[visit + 1].lowerBound <= fix.seconds {
            visit += 1
            outcome.visits.append(StudyOutcome.Visit())
            fixes = 0
        }
        let isInside = visit >= 0 && fix.seconds <= visits[visit].upperBound
        if isInside {
            outcome.inside.count(judge.standing == .inside)
        } else {
            outcome.outside.count(judge.standing == .outside)
        }
        if crossing != nil { outcome.flips += 1 }
        if crossing == .exit && isInside { outcome.falseExits += 1 }
        if crossing == .enter && !isInside { outcome.falseEnters += 1 }
        if judge.rule.thresholds != nil && fix.isSettled {
            let place = StudyShare.bounds.lastIndex { $0 <= judge.probability } ?? 0
            outcome.calibration[place].count(isInside)
        }
        if visit >= 0 { recordVisit(fix, isInside: isInside) }
    }

    private mutating func recordVisit(_ fix: StudyPhone.Fix, isInside: Bool) {
        let times = visits[visit]
        if outcome.visits[visit].enter == nil {
            fixes += 1
            if judge.standing == .inside {
                outcome.visits[visit].enter = .init(seconds: fix.seconds - times.lowerBound, fixes: fixes)
                fixes = 0
            }
        } else if isInside {
            fixes = 0
        }
        guard !isInside, outcome.visits[visit].enter != nil, outcome.visits[visit].exit == nil else { return }
        fixes += 1
        if judge.standing == .outside {
            outcome.visits[visit].exit = .init(seconds: fix.seconds - times.upperBound, fixes: fixes)
        }
    }

    func finished(after seconds: Double) -> StudyOutcome {
        var result = outcome
        result.visits = zip(outcome.visits, visits).filter { _, times in
            times.upperBound - times.lowerBound >= leastSeconds
        }.map { $0.0 }
        result.seconds = seconds
        result.insideSeconds = visits.reduce(0) { $0 + min($1.upperBound, seconds) - $1.lowerBound }
        return result
    }
}
