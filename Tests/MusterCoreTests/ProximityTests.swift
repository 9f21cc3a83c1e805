import MusterCore
import MusterGeometry
import MusterTestSupport
import Testing

/// Who comes near a person or device that moves, and who is away from it.
@Suite struct ProximityTests {
    /// Ana, Lea and Ben, each with a phone.
    private func world() -> World { World.crew(silenceSeconds: 600) }

    @Test func `someone who comes near a device that stands is reported once, and so is leaving`() throws {
        var world = world()
        try world.measure(.device(World.bensPhone), within: 50)
        world.stand([World.phone: 500, World.bensPhone: 0], to: 200)
        #expect(world.proximityTurns == ["made"])
        for metres in stride(from: 500.0, through: 20, by: -10) {
            world.stand([World.phone: metres, World.bensPhone: 0], to: world.now + 5)
        }
        world.stand([World.phone: 20, World.bensPhone: 0], to: world.now + 60)
        #expect(world.proximityTurns == ["made", "near 1"])
        let near = try #require(world.proximity.last)
        #expect(near.since == near.at && near.by == nil)
        #expect(try #require(near.metres) < 50)
        #expect(world.reading(of: World.ana)?.standing == .within)
        for metres in stride(from: 20.0, through: 300, by: 10) {
            world.stand([World.phone: metres, World.bensPhone: 0], to: world.now + 5)
        }
        #expect(world.proximityTurns == ["made", "near 1", "left 1"])
        #expect(world.engine.proximityAlarms(of: World.closeness).isEmpty)
    }

    @Test func `coarse positions far away end a nearness that a good one showed, and show none themselves`() throws {
        var world = world()
        world.stand([World.phone: 0, World.bensPhone: 5], to: 200)
        try world.measure(.person(World.ben), within: 100, .together(afterSeconds: 120), of: .person(World.ana))
        #expect(world.reading(of: World.ana)?.standing == .within)
        // Ana drives 20 km off; her phone tells it with an error of 3 km, which is no surprise to the filter at first.
        for minute in 1...120 {
            world.report(
                45 + Double(min(minute * 170, 20_000)) / World.metresPerDegree, 14, at: 200 + Double(minute) * 60,
                accuracy: 3_000)
            world.stand([World.bensPhone: 5], to: 200 + Double(minute) * 60 + 1, every: 1)
        }
        #expect(world.reading(of: World.ana)?.standing == .beyond)
        #expect(world.proximityTurns == ["made", "apart 1"])
        // Back at Ben's by a coarse position: nobody knows.
        for minute in 121...140 {
            world.report(45, 14, at: 200 + Double(minute) * 60, accuracy: 3_000)
            world.stand([World.bensPhone: 5], to: 200 + Double(minute) * 60 + 1, every: 1)
        }
        #expect(world.reading(of: World.ana)?.standing == .unknown)
        #expect(world.proximityTurns == ["made", "apart 1"])
    }

    @Test func `a fence moves with its centre`() throws {
        var world = world()
        world.stand([World.phone: 800, World.bensPhone: 0], to: 130)
        try world.measure(.person(World.ben), within: 60)
        // Ben drives past Ana, who stands.
        for metres in stride(from: 0.0, through: 1_600, by: 20) {
            world.stand([World.phone: 800, World.bensPhone: metres], to: world.now + 5)
        }
        #expect(world.proximityTurns == ["made", "near 1", "left 1"])
        // They go on together.
        for metres in stride(from: 1_600.0, through: 2_600, by: 10) {
            world.stand([World.phone: metres + 10, World.bensPhone: metres], to: world.now + 5)
        }
        #expect(world.proximityTurns == ["made", "near 1", "left 1", "near 1"])
    }

    @Test func `the centre and its owner are not counted, and neither are other roles`() throws {
        var world = world()
        world.stand([World.phone: 0, World.leasPhone: 0, World.bensPhone: 0], to: 200)
        try world.measure(.device(World.bensPhone), within: 50, of: .role(.member))
        #expect(world.proximityTurns == ["made", "near 1"])
        let rule = try #require(world.proximityRule)
        #expect(world.engine.proximity(of: rule, now: World.time(world.now)).map(\.user) == [World.ana])
    }

