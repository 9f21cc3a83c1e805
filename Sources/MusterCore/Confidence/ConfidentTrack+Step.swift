import MusterGeometry

extension ConfidentTrack {
    /// A fix that has to be near enough to be averaged: so many deviations from the estimate.
    static var gate: Double { 3 }
    /// By how much the variance of an estimate grows, square metres a second: people do not stand still exactly.
    static var diffusion: Double { 0.1 }
    /// β: the share of an error's variance that averaging never removes.
    static var lastingShare: Double { 0.4 }
    /// Metres a second below which a speed is none.
    static var leastSpeed: Double { 0.7 }
    /// How far two surprises may be apart, in metres a second, to bear each other out.
    static var greatestSpeed: Double { 40 }
    /// How much of the two accuracies a device has to move before it moves at all.
    static var slackShare: Double { 0.5 }
    /// How far, in deviations of a fix, the estimate of a moving device lags behind.
    static var lagShare: Double { 0.5 }
    /// The least variance of a moving device, as a share of its fix's.
    static var movingShare: Double { 0.7 }
    /// From one anchor to the next, at least.
    static var anchorMilliseconds: UInt32 { 20_000 }
    /// τ: over how long errors of fixes correlate.
    static var correlationSeconds: Double { 30 }
    /// What the second of two fixes at the same time is worth.
    static var leastWeight: Double { 0.001 }
    /// Fixes of a moving device farther apart than this are worth no less than those of one that stands.
    static var sparseSeconds: Double { 10 }
    /// How long a surprise must persist.
    static var persistenceMilliseconds: UInt32 { 45_000 }
    /// How long it must persist when the device says that it does not move.
    static var stillMilliseconds: UInt32 { 180_000 }
    /// After a longer gap a device that stands now may have moved meanwhile.
    static var gapSeconds: Double { 30 }
    /// After a longer silence one accurate fix is believed.
    static var silenceSeconds: Double { 240 }
    /// The worst accuracy of the steady fixes that are believed sooner after a gap.
    static var steadyAccuracy: Double { 20 }
    /// How many steady fixes there must be after a gap.
    static var steadyFixes: UInt8 { 3 }
    /// For how long they must go on.
    static var steadyMilliseconds: UInt32 { 20_000 }
    /// How far steady fixes may be apart, in metres a second, besides their errors.
    static var steadySpeed: Double { 2 }

    /// The sum of two times; the longest one there is where that is too long.
    static func sum(_ one: UInt32, _ other: UInt32) -> UInt32 {
        let (sum, isTooMuch) = one.addingReportingOverflow(other)
        return isTooMuch ? .max : sum
    }

    /// A place relative to the estimate, and for how long it has been known.
    struct Mark: Hashable, Sendable {
        var eastDegrees: Float = 0
        var northDegrees: Float = 0
        var ageMilliseconds: UInt32 = 0

        /// No place: older than any that is asked for.
        static let none = Mark(ageMilliseconds: .max)

        /// The estimate moved on, the place did not.
        mutating func recede(eastDegrees: Double, northDegrees: Double) {
            self.eastDegrees = Float(Double(self.eastDegrees) - eastDegrees)
            self.northDegrees = Float(Double(self.northDegrees) - northDegrees)
        }

        mutating func age(byMilliseconds milliseconds: UInt32) {
            ageMilliseconds = ConfidentTrack.sum(ageMilliseconds, milliseconds)
        }
    }

    /// A fix as seen from the estimate.
    struct Step {
        let eastDegrees: Double
        let northDegrees: Double
        /// How far the fix is from the estimate.
        let metres: Double
        let elapsed: Double
        /// The 68 % radius that is counted with.
        let accuracy: Double
        /// R: the variance on each axis that it amounts to.
        let variance: Double
        /// Whether the accuracy is known and 200 m or better.
        let isFine: Bool
        let saidSpeed: Double?
        private let perDegree: MetresPerDegree

        init(_ fix: ConfidentFix, from estimate: Coordinate, elapsedSeconds: Double) {
            // Half round the globe is as coarse as it gets; what is not a number fails the comparison.
            let said = fix.accuracyMetres.flatMap { $0 > 0 ? min($0, 2e7) : nil }
            accuracy = max(said ?? 100, 5)
            isFine = said != nil && accuracy <= 200
            // 1.6: receivers promise too much, coarse fixes more so; 1.5096 deviations hold 68 %.
            let deviation = 1.6 * (accuracy > 200 ? 1.5 : 1) * accuracy / 1.5096
            variance = deviation * deviation
            saidSpeed = fix.speedMetresPerSecond.flatMap { (0...10_000).contains($0) ? $0 : nil }
            elapsed = elapsedSeconds
            perDegree = MetresPerDegree(latitude: estimate.latitude)
            northDegrees = fix.coordinate.latitude - estimate.latitude
            eastDegrees = shortWay(fix.coordinate.longitude - estimate.longitude)
            metres = Self.length(eastDegrees, northDegrees, perDegree)
        }

        /// How far the fix is from a mark.
        func metres(from mark: Mark) -> Double {
            Self.length(
                eastDegrees - Double(mark.eastDegrees), northDegrees - Double(mark.northDegrees), perDegree)
        }

        /// The square of how far the estimate is from a mark.
        func squareOfMetres(of mark: Mark) -> Double {
            let (x, y) = (Double(mark.eastDegrees) * perDegree.east, Double(mark.northDegrees) * perDegree.north)
            return x * x + y * y
        }

        /// The speed since a mark, apart from what may be error.
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
    /// Where a fix is.
    init(_ step: ConfidentTrack.Step, ageMilliseconds: UInt32 = 0) {
        self.init(
            eastDegrees: Float(step.eastDegrees), northDegrees: Float(step.northDegrees),
            ageMilliseconds: ageMilliseconds)
    }
}
