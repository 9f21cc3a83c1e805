import MusterGeometry

/// How the filter processes one fix: its constants, and the weights that follow from the fix and the time since the
/// last.
extension ConfidentTrack {
    /// How far from the estimate a fix may be to be averaged, in deviations.
    static var gate: Double { 3 }
    /// The growth of the estimate's variance, square metres a second: people do not stand exactly still.
    static var diffusion: Double { 0.1 }
    /// β: the share of a fix's error variance that averaging never removes.
    static var lastingShare: Double { 0.4 }
    /// The least speed that counts as movement, metres a second.
    static var leastSpeed: Double { 0.7 }
    /// The greatest speed between two surprises that confirm each other, metres a second.
    static var greatestSpeed: Double { 40 }
    /// The share of two fixes' accuracies that does not count as movement between them.
    static var slackShare: Double { 0.5 }
    /// How far the estimate of a moving device lags behind, in deviations of a fix.
    static var lagShare: Double { 0.5 }
    /// The least variance of a moving device's estimate, as a share of the fix's.
    static var movingShare: Double { 0.7 }
    /// The least time between two anchors.
    static var anchorMilliseconds: UInt32 { 20_000 }
    /// τ: the time over which the errors of fixes correlate, seconds.
    static var correlationSeconds: Double { 30 }
    /// The weight of the second of two fixes with the same time.
    static var leastWeight: Double { 0.001 }
    /// The interval between fixes, in seconds, beyond which the fix of a moving device weighs no less than that of a
    /// standing one.
    static var sparseSeconds: Double { 10 }
    /// How long surprises must persist until the filter believes them, milliseconds.
    static var persistenceMilliseconds: UInt32 { 45_000 }
    /// How long surprises must persist when the device reports that it stands, milliseconds.
    static var stillMilliseconds: UInt32 { 180_000 }
    /// The gap, in seconds, after which a device that stands now may have moved meanwhile.
    static var gapSeconds: Double { 30 }
    /// The silence, in seconds, after which the filter believes one accurate fix.
    static var silenceSeconds: Double { 240 }
    /// The worst accuracy of steady fixes, which the filter believes sooner after a gap, metres.
    static var steadyAccuracy: Double { 20 }
    /// How many steady fixes must follow a gap.
    static var steadyFixes: UInt8 { 3 }
    /// How long the steady fixes must go on, milliseconds.
    static var steadyMilliseconds: UInt32 { 20_000 }
    /// A fix is much worse than another when its variance is more than so many times as large.
    static var contradictingShare: Double { 4 }
    /// The greatest speed between steady fixes, metres a second, in addition to their errors.
    static var steadySpeed: Double { 2 }

    /// Returns the sum of two times, or the longest time when the sum overflows.
    static func sum(_ one: UInt32, _ other: UInt32) -> UInt32 {
        let (sum, isTooMuch) = one.addingReportingOverflow(other)
        return isTooMuch ? .max : sum
    }

    /// A place relative to the estimate, and its age.
    struct Mark: Hashable, Sendable {
        var eastDegrees: Float = 0
        var northDegrees: Float = 0
        var ageMilliseconds: UInt32 = 0

        /// No place: a mark older than any that the filter looks for.
        static let none = Mark(ageMilliseconds: .max)

        /// Corrects the mark for a move of the estimate, so that its place stays.
        mutating func recede(eastDegrees: Double, northDegrees: Double) {
            self.eastDegrees = Float(Double(self.eastDegrees) - eastDegrees)
            self.northDegrees = Float(Double(self.northDegrees) - northDegrees)
        }

        mutating func age(byMilliseconds milliseconds: UInt32) {
            ageMilliseconds = ConfidentTrack.sum(ageMilliseconds, milliseconds)
        }
    }

    /// A fix relative to the estimate.
    struct Step {
        let eastDegrees: Double
        let northDegrees: Double
        /// The distance from the estimate to the fix, metres.
        let metres: Double
        let elapsed: Double
        /// The 68 % radius that the filter uses, metres.
        let accuracy: Double
        /// √R: the deviation on each axis that follows from the accuracy, metres.
        let deviation: Double
        /// R: its square, square metres.
        let variance: Double
        /// Whether the accuracy is known and 200 m or better.
        let isFine: Bool
        /// Whether the accuracy is known and worse than 200 m.
        let isCoarse: Bool
        let saidSpeed: Double?
        private let perDegree: MetresPerDegree

        init(_ fix: ConfidentFix, from estimate: Coordinate, elapsedSeconds: Double) {
            // At most half the circumference of the globe. NaN fails the comparison.
            let said = fix.accuracyMetres.flatMap { $0 > 0 ? min($0, 2e7) : nil }
            accuracy = max(said ?? 100, 5)
            isFine = said != nil && accuracy <= 200
            isCoarse = accuracy > 200
            // 1.6: receivers promise too much, coarse fixes more so; 1.5096 deviations hold 68 %.
            deviation = 1.6 * (accuracy > 200 ? 1.5 : 1) * accuracy / 1.5096
            variance = deviation * deviation
            saidSpeed = fix.speedMetresPerSecond.flatMap { (0...10_000).contains($0) ? $0 : nil }
            elapsed = elapsedSeconds
            perDegree = MetresPerDegree(latitude: estimate.latitude)
            northDegrees = fix.coordinate.latitude - estimate.latitude
            eastDegrees = shortWay(fix.coordinate.longitude - estimate.longitude)
            metres = Self.length(eastDegrees, northDegrees, perDegree)
        }

        /// √R in metres, at most that of a fix of 200 m.
        var fineDeviation: Double { min(deviation, 1.6 * 200 / 1.5096) }

        /// The innovation: where the fix lies from the estimate, metres.
        var innovation: (east: Double, north: Double) {
            (eastDegrees * perDegree.east, northDegrees * perDegree.north)
        }

        /// Where the fix lies from the estimate, metres.
        var offset: Offset { Offset(east: innovation.east, north: innovation.north) }

        /// Returns where a mark lies from the estimate, metres.
        func offset(of mark: Mark) -> Offset {
            Offset(
                east: Double(mark.eastDegrees) * perDegree.east, north: Double(mark.northDegrees) * perDegree.north)
        }

        /// Returns the distance from a mark to the fix.
        func metres(from mark: Mark) -> Double {
            Self.length(
                eastDegrees - Double(mark.eastDegrees), northDegrees - Double(mark.northDegrees), perDegree)
        }

        /// Returns the square of the distance from a mark to the estimate.
        func squareOfMetres(of mark: Mark) -> Double {
            let (x, y) = (Double(mark.eastDegrees) * perDegree.east, Double(mark.northDegrees) * perDegree.north)
            return x * x + y * y
        }

        /// Returns the speed from a mark to the fix, metres a second, after `slackMetres` were taken off the distance
        /// as possible error.
        func speed(since mark: Mark, slackMetres: Double) -> Double {
            max(metres(from: mark) - slackMetres, 0) / max(Double(mark.ageMilliseconds) / 1000, 0.5)
        }

        private static func length(_ east: Double, _ north: Double, _ perDegree: MetresPerDegree) -> Double {
            let (x, y) = (east * perDegree.east, north * perDegree.north)
            return (x * x + y * y).squareRoot()
        }
    }
}

extension ConfidentTrack.Mark {
    /// Creates a mark at the place of a fix.
    init(_ step: ConfidentTrack.Step, ageMilliseconds: UInt32 = 0) {
        self.init(
            eastDegrees: Float(step.eastDegrees), northDegrees: Float(step.northDegrees),
            ageMilliseconds: ageMilliseconds)
    }
}
