import MusterCore
import MusterGeometry
import Testing

/// How far two people are from each other by measured ranges.
@Suite struct RangeTests {
    /// Ana, Lea and Ben, each with a phone; Ben agreed to be measured.
    private func world() -> World {
        var world = World.crew(silenceSeconds: 600)
        world.agree(World.bensPhone)
        return world
    }

    @Test func `a range decides what fixes cannot, and without any fix at all`() throws {
        var world = world()
        try world.measure(.person(World.ben), within: 3)
        world.range(8, at: 71)
        #expect(world.proximityTurns == ["made"])
        #expect(world.reading(of: World.ana)?.standing == .beyond)
        world.range(2, at: 72)
        #expect(world.proximityTurns == ["made", "near 1"])
        let near = try #require(world.proximity.last)
        #expect(near.source == .ultraWideband)
        #expect(try #require(near.metres) == 2)
        #expect(near.at == World.time(72))
        // With fixes of five metres nothing more is known of three metres, and the range still decides.
        world.stand([World.phone: 0, World.bensPhone: 2], to: 90)
        world.range(2.1, at: 91)
        #expect(world.reading(of: World.ana)?.standing == .within)
        world.range(5, at: 92)
        #expect(world.proximityTurns == ["made", "near 1", "left 1"])
    }

    @Test func `a range measured by either end counts, also for a centre that is a device`() throws {
        var world = world()
        world.agree(World.phone)
        try world.measure(.device(World.bensPhone), within: 3)
        world.range(2, from: World.bensPhone, to: World.phone, at: 71)
        #expect(world.proximityTurns == ["made", "near 1"])
        // Lea is measured by nobody.
        #expect(world.reading(of: World.lea)?.standing == .unknown)
    }

    @Test func `a person who did not agree is not measured, and a withdrawal holds from then on`() throws {
        var world = World.crew(silenceSeconds: 600)
        try world.measure(.person(World.ben), within: 3)
        #expect(world.range(2, at: 71) == .filtered)
        #expect(world.ranges.isEmpty)
        world.agree(World.bensPhone)
        #expect(world.range(2, at: 72) == .accepted)
        world.agree(World.bensPhone, false)
        #expect(world.reading(of: World.ana)?.standing == .unknown)
        #expect(world.range(2, at: 73) == .filtered)
        #expect(world.ranges.count == 1)
        // A withdrawal is no evidence that Ana left.
        #expect(world.proximityTurns == ["made", "near 1"])
    }

    @Test func `a device does not measure its owner, and who gets a device has not agreed yet`() throws {
        var world = world()
        let watch = DeviceNumber(9)
        world.edit(
            .putDevice(Device(number: watch, name: "watch", user: World.ana, rangeTag: World.rangeTag(of: watch))))
        #expect(world.range(1, to: watch, at: 71) == .filtered)
        let (ben, ana) = (
            try #require(world.directory.users[World.ben]), try #require(world.directory.users[World.ana])
        )
        let phone = try #require(world.directory.devices[World.bensPhone])
        world.carryOut(try world.directory.giving(phone, from: ben, to: ana, alias: "ben"))
        #expect(world.directory.devices[World.bensPhone]?.rangeTag == nil)
        #expect(world.directory.device(with: World.rangeTag(of: World.bensPhone)) == nil)
    }

    @Test func `the same range twice changes nothing, and a late one is history`() throws {
        var world = world()
        try world.measure(.person(World.ben), within: 3)
        #expect(world.range(2, at: 75) == .accepted)
        #expect(world.range(2, at: 75) == nil)
        #expect(world.range(20, at: 73) == .late)
        #expect(world.range(20, at: 73) == nil)
        // It was on its way for longer than a range counts.
        #expect(world.range(30, at: 80, receivedAt: 120) == .late)
        // The phone's clock is ahead by more than a minute.
        #expect(world.range(40, at: 300, receivedAt: 121) == .late)
        #expect(world.ranges.map(\.isCurrent) == [true, false, false, false])
        #expect(world.proximityTurns == ["made", "near 1"])
    }

    @Test func `a repetition is known also where a clock ahead dated it after all that are kept`() throws {
        var world = world()
        // Beyond the tolerance, and within it.
        for seconds in [300.0, 160] {
            world.range(2, at: seconds, receivedAt: 121)
            for later in stride(from: world.now + 1, through: 155, by: 1) { world.range(2, at: later) }
            let stored = world.ranges.count
            #expect(world.range(2, at: seconds, receivedAt: 156) == nil)
            #expect(world.ranges.count == stored)
        }
    }

