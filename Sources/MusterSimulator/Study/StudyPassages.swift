import MusterCore
import MusterGeometry

/// A study of how well passages between two fixes are inferred, along real tracks.
package struct StudyPassages: Sendable {
    /// The tracks, which the runs use in turn.
    package var tracks: [RecordedPath]
    /// Seconds from one fix to the next.
    package var intervalSeconds: Double
    /// The radius of the circles, metres. Half of thirty circles have their centre on the track, half of them up to 300
    /// m beside it.
    package var radius: Double

    package init(_ tracks: [RecordedPath], intervalSeconds: Double, radius: Double) {
        self.tracks = tracks
        self.intervalSeconds = intervalSeconds
        self.radius = radius
    }

    /// The true passages and the inferred ones.
    package struct Score: Hashable, Sendable {
        /// The true visits that began and ended between two fixes, while the reported standing was outside; `held`
        /// counts those that were inferred.
        package var visits = StudyShare()
        /// The inferred passages; `held` counts those that were true.
        package var inferred = StudyShare()

        /// Adds the counts of another score.
        package mutating func add(_ other: Score) {
            visits.add(other.visits)
            inferred.add(other.inferred)
        }
    }

    /// Returns the score of some of the runs. A run depends only on the seed and its number.
    package func score(seed: UInt64, runs: Range<Int>) -> Score {
        var score = Score()
        for number in runs {
            var chance = SeededRandom(seed: seed, stream: number, purpose: 20)
            let path = tracks[number % tracks.count]
            let regions = (0..<30).map { index -> StudyRegion in
                let aside = chance.vector(length: index % 2 == 0 ? 0 : chance.uniform(0, 300))
                let middle = path.place(at: chance.uniform(0, path.seconds)).offset + aside
                return .circle(middle, radius: radius)
            }
            let noise = Noise(.hostile, environment: number / tracks.count % 2 == 0 ? .open : .suburb)
            let phone = StudyPhone(
                .recorded(path), noise, StudySampling(intervalSeconds: intervalSeconds), chance: chance)
            follow(phone, path, regions, &score)
        }
        return score
    }

    private func follow(
        _ start: StudyPhone, _ path: RecordedPath, _ regions: [StudyRegion], _ score: inout Score
    ) {
        var phone = start
        var judges = regions.map { _ in StudyJudge(.confident) }
        var last: StudyPhone.Fix?
        while let fix = phone.next() {
            for (index, region) in regions.enumerated() {
                let wasOutside = judges[index].standing == .outside
                _ = judges[index].evaluateFix(fix, of: region)
                guard let last, wasOutside, judges[index].standing == .outside, fix.isSettled else { continue }
                countPassage(from: last, to: fix, path, region, &score)
            }
            last = fix
        }
    }

    private func countPassage(
        from last: StudyPhone.Fix, to fix: StudyPhone.Fix, _ path: RecordedPath, _ region: StudyRegion,
        _ score: inout Score
    ) {
        let isInferred =
            InferredPassage(from: last.reported, to: fix.reported) { place in
                region.signedDistance(of: StudyPhone.plane.offset(place))
            } != nil
        let ends = max(region.signedDistance(of: last.truth), region.signedDistance(of: fix.truth))
        let wasInside =
            ends >= 0
            || stride(from: last.seconds, to: fix.seconds, by: 1).contains { time in
                region.signedDistance(of: path.place(at: time).offset) >= 0
            }
        if isInferred { score.inferred.count(wasInside) }
        if wasInside && ends < 0 { score.visits.count(isInferred) }
    }
}
