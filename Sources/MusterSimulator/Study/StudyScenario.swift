package import MusterGeometry

/// A situation in which rules are judged: many runs that differ by chance.
package struct StudyScenario: Sendable {
    private let draw: @Sendable (Int, inout SeededRandom) -> StudyRun
    private let purpose: UInt64

    init(purpose: UInt64, _ draw: @escaping @Sendable (Int, inout SeededRandom) -> StudyRun) {
        self.purpose = purpose
        self.draw = draw
    }

    /// Returns the scores of the rules in some of the runs, added up. A run depends only on the seed and its number.
    package func scores(seed: UInt64, runs: Range<Int>, rules: [StudyRule] = StudyRule.compared) -> [StudyScore] {
        var scores = rules.map { _ in StudyScore() }
        for number in runs {
            var chance = SeededRandom(seed: seed, stream: number, purpose: purpose)
            var run = draw(number, &chance)
            run.rules = rules
            for outcomes in run.outcomes(chance: chance) {
                for index in rules.indices { scores[index].add(outcomes[index]) }
            }
        }
        return scores
    }
}

extension StudyScenario {
    /// Returns a scenario of a day of lying still at a distance from the rim of a circle of 100 m, inside and outside
    /// in turn.
    ///
    /// - Parameters:
    ///   - environments: what surrounds the phones, in turn.
    ///   - intervals: seconds between fixes, in turn.
    package static func still(
        metres: Double, _ tier: Noise.Tier = .hostile, _ environments: [Noise.Environment] = Noise.Environment.allCases,
        intervals: [Double] = [20]
    ) -> StudyScenario {
        StudyScenario(purpose: 11) { number, chance in
            let turn = number / 2
            let noise = Noise(tier, environment: environments[turn % environments.count])
            let interval = intervals[turn / environments.count % intervals.count]
            let east = 100 + (number % 2 == 0 ? -metres : metres)
            return StudyRun(
                .still(.zero, seconds: 86_400), noise, StudySampling(intervalSeconds: interval, gapsPerHour: 0.33),
                regions: [.circle(Offset(east: east, north: 0), radius: 100)])
        }
    }

    /// A day of lying still anywhere within 60 m of the rim of a circle of 100 m.
    package static let stillAnywhere = StudyScenario(purpose: 12) { number, chance in
        let noise = Noise(.hostile, environment: Noise.Environment.allCases[number % 3])
        return StudyRun(
            .still(.zero, seconds: 86_400), noise, StudySampling(intervalSeconds: 20, gapsPerHour: 0.33),
            regions: [.circle(Offset(east: chance.uniform(40, 160), north: 0), radius: 100)])
    }

    /// Returns a scenario of walks from 500 m west into a circle of 100 m, 15 minutes of rest near its centre, and
    /// walks out again.
    package static func walk(
        intervalSeconds: Double = 5, _ environments: [Noise.Environment] = Noise.Environment.allCases,
        saysSpeed: Bool? = nil
    ) -> StudyScenario {
        StudyScenario(purpose: 13) { number, chance in
            let noise = Noise(.hostile, environment: environments[number % environments.count], saysSpeed: saysSpeed)
            let path = StudyPath.through(reach: 500, speed: 1.4, pauseSeconds: 900, north: chance.uniform(-40, 40))
            return StudyRun(
                path, noise, StudySampling(intervalSeconds: intervalSeconds), regions: [.circle(.zero, radius: 100)])
        }
    }

    /// Returns a scenario of drives at 50 km/h through a circle, from 3 km west of it to as far east.
    package static func drive(
        radius: Double, intervalSeconds: Double, _ environments: [Noise.Environment] = [.open, .suburb]
    ) -> StudyScenario {
        StudyScenario(purpose: 14) { number, chance in
            let noise = Noise(.hostile, environment: environments[number % environments.count])
            let path = StudyPath.through(reach: 3000, speed: 14, pauseSeconds: 0, north: chance.uniform(-30, 30))
            return StudyRun(
                path, noise, StudySampling(intervalSeconds: intervalSeconds),
                regions: [.circle(.zero, radius: radius)])
        }
    }

    /// An hour of jogging exactly along a straight boundary.
    package static let jog = StudyScenario(purpose: 15) { number, chance in
        let noise = Noise(.hostile, environment: Noise.Environment.allCases[number % 3])
        return StudyRun(
            .through(reach: 5040, speed: 2.8, pauseSeconds: 0, north: 0), noise, StudySampling(intervalSeconds: 5),
            regions: [.south(of: 0)])
    }

    /// Returns a scenario of walks to the centre of a circle of 15 m, four hours there, and walks out again.
    package static func home(accuracyMetres: Double) -> StudyScenario {
        StudyScenario(purpose: 16) { number, chance in
            let noise = Noise(
                .hostile, environment: accuracyMetres <= 12 ? .suburb : .city, accuracyMetres: accuracyMetres)
            return StudyRun(
                .through(reach: 500, speed: 1.4, pauseSeconds: 14_400, north: 0), noise,
                StudySampling(intervalSeconds: 30), regions: [.circle(.zero, radius: 15)])
        }
    }

    /// Returns a scenario of a day of lying still 30 m beside a circle of 15 m.
    package static func neighbour(accuracyMetres: Double) -> StudyScenario {
        StudyScenario(purpose: 17) { number, chance in
            StudyRun(
                .still(.zero, seconds: 86_400), Noise(.hostile, environment: .city, accuracyMetres: accuracyMetres),
                StudySampling(intervalSeconds: 30, gapsPerHour: 0.33),
                regions: [.circle(Offset(east: 45, north: 0), radius: 15)])
        }
    }

    /// Returns a scenario along real tracks with an accuracy of 12 m, with twenty circles around places of each. Visits
    /// shorter than half a minute do not count.
    package static func recorded(_ tracks: [RecordedPath], radius: Double) -> StudyScenario {
        StudyScenario(purpose: 18) { number, chance in
            let track = tracks[number % tracks.count]
            let regions = (0..<20).map { _ in
                StudyRegion.circle(track.place(at: chance.uniform(0, track.seconds)).offset, radius: radius)
            }
            var run = StudyRun(
                .recorded(track), Noise(.hostile, environment: .suburb), StudySampling(intervalSeconds: 5),
                regions: regions)
            run.leastVisitSeconds = 30
            return run
        }
    }

    /// Returns a scenario of a day of lying still anywhere in a square of 80 m around a place, beside a region of this
    /// form.
    package static func beside(_ region: StudyRegion, around place: Offset = .zero) -> StudyScenario {
        StudyScenario(purpose: 19) { number, chance in
            let noise = Noise(.hostile, environment: Noise.Environment.allCases[number % 3])
            let at = place + Offset(east: chance.uniform(-40, 40), north: chance.uniform(-40, 40))
            return StudyRun(
                .still(at, seconds: 86_400), noise, StudySampling(intervalSeconds: 20, gapsPerHour: 0.33),
                regions: [region])
        }
    }
}