    @Test func `being apart too long is reported by the clock, and so is being together again`() throws {
        var world = world()
        world.stand([World.phone: 0, World.bensPhone: 5], to: 200)
        try world.measure(.person(World.ben), within: 50, .together(afterSeconds: 120), of: .person(World.ana))
        // Away for a minute only.
        for metres in [20.0, 60, 100, 100, 100, 60, 20, 5] {
            world.stand([World.phone: metres, World.bensPhone: 5], to: world.now + 10)
        }
        world.stand([World.phone: 5, World.bensPhone: 5], to: world.now + 300)
        #expect(world.proximityTurns == ["made"])
        #expect(world.engine.proximityAlarms(of: World.closeness).isEmpty)
        world.stand([World.phone: 200, World.bensPhone: 5], to: world.now + 300)
        #expect(world.proximityTurns == ["made", "apart 1"])
        let apart = try #require(world.proximity.last)
        let lasted = apart.at.seconds(since: try #require(apart.since))
        #expect(lasted >= 120 && lasted <= 130)
        world.stand([World.phone: 10, World.bensPhone: 5], to: world.now + 300)
        #expect(world.proximityTurns == ["made", "apart 1", "together 1"])
    }

    @Test func `silence ends no alarm and hides none`() throws {
        var world = world()
        world.stand([World.phone: 0, World.bensPhone: 5], to: 200)
        try world.measure(.person(World.ben), within: 50, .together(afterSeconds: 120))
        // Ana walks off; then nobody is heard any more.
        world.stand([World.phone: 300, World.bensPhone: 5], to: world.now + 60)
        world.pass(to: world.now + 2_000)
        #expect(world.proximityTurns == ["made", "apart 1"])
        #expect(world.reading(of: World.ana)?.standing == .unknown)
        #expect(world.engine.proximityAlarms(of: World.closeness).map(\.isTold) == [true])
    }

    @Test func `fixes too inaccurate for the radius decide nothing`() throws {
        var world = world()
        try world.measure(.person(World.ben), within: 30)
        try world.measure(.person(World.ben), within: 30, .together(afterSeconds: 0), number: ProximityNumber(2))
        world.stand([World.phone: 10, World.bensPhone: 0], to: 400, accuracy: 80)
        #expect(world.proximityTurns == ["made", "made"])
        let reading = try #require(world.reading(of: World.ana))
        #expect(reading.standing == .unknown)
        #expect(try #require(reading.deviationMetres) > 30)
    }

    @Test func `a position that is old counts as far as one may have walked since`() throws {
        var world = world()
        world.stand([World.phone: 0, World.bensPhone: 5], to: 200)
        try world.measure(.person(World.ben), within: 50, .together(afterSeconds: 0))
        // Ben is silent for two minutes; Ana goes 100 m in that time: Ben may have come along.
        for metres in stride(from: 5.0, through: 100, by: 5) {
            world.stand([World.phone: metres], to: world.now + 6)
        }
        #expect(world.proximityTurns == ["made"])
        #expect(world.reading(of: World.ana)?.standing == .unknown)
        // Two kilometres by car: Ben cannot be there on foot.
        for metres in stride(from: 100.0, through: 2_000, by: 100) {
            world.stand([World.phone: metres], to: world.now + 5)
        }
        #expect(world.proximityTurns == ["made", "apart 1"])
    }

    @Test func `devices that contradict each other decide nothing`() throws {
        var world = world()
        let tablet = DeviceNumber(4)
        world.edit(.putDevice(Device(number: tablet, name: "tablet", user: World.ana)))
        try world.measure(.person(World.ben), within: 50)
        world.stand([World.phone: 10, tablet: 900, World.bensPhone: 0], to: 300)
        #expect(world.proximityTurns == ["made"])
        #expect(world.reading(of: World.ana)?.standing == .unknown)
        // The tablet falls silent, and has no say after the team's limit.
        world.stand([World.phone: 10, World.bensPhone: 0], to: 1_000)
        #expect(world.proximityTurns == ["made", "near 1"])
    }

    @Test func `a late position moves nothing`() throws {
        var world = world()
        world.stand([World.phone: 500, World.bensPhone: 0], to: 300)
        try world.measure(.person(World.ben), within: 50)
        for second in stride(from: 200.0, through: 280, by: 5) {
            world.report(45, 14, at: second, receivedAt: 310, accuracy: 5)
        }
        #expect(world.proximityTurns == ["made"])
    }

    @Test func `a restart keeps alarms and reports nothing twice`() throws {
        var world = world()
        world.stand([World.phone: 300, World.bensPhone: 5], to: 200)
        try world.measure(.person(World.ben), within: 50, .together(afterSeconds: 120))
        world.stand([World.phone: 300, World.bensPhone: 5], to: world.now + 60)
        let first = world.engine.proximityAlarms(of: World.closeness)
        #expect(first.map(\.isTold) == [false])
        world.restartWithProximity()
        #expect(world.engine.proximityAlarms(of: World.closeness) == first)
        world.stand([World.phone: 300, World.bensPhone: 5], to: world.now + 90)
        #expect(world.proximityTurns == ["made", "apart 1"])
        world.restartWithProximity()
        world.stand([World.phone: 300, World.bensPhone: 5], to: world.now + 200)
        #expect(world.proximityTurns == ["made", "apart 1"])
        world.stand([World.phone: 5, World.bensPhone: 5], to: world.now + 200)
        #expect(world.proximityTurns == ["made", "apart 1", "together 1"])
    }

    @Test func `a user who left the team is not counted, nor a centre that left`() throws {
        var world = world()
        world.stand([World.phone: 0, World.leasPhone: 0, World.bensPhone: 0], to: 200)
        try world.measure(.person(World.ben), within: 50)
        #expect(Set(world.proximityTurns) == ["made", "near 1", "near 2"])
        world.edit(.putUser(User(number: World.ana, name: "ana", role: .member, team: nil)))
        world.sweep(at: world.now + 5)
        #expect(world.engine.proximityAlarms(of: World.closeness).map(\.user) == [World.lea])
        world.edit(.putUser(User(number: World.ben, name: "ben", role: .member, team: nil)))
        world.stand([World.leasPhone: 900, World.bensPhone: 0], to: world.now + 60)
        #expect(world.engine.proximityAlarms(of: World.closeness).isEmpty)
        #expect(world.reading(of: World.lea)?.standing == .unknown)
    }

    @Test func `a changed rule ends its reports and evaluates everyone again`() throws {
        var world = world()
        world.stand([World.phone: 20, World.leasPhone: 200, World.bensPhone: 0], to: 200)
        try world.measure(.person(World.ben), within: 50)
        #expect(world.proximityTurns == ["made", "near 1"])
        try world.measure(.person(World.ben), within: 400)
        #expect(world.proximityTurns == ["made", "near 1", "changed", "near 1", "near 2"])
        try world.engine.removeProximityRule(
            World.closeness, by: World.lea, now: World.time(world.now), into: &world.decision)
        world.settle()
        #expect(world.proximityTurns.last == "removed")
        #expect(world.engine.proximityRules(of: World.team).isEmpty)
    }

    @Test func `a team has a limit of proximity rules`() throws {
        var world = world()
        for number in 1...Int32(ProximityRule.teamLimit) {
            try world.measure(.person(World.ben), within: 50, number: ProximityNumber(number))
        }
        #expect(throws: ProximityError.tooMany(limit: 50)) {
            try world.measure(.person(World.ben), within: 50, number: ProximityNumber(51))
        }
        try world.measure(.person(World.ben), within: 60, number: ProximityNumber(50))
        #expect(throws: ProximityError.hasNoRule) {
            try world.engine.removeProximityRule(
                ProximityNumber(51), by: World.lea, now: World.time(world.now), into: &world.decision)
        }
    }

    @Test func `the people counted by the rules around one centre are limited`() throws {
        var world = world()
        for number in Int32(10)..<1_010 {
            world.edit(.putUser(User(number: UserNumber(number), name: "u\(number)", role: .member, team: World.team)))
        }
        try world.measure(.person(World.ben), within: 50, of: .role(.member))
        #expect(throws: ProximityError.tooManyPeople(limit: 2_000)) {
            try world.measure(.person(World.ben), within: 60, number: ProximityNumber(2))
        }
        // Around another centre, or fewer of the team, there may be more.
        try world.measure(.person(World.ana), within: 60, number: ProximityNumber(2))
        try world.measure(.person(World.ben), within: 60, of: .role(.leader), number: ProximityNumber(3))
        #expect(world.proximityTurns == ["made", "made", "made"])
    }

    @Test func `a user who is the centre or the only subject of a rule cannot be joined`() throws {
        var world = world()
        try world.measure(.person(World.ben), within: 50, of: .person(World.ana))
        for user in [World.ana, World.ben] {
            #expect(throws: JoinError.isExpected) {
                try world.engine.checkJoins(among: [.joinUser(user, to: World.lea)])
            }
        }
    }
}

