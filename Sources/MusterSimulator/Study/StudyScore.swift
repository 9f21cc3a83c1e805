/// The score of a rule in many runs.
package struct StudyScore: Hashable, Sendable {
    /// The number of reported crossings.
    package private(set) var flips = 0
    /// The number of exits reported while the person was inside.
    package private(set) var falseExits = 0
    /// The number of enters reported while the person was outside.
    package private(set) var falseEnters = 0
    /// The number of true visits.
    package private(set) var visits = 0
    /// The number of true visits that the rule noticed.
    package private(set) var entered = 0
    /// By `StudyShare.bounds`: the fixes with a probability of that size; `held` counts those at which the person was
    /// inside.
    package private(set) var calibration = StudyShare.bounds.map { _ in StudyShare() }
    /// The fixes while the person was inside; `held` counts those at which the rule's standing was inside.
    package private(set) var inside = StudyShare()
    /// The fixes while the person was outside; `held` counts those at which the rule's standing was outside.
    package private(set) var outside = StudyShare()
    private var seconds = 0.0
    private var insideSeconds = 0.0
    private var enterDelays: [StudyOutcome.Visit.Delay?] = []
    private var exitDelays: [StudyOutcome.Visit.Delay?] = []

    /// Creates the score of no runs.
    package init() {}

    /// Reported crossings a day.
    package var flipsPerDay: Double { Double(flips) / (seconds / 86_400) }
    /// Reported crossings an hour.
    package var flipsPerHour: Double { Double(flips) / (seconds / 3600) }
    /// Reported crossings for each true visit.
    package var flipsPerVisit: Double { Double(flips) / Double(visits) }
    /// False enters for each true visit.
    package var falseEntersPerVisit: Double { Double(falseEnters) / Double(visits) }
    /// False exits a day inside.
    package var falseExitsPerDay: Double { Double(falseExits) / (insideSeconds / 86_400) }
    /// False enters a day.
    package var falseEntersPerDay: Double { Double(falseEnters) / (seconds / 86_400) }
    /// The percentage of true visits that the rule never noticed.
    package var missedPercent: Double { 100 - enteredPercent }
    /// The percentage of true visits that the rule noticed.
    package var enteredPercent: Double { Double(entered) / Double(visits) * 100 }

    /// Returns a quantile of the seconds from the true enter to its report, over all visits; infinite for a visit never
    /// noticed.
    package func enterSeconds(_ share: Double) -> Double { quantile(enterDelays, share) { $0.seconds } }
    /// Returns a quantile of the seconds from the true exit to its report, over the noticed visits.
    package func exitSeconds(_ share: Double) -> Double { quantile(exitDelays, share) { $0.seconds } }
    /// Returns a quantile of the fixes from the true enter to its report, over all visits.
    package func enterFixes(_ share: Double) -> Double { quantile(enterDelays, share) { Double($0.fixes) } }
    /// Returns a quantile of the fixes from the true exit to its report, over the noticed visits.
    package func exitFixes(_ share: Double) -> Double { quantile(exitDelays, share) { Double($0.fixes) } }

    /// Adds the outcome of a run.
    mutating func add(_ outcome: StudyOutcome) {
        flips += outcome.flips
        falseExits += outcome.falseExits
        falseEnters += outcome.falseEnters
        inside.add(outcome.inside)
        outside.add(outcome.outside)
        visits += outcome.visits.count
        seconds += outcome.seconds
        insideSeconds += outcome.insideSeconds
        for visit in outcome.visits {
            enterDelays.append(visit.enter)
            guard visit.enter != nil else { continue }
            entered += 1
            exitDelays.append(visit.exit)
        }
        for index in calibration.indices { calibration[index].add(outcome.calibration[index]) }
    }

    /// Adds the score of other runs.
    package mutating func add(_ other: StudyScore) {
        flips += other.flips
        falseExits += other.falseExits
        falseEnters += other.falseEnters
        inside.add(other.inside)
        outside.add(other.outside)
        visits += other.visits
        entered += other.entered
        seconds += other.seconds
        insideSeconds += other.insideSeconds
        enterDelays += other.enterDelays
        exitDelays += other.exitDelays
        for index in calibration.indices { calibration[index].add(other.calibration[index]) }
    }

    private func quantile(
        _ delays: [StudyOutcome.Visit.Delay?], _ share: Double, _ value: (StudyOutcome.Visit.Delay) -> Double
    ) -> Double {
        delays.map { $0.map(value) ?? .infinity }.quantile(share)
    }
}

extension [Double] {
    /// Returns the number below which a share of the numbers lie; NaN for no numbers.
    func quantile(_ share: Double) -> Double {
        let sorted = sorted()
        return sorted.isEmpty ? .nan : sorted[Swift.min(sorted.count - 1, Int(share * Double(sorted.count)))]
    }
}

/// A share: a number of cases, and how many of them held.
package struct StudyShare: Hashable, Sendable {
    /// The lower bound of the probability of each entry in a list of shares; an entry reaches to the next bound.
    package static let bounds = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99]

    /// The number of cases.
    package private(set) var all = 0
    /// The number of cases that held.
    package private(set) var held = 0

    /// The percentage of cases that held.
    package var percent: Double { Double(held) / Double(all) * 100 }

    /// Counts one case.
    mutating func count(_ holds: Bool) {
        all += 1
        if holds { held += 1 }
    }

    /// Adds the cases of another share.
    package mutating func add(_ other: StudyShare) {
        all += other.all
        held += other.held
    }
}
