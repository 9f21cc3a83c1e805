import MusterCore
import MusterGeometry
import MusterSimulator
import MusterTestSupport
import Testing

extension StudyCheck: CustomTestStringConvertible {
    package var testDescription: String { name }
}

/// The study behind the confident policy, in short; `muster-bench truth --acceptance` runs it at length.
@Suite struct TruthStudyTests {
    @Test(arguments: StudyCheck.all)
    func `the confident policy keeps within its bounds`(check: StudyCheck) {
        let score = check.score(seed: 7, runs: 0..<Int(Double(SoakSeeds.rounds(20, inSoak: 40)) * check.runsPerDay))
        let figure = check.measured(score)
        print("\(check.name): \(figure), bound \(check.bound)")
        #expect(check.bound.holds(for: figure))
    }

    @Test func `a phone on a boundary flips a time or two a day, under any other rule dozens of times`() {
        let scores = StudyScenario.still(metres: 0).scores(seed: 7, runs: 0..<12)
        let flips = zip(StudyRule.compared, scores).map { ($0, $1.flipsPerDay) }
        print(flips.map { "\($0): \($1)" }.joined(separator: ", "))
        for (rule, perDay) in flips {
            switch rule {
            case .raw: #expect(perDay > 500)
            case .homeAssistant, .fiveOfFive: #expect(perDay > 30)
            default: #expect(perDay < 3)
            }
        }
    }

    @Test func `a run follows from its seed and number alone`() {
        func enters(_ runs: Range<Int>, seed: UInt64 = 3) -> StudyScore {
            StudyScenario.walk().scores(seed: seed, runs: runs, rules: [.confident])[0]
        }
        var halves = enters(0..<4)
        halves.add(enters(4..<9))
        let whole = enters(0..<9)
        #expect(halves.visits == 9 && whole.visits == 9)
        #expect(halves.flips == whole.flips && halves.calibration == whole.calibration)
        #expect([0, 0.5, 1].map(halves.enterSeconds) == [0, 0.5, 1].map(whole.enterSeconds))
        #expect(halves.enterSeconds(0.5) != enters(0..<9, seed: 4).enterSeconds(0.5))
    }

    @Test func `without a visit nothing is entered, and a visit is entered and left once`() throws {
        let path = StudyPath.through(reach: 500, speed: 1.4, pauseSeconds: 600, north: 0)
        let run = StudyRun(
            path, Noise(.none), StudySampling(intervalSeconds: 5),
            regions: [.circle(.zero, radius: 100), .circle(Offset(east: 0, north: 300), radius: 100)])
        let outcomes = run.outcomes(chance: SeededRandom(seed: 1))
        for (rule, outcome) in zip(StudyRule.compared, outcomes[0]) {
            let visit = try #require(outcome.visits.first)
            let (enter, exit) = (try #require(visit.enter), try #require(visit.exit))
            #expect(outcome.visits.count == 1 && outcome.flips == 2 && outcome.falseExits + outcome.falseEnters == 0)
            #expect(enter.seconds > 0 && exit.seconds > 0 && enter.seconds < 60 && exit.seconds < 60, "\(rule)")
        }
        #expect(outcomes[1].allSatisfy { $0.visits.isEmpty && $0.flips == 0 })
    }

    @Test func `a recorded way is smoothed, and its pauses are cut to ten minutes`() throws {
        // An hour's pause in the middle of a walk to the east with a spike in it.
        let fixes = (0...2000).map { index -> (seconds: Double, offset: Offset) in
            let pause = index > 1000 ? 3600.0 : 0
            return (Double(index) + pause, Offset(east: Double(index), north: index == 500 ? 31 : 0))
        }
        let path = try #require(RecordedPath(fixes))
        #expect(path.seconds == 2000 + 600 - 2)
        let (place, speed) = path.place(at: 250)
        #expect(abs(place.east - 250) < 1e-6 && abs(place.north) < 1e-6 && abs(speed - 1) < 1e-6)
        let spike = path.place(at: 500).offset.north
        #expect(abs(spike - 31.0 / 16) < 1e-6, "the middle of Hann's window")
        #expect(RecordedPath(Array(fixes.prefix(500))) == nil, "too short")
    }

    @Test(arguments: [
        StudyRegion.box(east: 200, north: 8), .box(east: 12, north: 12), .allBut(east: 15, north: 30), .south(of: 4),
        .circle(.zero, radius: 15),
    ])
    func `the mass of a normal error inside agrees with random draws`(region: StudyRegion) {
        var chance = SeededRandom(seed: 5)
        for _ in 0..<20 {
            let estimate = Offset(east: chance.uniform(-30, 30), north: chance.uniform(-30, 30))
            let deviation = chance.uniform(3, 20)
            guard let mass = region.mass(around: estimate, deviation: deviation, margin: 2) else {
                #expect(region == .circle(.zero, radius: 15), "only a circle has none")
                return
            }
            let wider: StudyRegion =
                switch region {
                case .box(let east, let north): .box(east: east + 2, north: north + 2)
                case .allBut(let east, let north): .allBut(east: east - 2, north: north - 2)
                case .south(let north): .south(of: north + 2)
                case .circle(let centre, let radius): .circle(centre, radius: radius + 2)
                }
            let draws = 4000
            let inside = (0..<draws).count { _ in
                let error = Offset(
                    east: chance.normal(deviation: deviation), north: chance.normal(deviation: deviation))
                return wider.signedDistance(of: estimate + error) >= 0
            }
            #expect(abs(mass - Double(inside) / Double(draws)) < 0.035, "four deviations of the count and a little")
        }
    }

    @Test func `the nearest boundary decides more people in a narrow strip than mass, and is well calibrated`() {
        let scores = StudyScenario.beside(.box(east: 10_000, north: 15)).scores(
            seed: 7, runs: 0..<24, rules: [.confident, .byMass])
        print("inside, told so: \(scores.map(\.inside.percent)); outside: \(scores.map(\.outside.percent))")
        #expect(scores[0].inside.percent > scores[1].inside.percent)
        #expect(scores[0].calibration[8].percent > 80)
    }

    @Test func `a passage inferred along a winding way is nearly always one`() throws {
        // Legs of 200 m with a turn of some 45° after each, at 10 m/s.
        var chance = SeededRandom(seed: 9)
        var place = Offset.zero
        var fixes: [(seconds: Double, offset: Offset)] = [(0, place)]
        var degrees = 0.0
        for leg in 1...200 {
            degrees += chance.uniform(-90, 90)
            place = place + Offset.direction(degrees: degrees) * 200
            fixes.append((Double(leg) * 20, place))
        }
        let path = try #require(RecordedPath(fixes))
        let score = StudyPassages([path], intervalSeconds: 15, radius: 40).score(seed: 9, runs: 0..<20)
        print("inferred \(score.inferred.all): \(score.inferred.percent) %, of visits \(score.visits.percent) %")
        #expect(score.inferred.all > 100)
        #expect(score.inferred.percent > 90)
        #expect(score.visits.percent > 20)
    }
}