/// The probability that two devices are within a distance of each other.
@Suite struct SeparationTests {
    @Test(arguments: [(0.0, 10.0, 20.0), (30, 10, 20), (20, 10, 20), (5, 40, 20), (100, 30, 90), (0, 1, 3)])
    func `it is the share of errors that leaves the two within the radius`(
        metres: Double, deviation: Double, radius: Double
    ) {
        let separation = Separation(metres: metres, deviationMetres: deviation)
        var chance = Chance(seed: 7)
        let draws = SoakSeeds.rounds(50_000, inSoak: 200_000)
        var inside = 0
        for _ in 0..<draws {
            let (x, y) = (metres + deviation * chance.normal(), deviation * chance.normal())
            if x * x + y * y <= radius * radius { inside += 1 }
        }
        let share = Double(inside) / Double(draws)
        #expect(abs(separation.probability(withinMetres: radius) - share) < 0.005)
    }

    @Test func `around the same place it follows the Rayleigh distribution`() {
        // 1 − exp(−r² / 2σ²) at r = σ, 2σ and 3σ.
        for (radius, expected) in [(10.0, 0.393_469), (20, 0.864_665), (30, 0.988_891)] {
            let separation = Separation(metres: 0, deviationMetres: 10)
            #expect(abs(separation.probability(withinMetres: radius) - expected) < 0.001)
        }
    }

    @Test func `far away it is 0, certainly within it is 1, and without an error it is one or the other`() {
        #expect(Separation(metres: 1e7, deviationMetres: 100).probability(withinMetres: 1_000) == 0)
        #expect(Separation(metres: 10, deviationMetres: 1).probability(withinMetres: 1_000) == 1)
        #expect(Separation(metres: 10, deviationMetres: 0).probability(withinMetres: 10) == 1)
        #expect(Separation(metres: 10.1, deviationMetres: 0).probability(withinMetres: 10) == 0)
    }
}
