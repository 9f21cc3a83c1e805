/// What a rule said of one person, second by second, beside the truth.
package struct SafetyOutcome: Hashable, Sendable {
    /// How far outside someone must truly be for "safe" to be wrong, metres.
    package static let wrongMetres = 30.0
    /// How deep inside someone must truly be for a loss of "safe" to be wrong, metres.
    package static let lossMetres = 15.0

    package private(set) var seconds = 0.0
    /// The seconds that the person was truly 30 m or more outside, and those of them at which the rule said safe.
    package private(set) var outsideSeconds = 0.0
    package private(set) var wrongSeconds = 0.0
    /// The longest time without a break for which the rule said safe so far outside, seconds.
    package private(set) var longestWrong = 0.0
    /// How often the rule began to say safe so far outside.
    package private(set) var madeSafe = 0
    /// The seconds that the person was truly 15 m or more inside, and how often the rule lost them there.
    package private(set) var insideSeconds = 0.0
    package private(set) var losses = 0
    /// How long each of these lasted, seconds.
    package private(set) var lossLengths: [Double] = []
    /// For everyone who left and counted as safe: from the boundary until they did not.
    package private(set) var leaving: [Double] = []
    /// For everyone who arrived: from the boundary until they counted as safe; infinite for never.
    package private(set) var arriving: [Double] = []
    /// How often the state changed.
    package private(set) var changes = 0

    private var wasSafe = false
    private var wasInside: Bool?
    private var wrongSince: Double?
    private var leftAt: Double?
    private var arrivedAt: Double?
    private var lostAt: Double?

    /// Notes what the rule says at a second.
    ///
    /// - Parameter depth: how deep inside the person truly is, metres; negative outside.
    mutating func note(isSafe: Bool, depth: Double, at second: Double) {
        seconds += 1
        let isInside = depth >= 0
        if isSafe != wasSafe { changes += 1 }
        if let before = wasInside, before != isInside {
            if isInside { (arrivedAt, leftAt) = (isSafe ? nil : second, nil) }
            if !isInside {
                if arrivedAt != nil { arriving.append(.infinity) }
                (leftAt, arrivedAt) = (wasSafe ? second : nil, nil)
                lostAt = nil
            }
        }
        if let since = arrivedAt, isSafe {
            arriving.append(second - since)
            arrivedAt = nil
        }
        if let since = leftAt, !isSafe {
            leaving.append(second - since)
            leftAt = nil
        }
        noteWrong(isSafe: isSafe, depth: depth, at: second)
        noteLoss(isSafe: isSafe, depth: depth, at: second)
        wasSafe = isSafe
        wasInside = isInside
    }

    /// Notes a second of a silence, in which no rule can learn anything: what a person does in it counts from its end.
    mutating func noteSilence(depth: Double) {
        if wasInside == nil { wasInside = depth >= 0 }
    }

    private mutating func noteWrong(isSafe: Bool, depth: Double, at second: Double) {
        guard depth <= -Self.wrongMetres else { return wrongSince = nil }
        outsideSeconds += 1
        guard isSafe else { return wrongSince = nil }
        wrongSeconds += 1
        if !wasSafe { madeSafe += 1 }
        wrongSince = wrongSince ?? second
        longestWrong = max(longestWrong, second - (wrongSince ?? second))
    }

    private mutating func noteLoss(isSafe: Bool, depth: Double, at second: Double) {
        if let since = lostAt, isSafe {
            lossLengths.append(second - since)
            lostAt = nil
        }
        guard depth >= Self.lossMetres else { return }
        insideSeconds += 1
        if wasSafe, !isSafe {
            losses += 1
            lostAt = second
        }
    }

    /// Ends the run.
    mutating func end(at second: Double) {
        if let since = leftAt { leaving.append(second - since) }
        if let since = lostAt { lossLengths.append(second - since) }
    }
}

/// The outcomes of a rule in many runs, added up.
package struct SafetyScore: Hashable, Sendable {
    package private(set) var runs = 0
    package private(set) var seconds = 0.0
    package private(set) var outsideSeconds = 0.0
    package private(set) var wrongSeconds = 0.0
    package private(set) var longestWrong = 0.0
    package private(set) var madeSafe = 0
    package private(set) var insideSeconds = 0.0
    package private(set) var losses = 0
    /// The runs with a "safe" for longer than 45 s while 30 m or more outside.
    package private(set) var longWrongs = 0
    private var lossLengths: [Double] = []
    private var leaving: [Double] = []
    private var arriving: [Double] = []

    package init() {}

    /// Seconds said safe while 30 m or more outside, for each hour of a person.
    package var wrongSecondsPerHour: Double { wrongSeconds / (seconds / 3600) }
    /// Losses of safe while 15 m or more inside, in 100 hours inside.
    package var lossesPer100Hours: Double { Double(losses) / (insideSeconds / 360_000) }
    /// A quantile of the seconds from the boundary until someone who left did not count as safe any more.
    package func leavingSeconds(_ share: Double) -> Double { Self.quantile(leaving, share) }
    /// A quantile of the seconds from the boundary until someone who arrived counted as safe.
    package func arrivingSeconds(_ share: Double) -> Double { Self.quantile(arriving, share) }
    /// A quantile of how long a loss lasted, seconds.
    package func lossSeconds(_ share: Double) -> Double { Self.quantile(lossLengths, share) }
    /// How many people left.
    package var exits: Int { leaving.count }
    /// How many people arrived.
    package var arrivals: Int { arriving.count }

    /// Adds the outcome of a run.
    mutating func add(_ outcome: SafetyOutcome) {
        runs += 1
        seconds += outcome.seconds
        outsideSeconds += outcome.outsideSeconds
        wrongSeconds += outcome.wrongSeconds
        longestWrong = max(longestWrong, outcome.longestWrong)
        if outcome.longestWrong > 45 { longWrongs += 1 }
        madeSafe += outcome.madeSafe
        insideSeconds += outcome.insideSeconds
        losses += outcome.losses
        lossLengths += outcome.lossLengths
        leaving += outcome.leaving
        arriving += outcome.arriving
    }

    /// Adds the score of other runs.
    package mutating func add(_ other: SafetyScore) {
        runs += other.runs
        seconds += other.seconds
        outsideSeconds += other.outsideSeconds
        wrongSeconds += other.wrongSeconds
        longestWrong = max(longestWrong, other.longestWrong)
        longWrongs += other.longWrongs
        madeSafe += other.madeSafe
        insideSeconds += other.insideSeconds
        losses += other.losses
        lossLengths += other.lossLengths
        leaving += other.leaving
        arriving += other.arriving
    }

    private static func quantile(_ values: [Double], _ share: Double) -> Double {
        let sorted = values.sorted()
        return sorted.isEmpty ? .nan : sorted[min(sorted.count - 1, Int(share * Double(sorted.count)))]
    }
}
