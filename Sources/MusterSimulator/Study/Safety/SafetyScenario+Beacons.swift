import MusterGeometry

/// People at an assembly point whose safety a beacon decides, beside the fixes of their phones.
extension SafetyScenario {
    /// A phone with a fix every 5 s that errs by 8 m.
    private static let phone = SafetyPhone.honest(8, driftShare: 0.4)
    /// The assembly point: a circle with the beacon in its middle, which phones hear within the circle.
    private static let point = SafetyRun.Shelter(.zero, radius: 40)

    /// How a phone reports the beacon.
    package enum Ear: String, Hashable, Sendable, CaseIterable {
        case sightings = "reports sightings alone"
        case listening = "says that it listens"

        fileprivate func radio(reachMetres: Double, heardShare: Double = 0.8) -> SafetyRadio {
            SafetyRadio(
                reachMetres: reachMetres, heardShare: heardShare, listeningSeconds: self == .listening ? 10 : nil)
        }
    }

    private static func run(_ way: SafetyWay, _ radio: SafetyRadio) -> SafetyRun {
        var run = SafetyRun(way, [phone])
        run.shelters = [point]
        run.radio = radio
        return run
    }

    /// Three to five minutes within 20 m of the beacon, then straight away.
    package static func leavingBeacon(speed: Double, _ ear: Ear) -> SafetyScenario {
        SafetyScenario("leaves a beacon", purpose: 37) { number, chance in
            var way = SafetyWay(from: chance.vector(length: chance.uniform(0, 20)))
            way.rest(seconds: chance.uniform(180, 300))
            way.move(to: way.end + chance.vector(length: max(300, speed * 150)), speed: speed)
            way.rest(seconds: 60)
            return run(way, ear.radio(reachMetres: point.radius))
        }
    }

    /// An hour 15 m or more inside.
    package static func stayingAtBeacon(_ ear: Ear) -> SafetyScenario {
        SafetyScenario("stays at a beacon", purpose: 38) { number, chance in
            var way = SafetyWay(from: chance.vector(length: chance.uniform(0, 25)))
            while way.seconds < 3600 {
                way.rest(seconds: chance.uniform(60, 600))
                way.move(to: chance.vector(length: chance.uniform(0, 25)), speed: 1.2)
            }
            return run(way, ear.radio(reachMetres: point.radius))
        }
    }

    /// An hour at rest some metres outside, where the phone hears the beacon through a wall now and then.
    package static func besideWall(metres: ClosedRange<Double>, _ ear: Ear) -> SafetyScenario {
        SafetyScenario("hears a beacon through a wall", purpose: 39) { number, chance in
            let outside = chance.uniform(metres.lowerBound, metres.upperBound)
            var way = SafetyWay(from: chance.vector(length: point.radius + outside))
            way.rest(seconds: 3_600)
            return run(way, ear.radio(reachMetres: point.radius + metres.upperBound + 1, heardShare: 0.3))
        }
    }
}
