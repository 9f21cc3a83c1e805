import MusterCore

/// One phone's way past some regions, watched under several rules.
package struct StudyRun: Sendable {
    /// Where it truly is.
    package var path: StudyPath
    /// How its fixes err.
    package var noise: Noise
    /// How often it takes them.
    package var sampling: StudySampling
    /// What it may be in.
    package var regions: [StudyRegion]
    /// The rules that watch.
    package var rules: [StudyRule]
    /// Visits that are shorter than this do not count.
    package var leastVisitSeconds = 0.0

    /// A run.
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

    /// What happened: for each region, for each rule.
    package func outcomes(chance: SeededRandom) -> [[StudyOutcome]] {
        var watches = regions.map { region in
            let visits = path.visits(to: region)
            return rules.map { StudyWatch($0, region, visits: visits, leastSeconds: leastVisitSeconds) }
        }
        var phone = StudyPhone(path, noise, sampling, chance: chance)
        while let fix = phone.next() {
            for region in watches.indices {
                for rule in watches[region].indices { watches[region][rule].hear(fix) }
            }
        }
        return watches.map { $0.map { $0.finished(after: path.seconds) } }
    }
}

/// What a rule made of a phone and a region.
package struct StudyOutcome: Hashable, Sendable {
    /// A true visit, and how late it was noticed; nil: never.
    package struct Visit: Hashable, Sendable {
        /// From the true enter, or exit, to the fix that told it.
        package struct Delay: Hashable, Sendable {
            /// Seconds.
            package var seconds: Double
            /// Fixes, the telling one among them.
            package var fixes: Int
        }
        /// Of the enter.
        package var enter: Delay?
        /// Of the exit; nil too where there was no enter.
        package var exit: Delay?
    }

    /// Every crossing that was told.
    package var flips = 0
    /// The fixes of someone inside, and on how many of them that was told.
    package var inside = StudyShare()
    /// The fixes of someone outside, and on how many of them that was told.
    package var outside = StudyShare()
    /// Exits told of someone who was inside.
    package var falseExits = 0
    /// Enters told of someone who was outside.
    package var falseEnters = 0
    /// The true visits that had begun.
    package var visits: [Visit] = []
    /// Seconds truly inside.
    package var insideSeconds = 0.0
    /// Seconds in all.
    package var seconds = 0.0
    /// The fixes on which a probability was said, and on how many of them it was so; by `StudyShare.bounds`.
    package var calibration = StudyShare.bounds.map { _ in StudyShare() }
}

/// A judge, and the truth that it is held against.
private struct StudyWatch {
    private let region: StudyRegion
    private let visits: [ClosedRange<Double>]
    private let leastSeconds: Double
    private var judge: StudyJudge
    private var outcome = StudyOutcome()
    /// The visit that is, or was the last.
    private var visit = -1
    private var fixes = 0

    init(_ rule: StudyRule, _ region: StudyRegion, visits: [ClosedRange<Double>], leastSeconds: Double) {
        self.region = region
        self.visits = visits
        self.leastSeconds = leastSeconds
        judge = StudyJudge(rule)
    }

    mutating func hear(_ fix: StudyPhone.Fix) {
        let crossing = judge.hear(fix, of: region)
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
        if visit >= 0 { note(fix, isInside: isInside) }
    }

    private mutating func note(_ fix: StudyPhone.Fix, isInside: Bool) {
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
