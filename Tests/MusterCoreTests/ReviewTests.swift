import MusterCore
import MusterGeometry
import Testing

/// Edits that concern more people than are decided anew in one transaction.
@Suite struct ReviewTests {
    private static let count: Int32 = 7

    private static func user(_ index: Int32) -> UserNumber { UserNumber(10 + index) }
    private static func phone(_ index: Int32) -> DeviceNumber { DeviceNumber(10 + index) }

    /// Seven people in a muster region of ±111 m around 45, 14, and a minute of fixes of each.
    private static func assembled(_ policy: CrossingPolicy) -> World {
        var world = World(policy: policy)
        world.putSquare(1, at: 45, 14, isMuster: true)
        for index in 0..<count {
            world.edit(.putUser(User(number: user(index), name: "u\(index)", role: .member, team: World.team)))
            world.edit(.putDevice(Device(number: phone(index), name: "p", user: user(index))))
            world.stay(45, 14, from: 0, to: 60, by: phone(index))
        }
        return world
    }

    /// Follows an edit, and reviews one slice.
    private static func follow(_ edit: Edit, _ world: inout World, slice: Int) {
        world.directory.apply(edit)
        world.engine.apply(edit)
        review(&world, slice: slice)
    }

    private static func review(_ world: inout World, slice: Int) {
        world.engine.review(now: World.time(world.now), limit: slice, into: &world.decision)
        world.settle()
    }

    private static func safety(_ world: World) -> [String] {
        (0..<count).map { index in
            let safety = world.engine.safety(of: user(index))
            return safety.source == .underReview ? "\(safety.state) under review" : "\(safety.state)"
        }
    }

    private static func repeated(_ groups: (String, Int)...) -> [String] {
        groups.flatMap { Array(repeating: $0.0, count: $0.1) }
    }

    @Test(arguments: CrossingPolicy.allCases)
    func `a person not yet reviewed is unknown, and never safe by the old shape`(policy: CrossingPolicy) {
        var world = Self.assembled(policy)
        #expect(Self.safety(world) == Self.repeated(("safe", 7)))
        let crossings = world.crossings
        Self.follow(.putRegion(world.square(1, at: 45.01, 14, isMuster: true)), &world, slice: 3)
        #expect(Self.safety(world) == Self.repeated(("unsafe", 3), ("unknown under review", 4)))
        // Nor by a fix where the region was.
        world.report(45, 14, at: 65, accuracy: 5, by: Self.phone(6))
        #expect(Self.safety(world) == Self.repeated(("unsafe", 3), ("unknown under review", 4)))
        Self.review(&world, slice: 3)
        #expect(Self.safety(world) == Self.repeated(("unsafe", 6), ("unknown under review", 1)))
        #expect(world.engine.isReviewDue)
        Self.review(&world, slice: 3)
        #expect(Self.safety(world) == Self.repeated(("unsafe", 7)))
        #expect(!world.engine.isReviewDue)
        #expect(world.crossings.count { $0.hasPrefix("enter") } == crossings.count { $0.hasPrefix("enter") })
    }

    @Test(arguments: CrossingPolicy.allCases)
    func `a person who is still inside is safe again after their review`(policy: CrossingPolicy) {
        var world = Self.assembled(policy)
        Self.follow(.putRegion(world.square(1, at: 45, 14, half: 0.0011, isMuster: true)), &world, slice: 2)
        #expect(Self.safety(world) == Self.repeated(("safe", 2), ("unknown under review", 5)))
        while world.engine.isReviewDue { Self.review(&world, slice: 2) }
        #expect(Self.safety(world) == Self.repeated(("safe", 7)))
    }

    @Test func `a declaration counts during a review`() {
        var world = Self.assembled(.confident)
        Self.follow(.putRegion(world.square(1, at: 45, 14, half: 0.0011, isMuster: true)), &world, slice: 2)
        world.declare(.needsHelp, of: Self.user(6), at: 61)
        #expect(Self.safety(world).last == "needsHelp")
        while world.engine.isReviewDue { Self.review(&world, slice: 2) }
        #expect(Self.safety(world).last == "needsHelp")
    }

