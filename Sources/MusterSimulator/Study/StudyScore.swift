/// What a rule made of many runs.
package struct StudyScore: Hashable, Sendable {
    /// Every crossing that was told.
    package private(set) var flips = 0
    /// Exits told of someone who was inside.
    package private(set) var falseExits = 0
    /// Enters told of someone who was outside.
    package private(set) var falseEnters = 0
    /// How many true visits there were.
    package private(set) var visits = 0
    /// How many of them were noticed.
    package private(set) var entered = 0
    /// How often a probability was said, and how often it was so; by `StudyShare.bounds`.
    package private(set) var calibration = StudyShare.bounds.map { _ in StudyShare() }
    /// The fixes of someone inside, and on how many of them that was told.
    package private(set) var inside = StudyShare()
    /// The fixes of someone outside, and on how many of them that was told.
    package private(set) var outside = StudyShare()
    private var seconds = 0.0
    private var insideSeconds = 0.0
    private var enterDelays: [StudyOutcome.Visit.Delay?] = []
    private var exitDelays: [StudyOutcome.Visit.Delay?] = []

    /// Of no runs.
    package init() {}

    /// Flips a day.
    package var flipsPerDay: Double { Double(flips) / (seconds / 86_400) }
    /// Flips an hour.
    package var flipsPerHour: Double { Double(flips) / (seconds / 3600) }
    /// Flips for each true visit.
    package var flipsPerVisit: Double { Double(flips) / Double(visits) }
    /// False enters for each true visit.
    package var falseEntersPerVisit: Double { Double(falseEnters) / Double(visits) }
    /// False exits a day inside.
    package var falseExitsPerDay: Double { Double(falseExits) / (insideSeconds / 86_400) }
    /// False enters a day.
    package var falseEntersPerDay: Double { Double(falseEnters) / (seconds / 86_400) }
    /// Per cent of the visits that were never noticed.
    package var missedPercent: Double { 100 - enteredPercent }
    /// Per cent of the visits that were noticed.
    package var enteredPercent: Double { Double(entered) / Double(visits) * 100 }

    /// Seconds from the true enter to when it was told: a quantile of all visits, infinite when it never was.
    package func enterSeconds(_ share: Double) -> Double { quantile(enterDelays, share) { $0.seconds } }
    /// Seconds from the true exit to when it was told, of the visits that were noticed.
    package func exitSeconds(_ share: Double) -> Double { quantile(exitDelays, share) { $0.seconds } }
    /// Fixes from the true enter to the one that told it.
    package func enterFixes(_ share: Double) -> Double { quantile(enterDelays, share) { Double($0.fixes) } }
    /// Fixes from the true exit to the one that told it.
    package func exitFixes(_ share: Double) -> Double { quantile(exitDelays, share) { Double($0.fixes) } }

    /// Adds a run.
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

    /// Adds other runs.
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
        let sorted = delays.map { $0.map(value) ?? .infinity }.sorted()
        return sorted.isEmpty ? .nan : sorted[min(sorted.count - 1, Int(share * Double(sorted.count)))]
    }
}

/// Of how many there were, how many held.
package struct StudyShare: Hashable, Sendable {
    /// From which probability each entry of a list of these counts, up to the next one's.
    package static let bounds = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99]

    /// How many there were.
    package private(set) var all = 0
    /// How many of them held.
    package private(set) var held = 0

    /// Per cent that held.
    package var percent: Double { Double(held) / Double(all) * 100 }

    /// Counts one.
    mutating func count(_ holds: Bool) {
        all += 1
        if holds { held += 1 }
    }

    /// Adds others.
    package mutating func add(_ other: StudyShare) {
        all += other.all
        held += other.held
    }
}