    @Test func `a range ages: its deviation grows, and after half a minute it counts no more`() throws {
        var world = world()
        try world.measure(.person(World.ben), within: 10)
        world.range(2, at: 71)
        var deviations: [Double] = []
        for second in [71.0, 73, 76] {
            world.now = second
            let reading = try #require(world.reading(of: World.ana))
            deviations.append(try #require(reading.deviationMetres))
        }
        #expect(deviations == deviations.sorted() && deviations[0] == 0.3)
        // Two who walk apart at 1 m/s each, 5 s long.
        #expect(abs(deviations[2] - 7.08) < 0.05)
        world.now = 76
        #expect(world.reading(of: World.ana)?.standing == .unknown)
        world.now = 102
        #expect(world.reading(of: World.ana)?.metres == nil)
        #expect(world.proximityTurns == ["made", "near 1"])
    }

    @Test func `a range and fixes that contradict each other decide nothing`() throws {
        var world = world()
        try world.measure(.person(World.ben), within: 30)
        world.stand([World.phone: 400, World.bensPhone: 0], to: 200)
        #expect(world.reading(of: World.ana)?.standing == .beyond)
        world.range(3, at: 201)
        #expect(world.reading(of: World.ana)?.standing == .unknown)
        #expect(world.proximityTurns == ["made"])
    }

    @Test func `two ranges that contradict each other decide nothing`() throws {
        var world = world()
        world.agree(World.phone)
        try world.measure(.person(World.ben), within: 30)
        world.range(40, at: 71)
        world.range(3, from: World.bensPhone, to: World.phone, at: 71)
        #expect(world.reading(of: World.ana)?.standing == .unknown)
        #expect(world.proximityTurns == ["made"])
    }

    @Test func `of a range and fixes the more certain decides`() throws {
        var world = world()
        try world.measure(.person(World.ben), within: 40)
        world.stand([World.phone: 30, World.bensPhone: 0], to: 400, accuracy: 3)
        let byFixes = try #require(world.reading(of: World.ana))
        #expect(byFixes.source == nil)
        world.range(45, deviation: 30, at: 401, source: .bluetooth)
        #expect(world.reading(of: World.ana)?.source == nil)
        #expect(world.reading(of: World.ana)?.standing == byFixes.standing)
    }

    @Test func `a deviation below the minimum of its source is raised to it`() {
        for source in PeerRange.Source.allCases {
            let range = PeerRange(
                to: World.bensPhone, sampleTime: World.time(0), receivedTime: World.time(0), metres: 1,
                deviationMetres: 0.000_1, source: source)
            #expect(range.deviationMetres == source.leastDeviationMetres && range.deviationMetres >= 0.1)
        }
    }

    @Test func `a range changes no safety, and does not show that a person was heard`() {
        var world = world()
        world.putSquare(2, at: 46, 14, isMuster: true)
        world.stand([World.bensPhone: World.metresPerDegree], to: 200)
        let before = (world.engine.safety(of: World.ana), world.engine.heardTime(of: World.phone))
        world.range(1, at: 201)
        #expect(world.engine.safety(of: World.ana) == before.0)
        #expect(world.engine.heardTime(of: World.phone) == before.1)
    }

    @Test func `people of other teams are measured for no rule`() throws {
        var world = world()
        try world.measure(.person(World.ben), within: 3)
        var ana = try #require(world.directory.users[World.ana])
        ana.team = nil
        world.edit(.putUser(ana))
        #expect(world.range(2, at: 71) == .accepted)
        #expect(world.proximityTurns == ["made"])
    }

    @Test func `a tag is 32 hexadecimal digits, and names one device`() {
        let text = "00112233445566778899aabbccddeeff"
        #expect(RangeTag(text)?.description == text)
        #expect(RangeTag(text.uppercased())?.description == text)
        #expect(RangeTag(bytes: RangeTag(text)?.bytes ?? []) == RangeTag(text))
        for wrong in ["", "0011", text + "00", String(text.dropLast()) + "g", text.dropLast() + "é"] {
            #expect(RangeTag(wrong) == nil, "\(wrong)")
        }
    }

    @Test func `a secret is 64 hexadecimal digits, shows none of them, and its tag is the half of a digest`() throws {
        let text = String(repeating: "00112233aaBBccDD", count: 4)
        let secret = try #require(RangeSecret(text))
        #expect(secret.digits == text.lowercased() && RangeSecret(secret.digits) == secret)
        let short = String(text.dropLast())
        for wrong in ["", "0011", text + "00", short + "g", short + "é", short] {
            #expect(RangeSecret(wrong) == nil, "\(wrong)")
        }
        var dumped = ""
        dump(secret, to: &dumped)
        for shown in ["\(secret)", String(reflecting: secret), "\([secret])", dumped] {
            #expect(!shown.contains("170") && !shown.lowercased().contains("aabb"), "\(shown)")
        }
        var hashed: [UInt8] = []
        let digest: [UInt8] = Array(0..<32)
        let tag = secret.tag { bytes in
            hashed = bytes
            return digest
        }
        #expect(tag == RangeTag(bytes: digest.prefix(16)))
        #expect(String(decoding: hashed.prefix(17), as: UTF8.self) == "muster range tag\0" && hashed.count == 49)
        var generator = SystemRandomNumberGenerator()
        #expect(RangeSecret(using: &generator) != RangeSecret(using: &generator))
    }
}
