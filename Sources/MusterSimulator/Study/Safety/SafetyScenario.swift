import MusterGeometry

/// A situation of the safety study: many runs that differ by chance.
package struct SafetyScenario: Sendable {
    /// What happens, in the words of docs/truth.md.
    package let name: String
    private let draw: @Sendable (Int, inout SeededRandom) -> SafetyRun
    private let purpose: UInt64

    init(_ name: String, purpose: UInt64, _ draw: @escaping @Sendable (Int, inout SeededRandom) -> SafetyRun) {
        self.name = name
        self.purpose = purpose
        self.draw = draw
    }

    /// Returns the scores of the rules in some of the runs, in the order of `SafetyRule.allCases`. A run depends only
    /// on the seed and its number.
    package func scores(seed: UInt64, runs: Range<Int>) -> [SafetyScore] {
        var scores = SafetyRule.allCases.map { _ in SafetyScore() }
        for number in runs {
            var chance = SeededRandom(seed: seed, stream: number, purpose: purpose)
            let run = draw(number, &chance)
            for (index, score) in run.scores(chance: chance).enumerated() { scores[index].add(score) }
        }
        return scores
    }

    /// Where a person comes from before they leave.
    package enum Beginning: Hashable, Sendable, CaseIterable {
        case rest, walk, gap
    }

    /// Three to five minutes inside a circle of 60 m, then straight away to 1 km, and a rest there.
    package static func leaving(speed: Double, from beginning: Beginning = .rest, by phone: SafetyPhone)
        -> SafetyScenario
    {
        SafetyScenario("leaving", purpose: 31) { number, chance in
            var way = SafetyWay(from: chance.vector(length: chance.uniform(0, 40)))
            let wait = chance.uniform(180, 300)
            var phone = phone
            switch beginning {
            case .rest, .gap: way.rest(seconds: wait)
            case .walk:
                for _ in 0..<6 {
                    way.move(to: chance.vector(length: chance.uniform(10, 40)), speed: 1.2)
                }
            }
            if beginning == .gap {
                phone.silences = [way.seconds - 50..<way.seconds + 2]
            }
            way.move(to: way.end + chance.vector(length: max(300, speed * 150)), speed: speed)
            way.rest(seconds: 60)
            var run = SafetyRun(way, [phone])
            run.silenceSeconds = max(60, 4 * phone.intervalSeconds)
            return run
        }
    }

    /// A person whose tablet stays in the middle leaves, and their phone falls silent within ten minutes.
    package static func dying(by phone: SafetyPhone) -> SafetyScenario {
        SafetyScenario("a phone dies outside", purpose: 36) { number, chance in
            var way = SafetyWay(from: chance.vector(length: chance.uniform(0, 40)))
            way.rest(seconds: chance.uniform(120, 240))
            way.move(to: chance.vector(length: chance.uniform(150, 500)), speed: 1.3)
            var phone = phone
            phone.silences = [way.seconds + chance.uniform(0, 300)..<3_600]
            way.rest(seconds: 3_600 - way.seconds)
            var run = SafetyRun(way, [phone])
            run.tablet = .zero
            return run
        }
    }

    /// From 400 to 600 m away into the middle, on foot, by bicycle or by car, or unseen in a gap.
    package static func arriving(speed: Double, inGap: Bool = false, by phone: SafetyPhone) -> SafetyScenario {
        SafetyScenario("arriving", purpose: 32) { number, chance in
            var way = SafetyWay(from: chance.vector(length: chance.uniform(400, 600)))
            way.rest(seconds: chance.uniform(60, 120))
            let begin = way.seconds
            way.move(to: chance.vector(length: chance.uniform(0, 30)), speed: speed)
            var phone = phone
            if inGap { phone.silences = [begin..<way.seconds + 3] }
            way.rest(seconds: 300)
            return SafetyRun(way, [phone])
        }
    }

    /// An hour 15 m or more inside.
    package static func staying(by phone: SafetyPhone) -> SafetyScenario {
        SafetyScenario("staying inside", purpose: 33) { number, chance in
            var way = SafetyWay(from: chance.vector(length: chance.uniform(0, 45)))
            while way.seconds < 3600 {
                way.rest(seconds: chance.uniform(60, 600))
                way.move(to: chance.vector(length: chance.uniform(0, 45)), speed: 1.2)
            }
            return SafetyRun(way, [phone])
        }
    }

    /// An hour of somebody who comes, stays, goes and comes back, on foot, by bicycle or by car.
    package static func hour(
        _ name: String, by phone: SafetyPhone, tablet: Bool = false, phones: Int = 1
    ) -> SafetyScenario {
        SafetyScenario(name, purpose: 34) { number, chance in
            var way = SafetyWay(from: chance.vector(length: chance.uniform(0, 500)))
            while way.seconds < 3600 {
                way.rest(seconds: chance.uniform(20, 400))
                let shelter = chance.pick(SafetyRun.shelters) ?? SafetyRun.shelters[0]
                let isInside = chance.chance(0.5)
                let place =
                    isInside
                    ? shelter.centre + chance.vector(length: chance.uniform(0, shelter.radius - 10))
                    : chance.vector(length: chance.uniform(150, 900))
                way.move(to: place, speed: chance.pick([1.3, 1.3, 2.5, 6, 14]) ?? 1.3)
            }
            var run = SafetyRun(way, Array(repeating: phone, count: phones))
            if tablet { run.tablet = .zero }
            return run
        }
    }

    /// Hours with phones of every kind.
    package static let kindsOfHours: [SafetyScenario] = {
        func kind(_ name: String, _ change: (inout SafetyPhone) -> Void) -> SafetyScenario {
            var phone = SafetyPhone.honest(8, driftShare: 0.4)
            change(&phone)
            return hour(name, by: phone)
        }
        return [
            kind("honest") { _ in }, kind("honest, says its speed") { $0.speed = .measured },
            kind("always says 0") { $0.speed = .alwaysZero },
            kind("promises twice as much as it keeps") { $0.claim = 0.75...0.76 },
            kind("promises a third of what it keeps") { $0.claim = 4.5...4.6 },
            kind("all fixes 35 m off") { $0.biasMetres = 35 },
            kind("a fix in five is coarse") { $0.coarseShare = 0.2 },
            kind("a fix in three comes twice") { $0.doubledShare = 0.3 },
            kind("a fix in three comes late") { ($0.lateShare, $0.lateSeconds) = (0.3, 30) },
            kind("clock two hours ahead") { $0.clockOffSeconds = 7_200 },
            kind("clock two hours behind") { $0.clockOffSeconds = -7_200 },
            kind("a fix in fifty is a minute ahead") { $0.aheadShare = 0.02 },
            kind("four fixes in five err by 50 m") { $0.poorShare = 0.8 },
            hour("a tablet stays inside", by: .honest(8, driftShare: 0.4), tablet: true),
            dying(by: .honest(8, driftShare: 0.4)),
            hour("two phones", by: .honest(8, driftShare: 0.4), phones: 2),
        ]
    }()
}