    @Test(arguments: CrossingPolicy.allCases)
    func `edits that arrive during a review are reviewed with the others`(policy: CrossingPolicy) {
        var world = Self.assembled(policy)
        Self.follow(.putRegion(world.square(1, at: 45.01, 14, isMuster: true)), &world, slice: 2)
        Self.follow(.putRegion(world.square(2, at: 45, 14, isMuster: true)), &world, slice: 2)
        while world.engine.isReviewDue { Self.review(&world, slice: 2) }
        #expect(Self.safety(world) == Self.repeated(("safe", 7)))
        #expect((0..<Self.count).allSatisfy { world.engine.safety(of: Self.user($0)).region == RegionNumber(2) })
        Self.follow(.removeRegion(RegionNumber(2), from: World.collection), &world, slice: 100)
        #expect(Self.safety(world) == Self.repeated(("unsafe", 7)))
    }

    @Test func `a review slice that the disk refuses is done again`() {
        var world = Self.assembled(.confident)
        let edit = Edit.putRegion(world.square(1, at: 45.01, 14, isMuster: true))
        world.engine.apply(edit)
        for slice in [3, 100] {
            world.engine.review(now: World.time(61), limit: slice, into: &world.decision)
            world.decision.discard()
            #expect(world.engine.isReviewDue)
        }
        Self.review(&world, slice: 3)
        world.engine.review(now: World.time(61), limit: 3, into: &world.decision)
        world.decision.discard()
        #expect(Self.safety(world) == Self.repeated(("unsafe", 3), ("unknown under review", 4)))
        Self.review(&world, slice: 100)
        #expect(Self.safety(world) == Self.repeated(("unsafe", 7)))
    }

    @Test(arguments: CrossingPolicy.allCases)
    func `a review that was unfinished at the stop is finished after the start`(policy: CrossingPolicy) {
        var world = Self.assembled(policy)
        Self.follow(.putRegion(world.square(1, at: 45.01, 14, isMuster: true)), &world, slice: 3)
        let devices = (0..<Self.count).map(Self.phone)
        let records = devices.map { ($0, world.engine.record(of: $0, after: world.decision)) }
        let before = world.engine
        world.engine = Engine(
            directory: world.directory, positions: [],
            presences: devices.map { ($0, before.presences(of: $0)) },
            safety: (0..<Self.count).map { (Self.user($0), before.safety(of: Self.user($0))) })
        world.engine.resume(records)
        world.engine.restartReview()
        #expect(Self.safety(world) == Self.repeated(("unsafe", 3), ("unknown under review", 4)))
        world.report(45, 14, at: 62, accuracy: 5, by: Self.phone(6))
        #expect(!Self.safety(world).contains("safe"))
        world.sweep(at: 63)
        #expect(Self.safety(world) == Self.repeated(("unsafe", 7)))
    }

    @Test func `a declaration during a review does not bring back the old shape after a restart`() {
        var world = Self.assembled(.confident)
        let (user, phone) = (Self.user(6), Self.phone(6))
        Self.follow(.putRegion(world.square(1, at: 45.01, 14, isMuster: true)), &world, slice: 3)
        world.declare(.safe, of: user, at: 61)
        #expect(world.engine.safety(of: user).source == .ownDeclaration)
        let record = world.engine.record(of: phone, after: world.decision)
        world.engine = Engine(
            directory: world.directory, positions: [], presences: [(phone, world.engine.presences(of: phone))],
            safety: [(user, world.engine.safety(of: user))])
        world.engine.resume([(phone, record)])
        world.engine.restartReview()
        world.sweep(at: 62)
        #expect(world.engine.safety(of: user).state == .unsafe)
    }

    @Test func `an older store evaluates muster regions of raw collections by the latest positions`() {
        var world = Self.assembled(.raw)
        let phone = Self.phone(0)
        let trail: [Position] = world.log.compactMap { change in
            if case .position(let position, of: phone, isCurrent: true) = change { position } else { nil }
        }
        let presences = world.engine.presences(of: phone)
        let safe = world.engine.safety(of: Self.user(0))
        world.engine = Engine(
            directory: world.directory, positions: [(phone, trail[trail.count - 1])],
            presences: [(phone, presences)], safety: [(Self.user(0), safe)])
        #expect(world.engine.devicesWithMusterRegions.map(\.device) == [phone])
        world.engine.rebuildMusterPresences(of: phone, from: trail)
        Self.review(&world, slice: 100)
        #expect(Self.safety(world)[0] == "safe")
        world.putSquare(1, at: 45.01, 14, isMuster: true)
        #expect(Self.safety(world)[0] == "unsafe")
    }
}
