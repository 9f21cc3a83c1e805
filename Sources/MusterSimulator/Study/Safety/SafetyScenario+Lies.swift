import MusterGeometry

/// People outside, while fixes of their phones lie in the middle of a muster region.
extension SafetyScenario {
    /// Four minutes outside, and some fixes in the middle of a shelter.
    package static func lying(
        fixes: Int, metres: ClosedRange<Double>, speed: Double, after seconds: ClosedRange<Double>,
        by phone: SafetyPhone
    ) -> SafetyScenario {
        SafetyScenario("a lie", purpose: 35) { number, chance in
            let from = chance.vector(length: chance.uniform(metres.lowerBound, metres.upperBound))
            var way = SafetyWay(from: from)
            if speed > 0 {
                way.rest(seconds: 60)
                way.move(to: from * (1 + speed * 180 / from.length), speed: speed)
            } else {
                way.rest(seconds: 240)
            }
            var phone = phone
            phone.lies = [
                .init(fromSeconds: chance.uniform(seconds.lowerBound, seconds.upperBound), fixes: fixes, place: .zero)
            ]
            return SafetyRun(way, [phone])
        }
    }

    /// False fixes inside, from near and far, for people at rest, on foot, by bicycle and by car.
    package static func lies(of fixes: Int) -> [SafetyScenario] {
        [0.0, 1.3, 6, 14].flatMap { speed in
            [90.0...120, 300...600].map { metres in
                lying(fixes: fixes, metres: metres, speed: speed, after: 70...200, by: .honest(4))
            }
        }
    }

    /// How long a track checks fixes after a jump before it believes them.
    package enum Ripening: String, Hashable, Sendable, CaseIterable {
        /// Without a speed, 45 s.
        case noSpeed = "that says no speed"
        /// A phone that says it stands, 180 s.
        case saysZero = "that always says 0"
        /// After a gap of a minute, 20 s.
        case gap = "after a gap"

        fileprivate var seconds: Double {
            switch self {
            case .noSpeed: 45
            case .saysZero: 180
            case .gap: 20
            }
        }
    }

    /// Two minutes at rest, an unseen jump to a place 250 to 400 m farther out, and false fixes in the middle of a
    /// shelter at the moment when the track would believe the fixes from the new place.
    ///
    /// - Parameter metres: how far from that middle the rest is.
    package static func lyingAsBeliefRipens(
        fixes: Int, metres: ClosedRange<Double>, _ ripening: Ripening, by phone: SafetyPhone
    ) -> SafetyScenario {
        SafetyScenario("a lie as a belief ripens", purpose: 40) { number, chance in
            let from = chance.vector(length: chance.uniform(metres.lowerBound, metres.upperBound))
            var way = SafetyWay(from: from)
            way.rest(seconds: 120)
            var phone = phone
            if ripening == .saysZero { phone.speed = .alwaysZero }
            if ripening == .gap { phone.silences = [60..<122] }
            way.move(to: from * (1 + chance.uniform(250, 400) / from.length), speed: 300)
            let ripe = way.seconds + ripening.seconds
            way.rest(seconds: ripening.seconds + 120)
            phone.lies = [.init(fromSeconds: chance.uniform(ripe - 8, ripe + 8), fixes: fixes, place: .zero)]
            return SafetyRun(way, [phone])
        }
    }

    /// False fixes just when a belief ripens, for people who were near and far.
    package static func liesAsBeliefRipens(of fixes: Int) -> [SafetyScenario] {
        Ripening.allCases.flatMap { ripening in
            [90.0...120, 300...600].map { metres in
                lyingAsBeliefRipens(fixes: fixes, metres: metres, ripening, by: .honest(4))
            }
        }
    }

    /// False fixes just when a belief ripens, for people who were inside until then.
    package static func liesAsLeavingRipens(of fixes: Int) -> [SafetyScenario] {
        Ripening.allCases.map { lyingAsBeliefRipens(fixes: fixes, metres: 5...40, $0, by: .honest(4)) }
    }

    /// Where a person comes from who then stays outside, while a network locates their phone inside.
    package enum Contradiction: String, Hashable, Sendable, CaseIterable {
        case cameOut = "came out"
        case wasNeverIn = "was never in"
    }

    /// An hour that ends 45 to 150 m outside, where a network locates the phone in the middle of the shelter with
    /// accuracies of 30 to 60 m, and the phone itself now and then where it truly is.
    package static func contradicted(
        _ contradiction: Contradiction, ownFixEvery seconds: Double, by phone: SafetyPhone
    ) -> SafetyScenario {
        SafetyScenario("contradictions that last", purpose: 41) { number, chance in
            let place = chance.vector(length: chance.uniform(105, 210))
            var way: SafetyWay
            switch contradiction {
            case .cameOut: way = SafetyWay(from: chance.vector(length: chance.uniform(0, 40)))
            case .wasNeverIn: way = SafetyWay(from: place * 2)
            }
            way.rest(seconds: chance.uniform(180, 300))
            var phone = phone
            phone.network = .init(fromSeconds: way.seconds, place: .zero, ownFixEverySeconds: seconds)
            way.move(to: place, speed: 1.3)
            way.rest(seconds: 3_600 - way.seconds)
            return SafetyRun(way, [phone])
        }
    }
}
