import MusterCore
import MusterGeometry
import Testing

/// What edits do to people who stand where they stood: safety and presences follow at once, events with the next fix.
@Suite struct EditTests {
    /// Ana stands in a muster region of ±111 m around 45, 14, for a minute.
    private static func assembled(_ policy: CrossingPolicy) -> World {
        var world = World(policy: policy)
        world.putSquare(1, at: 45, 14, isMuster: true)
        world.stay(45, 14, from: 0, to: 60)
        return world
    }

    @Test(arguments: CrossingPolicy.allCases)
    func `moving a muster region leaves nobody safe in its old place, silent or not`(
        policy: CrossingPolicy
    ) {
        var world = Self.assembled(policy)
        #expect(world.safety == [.safe])
        let crossings = world.crossings
        world.now = 900
        world.putSquare(1, at: 45.01, 14, isMuster: true)
        #expect(world.safety == [.safe, .unsafe])
        #expect(world.ana == Safety(state: .unsafe, since: World.time(900)))
        #expect(world.reports.last?.hasPrefix("outside 1") == true)
        #expect(world.crossings == crossings)
        world.report(45, 14, at: 905, accuracy: 5)
        #expect(world.crossings == crossings + ["exit 1"])
        world.report(45, 14, at: 910, accuracy: 5)
        #expect(world.crossings == crossings + ["exit 1"])
    }

    @Test(arguments: CrossingPolicy.allCases)
    func `a muster region that comes back before the next fix was never left`(policy: CrossingPolicy) {
        var world = Self.assembled(policy)
        let crossings = world.crossings
        world.putSquare(1, at: 45.01, 14, isMuster: true)
        world.putSquare(1, at: 45, 14, isMuster: true)
        #expect(world.safety == [.safe, .unsafe, .safe])
        world.stay(45, 14, from: 65, to: 80)
        #expect(world.crossings == crossings)
    }

    @Test(arguments: CrossingPolicy.allCases)
    func `a region that stops being a muster region makes nobody safe, without an exit`(policy: CrossingPolicy) {
        var world = Self.assembled(policy)
        let crossings = world.crossings
        world.putSquare(1, at: 45, 14)
        #expect(world.safety == [.safe, .unsafe])
        world.report(45, 14, at: 65, accuracy: 5)
        #expect(world.crossings == crossings)
        #expect(world.engine.presences(of: World.phone).map(\.region.rawValue) == [1])
        world.putSquare(1, at: 45, 14, isMuster: true)
        #expect(world.safety == [.safe, .unsafe, .safe])
        #expect(world.crossings == crossings)
    }

    @Test func `a safe person stays so when the policy of the collection changes and changes back`() {
        var world = Self.assembled(.raw)
        let safety = world.ana
        world.setPolicy(.confident)
        #expect(world.ana == safety)
        world.stay(45, 14, from: 65, to: 70)
        world.setPolicy(.raw)
        #expect(world.ana == safety)
        world.stay(45, 14, from: 75, to: 80)
        #expect(world.ana == safety)
        #expect(world.safety == [.safe])
        #expect(world.crossings == ["enter 1"])
        world.stay(45.01, 14, from: 85, to: 140)
        #expect(world.crossings == ["enter 1", "exit 1"])
        #expect(world.safety == [.safe, .unknown, .unsafe])
    }

    @Test(arguments: CrossingPolicy.allCases)
    func `an unlinked muster region makes nobody safe, and does again once it is linked`(
        policy: CrossingPolicy
    ) {
        var world = Self.assembled(policy)
        let crossings = world.crossings
        world.link([])
        #expect(world.safety == [.safe, .unsafe])
        world.link([World.collection])
        #expect(world.safety == [.safe, .unsafe, .safe])
        #expect(world.crossings == crossings)
    }

    @Test(arguments: CrossingPolicy.allCases)
    func `a region that a rule makes a muster region makes those inside safe at once`(policy: CrossingPolicy) {
        var world = World(policy: policy)
        world.putSquare(1, at: 45, 14)
        world.stay(45, 14, from: 0, to: 60)
        let crossings = world.crossings
        #expect(world.safety == [.unsafe])
        world.setMusterByRule([RegionNumber(1)])
        #expect(world.safety == [.unsafe, .safe])
        #expect(world.ana.region == RegionNumber(1))
        world.setMusterByRule([])
        #expect(world.safety == [.unsafe, .safe, .unsafe])
        world.report(45, 14, at: 65, accuracy: 5)
        #expect(world.crossings == crossings)
    }

