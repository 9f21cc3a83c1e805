/// The score of a rule that says who counts as safe, in one run or many.
package struct SafetyScore: Hashable, Sendable {
    /// All seconds of the runs.
    var seconds = 0.0
    /// The seconds at which the rule said safe of a person who was truly 30 m or more outside.
    var wrongSeconds = 0.0
    /// The longest of these times without a break, seconds.
    package internal(set) var longestWrong = 0.0
    /// The number of runs with such a time of more than 45 s.
    package internal(set) var longWrongs = 0
    /// How often the rule began to say safe of a person so far outside.
    package internal(set) var madeSafe = 0
    /// The seconds at which the person was truly 15 m or more inside.
    var insideSeconds = 0.0
    /// How often the rule stopped saying safe of a person so far inside.
    var losses = 0
    /// For each such loss: how many fixes came until the rule said safe again, or until the person went nearer to the
    /// boundary or the run ended.
    var fixesBack: [Double] = []
    /// For each person who left and counted as safe: the seconds from the boundary until the rule said so no more.
    var leaving: [Double] = []
    /// For each person who arrived: the seconds from the boundary until the rule said safe; infinite when it never did.
    var arriving: [Double] = []

    /// Creates the score of no runs.
    package init() {}

    /// The seconds at which the rule said safe of a person who was 30 m or more outside, in an hour.
    package var wrongSecondsPerHour: Double { wrongSeconds / (seconds / 3600) }
    /// The losses of safe 15 m or more inside, in 100 hours there.
    package var lossesPer100Hours: Double { Double(losses) / (insideSeconds / 360_000) }
    /// All hours of the runs.
    package var hours: Double { seconds / 3600 }
    /// Returns a quantile of the fixes from a loss 15 m or more inside until the rule said safe again; 0 for no loss.
    package func fixesUntilSafeAgain(_ share: Double) -> Double { fixesBack.isEmpty ? 0 : fixesBack.quantile(share) }
    /// The number of people who left.
    package var exits: Int { leaving.count }

    /// Returns a quantile of the seconds from the boundary until a person who left did not count as safe any more.
    package func leavingSeconds(_ share: Double) -> Double { leaving.quantile(share) }
    /// Returns a quantile of the seconds from the boundary until a person who arrived counted as safe.
    package func arrivingSeconds(_ share: Double) -> Double { arriving.quantile(share) }

    /// Adds the score of other runs.
    package mutating func add(_ other: SafetyScore) {
        seconds += other.seconds
        wrongSeconds += other.wrongSeconds
        longestWrong = max(longestWrong, other.longestWrong)
        longWrongs += other.longWrongs
        madeSafe += other.madeSafe
        insideSeconds += other.insideSeconds
        losses += other.losses
        fixesBack += other.fixesBack
        leaving += other.leaving
        arriving += other.arriving
    }
}

/// Compares what a rule says of one person with the truth, second by second.
struct SafetyWatch {
    private(set) var score = SafetyScore()

    /// How far outside a person must truly be for "safe" to be wrong, metres.
    private static let wrongMetres = 30.0
    /// How deep inside a person must truly be for a loss of "safe" to be wrong, metres.
    private static let lossMetres = 15.0
    /// How long a wrong "safe" must last to count as a long one, seconds.
    private static let longSeconds = 45.0

    private var wasSafe = false
    private var wasInside: Bool?
    private var wrongSince: Double?
    private var leftAt: Double?
    private var arrivedAt: Double?
    /// How many fixes had come when the rule stopped saying safe of a person far inside.
    private var fixesAtLoss: Int?
    private var fixesSoFar = 0

    /// Compares a second.
    ///
    /// - Parameters:
    ///   - isSafe: whether the rule says safe.
    ///   - depth: how deep inside the person truly is, metres; negative outside.
    ///   - fixes: how many fixes of the person's phones have come so far.
    mutating func compare(isSafe: Bool, depth: Double, at second: Double, fixes: Int) {
        score.seconds += 1
        fixesSoFar = fixes
        let isInside = depth >= 0
        if let before = wasInside, before != isInside { cross(isInside: isInside, isSafe: isSafe, at: second) }
        if let since = arrivedAt, isSafe {
            score.arriving.append(second - since)
            arrivedAt = nil
        }
        if let since = leftAt, !isSafe {
            score.leaving.append(second - since)
            leftAt = nil
        }
        compareOutside(isSafe: isSafe && depth <= -Self.wrongMetres, at: second)
        if isSafe || depth < Self.lossMetres { endLoss() }
        if depth >= Self.lossMetres {
            score.insideSeconds += 1
            if wasSafe, !isSafe {
                score.losses += 1
                fixesAtLoss = fixes
            }
        }
        wasSafe = isSafe
        wasInside = isInside
    }

    /// Skips a second in which the person's phone takes no fix, so that no rule can learn anything. A crossing in it
    /// counts from its end.
    mutating func skip(depth: Double) {
        if wasInside == nil { wasInside = depth >= 0 }
    }

    /// Ends the run: a person who left and still counts as safe counts from the boundary until now.
    mutating func end(at second: Double) {
        endLoss()
        if let since = leftAt { score.leaving.append(second - since) }
        if score.longestWrong > Self.longSeconds { score.longWrongs = 1 }
    }

    private mutating func endLoss() {
        guard let fixesAtLoss else { return }
        score.fixesBack.append(Double(fixesSoFar - fixesAtLoss))
        self.fixesAtLoss = nil
    }

    private mutating func cross(isInside: Bool, isSafe: Bool, at second: Double) {
        if isInside {
            (arrivedAt, leftAt) = (isSafe ? nil : second, nil)
        } else {
            if arrivedAt != nil { score.arriving.append(.infinity) }
            (leftAt, arrivedAt) = (wasSafe ? second : nil, nil)
        }
    }

    private mutating func compareOutside(isSafe: Bool, at second: Double) {
        guard isSafe else { return wrongSince = nil }
        score.wrongSeconds += 1
        if !wasSafe { score.madeSafe += 1 }
        let since = wrongSince ?? second
        wrongSince = since
        score.longestWrong = max(score.longestWrong, second - since)
    }
}
