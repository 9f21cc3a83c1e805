import MusterGeometry

/// Scenarios in which people arrive at a region, and phones that misreport their speed.
extension StudyScenario {
    /// The speed that a phone reports.
    package enum SpeedHabit: String, Hashable, Sendable, CaseIterable {
        /// The speed that its receiver measured.
        case measured = "says its speed"
        /// No speed.
        case none = "says none"
        /// 0, however fast it moves.
        case alwaysZero = "always says 0"
    }

    /// Returns a scenario of phones that are at rest for ten minutes 240 to 1,000 m away, then silent for a while, then
    /// at rest at the centre of a circle of 100 m, with a fix every 5 s and honest noise. Without a gap a phone is
    /// there from one fix to the next.
    package static func arrival(gapSeconds: Double, _ habit: SpeedHabit) -> StudyScenario {
        StudyScenario(purpose: 21) { number, chance in
            var sampling = StudySampling(intervalSeconds: 5)
            sampling.alwaysSaysZero = habit == .alwaysZero
            sampling.silence = 600..<600 + gapSeconds
            let place = chance.vector(length: chance.uniform(240, 1000))
            return StudyRun(
                .moved(from: place, afterSeconds: 600 + gapSeconds, restSeconds: 600), honest(number, habit), sampling,
                regions: [.circle(.zero, radius: 100)])
        }
    }

    /// Returns a scenario of phones that move from `metres` away to the centre of a circle of 100 m and rest there,
    /// with a fix every 5 s and honest noise.
    package static func journey(metres: Double, speed: Double, _ habit: SpeedHabit) -> StudyScenario {
        StudyScenario(purpose: 22) { number, chance in
            var sampling = StudySampling(intervalSeconds: 5)
            sampling.alwaysSaysZero = habit == .alwaysZero
            let path = StudyPath.arriving(
                reach: metres, speed: speed, restSeconds: 600, north: chance.uniform(-20, 20))
            return StudyRun(path, honest(number, habit), sampling, regions: [.circle(.zero, radius: 100)])
        }
    }

    /// Returns a scenario of phones at rest at the centre of a circle of 100 m. After ten minutes and a gap all fixes
    /// are 300 m off for a while and claim 8 m, in the open and in suburbs.
    package static func lie(seconds: Double, gapSeconds: Double, _ habit: SpeedHabit) -> StudyScenario {
        StudyScenario(purpose: 23) { number, chance in
            var sampling = StudySampling(intervalSeconds: 5)
            sampling.alwaysSaysZero = habit == .alwaysZero
            sampling.silence = 600..<600 + gapSeconds
            let begin = 600 + gapSeconds
            sampling.lie = StudyLie(seconds: begin..<begin + seconds, shift: chance.vector(length: 300))
            return StudyRun(
                .still(.zero, seconds: 1500), honest(number, habit, [.open, .suburb]), sampling,
                regions: [.circle(.zero, radius: 100)])
        }
    }

    private static func honest(
        _ number: Int, _ habit: SpeedHabit, _ environments: [Noise.Environment] = Noise.Environment.allCases
    ) -> Noise {
        Noise(.honest, environment: environments[number % environments.count], saysSpeed: habit == .measured)
    }
}