    @Test(arguments: [true, false])
    func `an exit that is held back waits for the next fix where an edit leaves it open`(isBack: Bool) {
        var world = World(policy: .confident)
        world.putSquare(1, at: 45, 14, isMuster: true, exitDelay: 60)
        world.stay(45, 14, from: 0, to: 60)
        world.stay(45.002, 14, from: 65, to: 200)
        #expect(world.safety == [.safe, .unknown, .unsafe])
        world.stay(45, 14, from: 205, to: 300)
        world.stay(45.002, 14, from: 305, to: 365)
        #expect(world.ana.state == .unsafe)
        let crossings = world.crossings
        // The boundary now runs through where Ana is, so that nobody knows.
        world.putSquare(1, at: 45.001, 14, half: 0.001, isMuster: true, exitDelay: 60)
        #expect(world.ana.state == .unknown)
        world.sweep(at: 500)
        #expect(world.ana.state == .unknown)
        #expect(world.crossings == crossings)
        world.stay(isBack ? 45.001 : 45.004, 14, from: 505, to: 600)
        #expect(world.ana.state == (isBack ? .safe : .unsafe))
        #expect(world.crossings == crossings + (isBack ? [] : ["exit 1"]))
    }

    @Test(arguments: CrossingPolicy.allCases)
    func `a person where a region is drawn is safe at once, and enters with the next fix`(policy: CrossingPolicy) {
        var world = World(policy: policy)
        world.stay(45, 14, from: 0, to: 60)
        world.now = 100
        world.putSquare(1, at: 45, 14, isMuster: true)
        #expect(world.ana == Safety(state: .safe, since: World.time(100), region: RegionNumber(1)))
        #expect(world.reports == ["inside 1 certain"])
        #expect(world.crossings == [])
        world.stay(45, 14, from: 105, to: 120)
        #expect(world.crossings == ["enter 1"])
        #expect(world.safety == [.unsafe, .safe])
    }

    @Test(arguments: CrossingPolicy.allCases)
    func `an edit elsewhere moves no time of what it does not concern`(policy: CrossingPolicy) {
        var world = Self.assembled(policy)
        world.putSquare(2, at: 45, 14, half: 0.002, isMuster: true)
        world.stay(45, 14, from: 65, to: 70)
        let before = world.engine.shownStandings(of: World.phone)
        let safety = world.ana
        world.now = 100
        world.putSquare(2, at: 45, 14, half: 0.003, isMuster: true)
        world.putSquare(3, at: 45.0005, 14, isMuster: true)
        let after = world.engine.shownStandings(of: World.phone)
        #expect(after.map(\.region.rawValue) == [1, 2, 3])
        #expect(Array(after.prefix(2)) == before)
        #expect(world.ana == safety)
    }

    @Test(arguments: CrossingPolicy.allCases)
    func `a device that is moved to another user makes that one safe, and the former one unknown`(
        policy: CrossingPolicy
    ) {
        var world = Self.assembled(policy)
        world.addTeam()
        world.edit(.putDevice(Device(number: World.phone, name: "phone", user: World.lea)))
        #expect(world.engine.safety(of: World.lea).state == .safe)
        #expect(world.ana.state == .unknown)
    }

    @Test(arguments: CrossingPolicy.allCases)
    func `a person who changes teams is safe or not by the new tracker's regions`(policy: CrossingPolicy) {
        var world = Self.assembled(policy)
        let other = CollectionNumber(2)
        world.edit(.putCollection(RegionCollection(number: other, name: "other", policy: policy)))
        world.edit(
            .putTracker(Tracker(number: World.otherTracker, name: "other", filter: .none, collections: [other])))
        world.edit(.putTeam(Team(number: World.otherTeam, name: "other", tracker: World.otherTracker)))
        world.edit(.putUser(User(number: World.ana, name: "ana", role: .member, team: World.otherTeam)))
        #expect(world.safety == [.safe, .unsafe])
        let circle = Circle(centre: Coordinate(validLatitude: 45, longitude: 14), radius: 100)
        world.edit(
            .putRegion(
                Region(
                    number: RegionNumber(9), collection: other, id: "r9", name: "r9", shape: .circle(circle),
                    isMuster: true)))
        #expect(world.ana.region == RegionNumber(9))
        world.edit(.putUser(User(number: World.ana, name: "ana", role: .member, team: World.team)))
        #expect(world.ana.region == RegionNumber(1))
        #expect(world.safety.last == .safe)
    }
}
