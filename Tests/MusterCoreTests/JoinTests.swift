import MusterCore
import MusterGeometry
import Testing

/// One person who was known as two users is one person, in the transaction in which a person says so.
@Suite struct JoinTests {
    private static let second = UserNumber(4)
    private static let tracked = DeviceNumber(2)

    /// Ana with a phone, Lea and Ben without a device, and a user `p2` that stands for a device that a tracker's client
    /// named; a muster region; an incident.
    private func town() throws -> World {
        var world = World(silenceSeconds: 600)
        world.addTeam()
        world.putSquare(1, at: 45, 14, isMuster: true)
        world.edit(
            .putUser(User(number: Self.second, name: "p2", role: .member, team: World.team, isImplicit: true)))
        world.edit(.putDevice(Device(number: Self.tracked, name: "p2", user: Self.second)))
        try world.evacuate(1, .real, at: 10)
        world.declare(.safe, of: World.lea, at: 11)
        world.declare(.safe, of: World.ben, at: 12)
        return world
    }

    private func edits(in world: World, to person: UserNumber = World.ana) throws -> [Edit] {
        let (user, other) = (
            try #require(world.directory.users[Self.second]), try #require(world.directory.users[person])
        )
        return try world.directory.joining(user, to: other) { $0.name }
    }

    /// Joins as the server does: all in one transaction.
    private func join(_ world: inout World, to person: UserNumber = World.ana, at seconds: Double) throws {
        world.now = seconds
        let now = World.time(seconds)
        let edits = try edits(in: world, to: person)
        try world.engine.checkJoins(among: edits)
        let lines = world.engine.rollEntries(following: edits, over: world.directory, by: World.lea, at: now)
        world.record += lines.map(\.entry)
        world.log += lines.map { .roll($0.entry, of: $0.team) }
        world.engine.enter(lines.map(\.entry))
        world.engine.reassign(following: edits, now: now, into: &world.decision)
        world.settle()
        for edit in edits {
            world.directory.apply(edit)
            let isReviewDue = world.engine.apply(edit)
            #expect(!isReviewDue)
        }
    }

    @Test func `a joined user is awaited once, and the record names who joined them`() throws {
        var world = try town()
        world.stay(45, 14, from: 20, to: 60)
        world.stay(45, 14.00001, from: 20, to: 60, by: Self.tracked)
        // The second phone is off: for ever missing, if nobody says whose it was.
        world.sweep(at: 700)
        world.stay(45, 14, from: 701, to: 730)
        #expect(world.turns.last == .notAllAccounted)
        try join(&world, at: 740)
        let roll = world.engine.roll(of: IncidentNumber(1))
        #expect(!roll.holds(Self.second))
        let line = try #require(roll.members[Self.second]?.takenOff)
        #expect(line.event == .joinedTo)
        #expect(line.name == "p2")
        #expect(line.note == "ana")
        #expect(line.author == World.lea)
        #expect(world.turns.last == .allAccounted)
        #expect(world.directory.users[Self.second] == nil)
        #expect(world.directory.devices(of: World.ana) == [World.phone, Self.tracked])
    }

    @Test func `a joined device outside makes its person unsafe at once, and inside safe`() throws {
        var world = try town()
        world.stay(45, 14, from: 20, to: 60)
        world.stay(45.1, 14, from: 20, to: 60, by: Self.tracked)
        #expect(world.engine.safety(of: World.ana).state == .safe)
        let crossings = world.crossings
        try join(&world, at: 61)
        #expect(world.engine.safety(of: World.ana).state == .unsafe)
        #expect(world.crossings == crossings)
        #expect(world.turns.last != .allAccounted)
        world.stay(45, 14, from: 65, to: 200)
        world.stay(45, 14, from: 65, to: 200, by: Self.tracked)
        #expect(world.engine.safety(of: World.ana).state == .safe)
        #expect(world.turns.last == .allAccounted)
    }

    @Test func `Ben without a phone is safe where the phone is that turns out to be his`() throws {
        var world = try town()
        world.stay(45, 14, from: 20, to: 60, by: Self.tracked)
        world.declare(.clear, of: World.ben, by: World.lea, at: 61)
        #expect(world.engine.safety(of: World.ben).state == .unknown)
        try join(&world, to: World.ben, at: 62)
        #expect(world.engine.safety(of: World.ben).state == .safe)
        #expect(world.engine.safety(of: World.ben).source == .region)
    }

    @Test func `a device given to a user of another tracker no longer counts in the old regions`() throws {
        var world = try town()
        world.edit(.putTracker(Tracker(number: World.otherTracker, name: "else", filter: .none, collections: [])))
        world.edit(.putTeam(Team(number: World.otherTeam, name: "else", tracker: World.otherTracker)))
        let eve = UserNumber(9)
        world.edit(.putUser(User(number: eve, name: "eve", role: .member, team: World.otherTeam)))
        world.stay(45, 14, from: 20, to: 60)
        #expect(world.engine.safety(of: World.ana).state == .safe)
        let crossings = world.crossings
        let edit = Edit.putDevice(Device(number: World.phone, name: "phone", user: eve))
        world.engine.reassign(following: [edit], now: World.time(61), into: &world.decision)
        world.engine.review(now: World.time(61), into: &world.decision)
        world.settle()
        world.directory.apply(edit)
        world.engine.apply(edit)
        #expect(world.engine.safety(of: eve).state == .unsafe)
        #expect(world.engine.safety(of: World.ana).state == .unknown)
        #expect(world.engine.presences(of: World.phone) == [])
        #expect(world.crossings == crossings)
    }

    @Test func `a restart after a join changes nothing, and later fixes are the person's`() throws {
        var world = try town()
        world.stay(45, 14, from: 20, to: 60)
        world.stay(45, 14, from: 20, to: 60, by: Self.tracked)
        try join(&world, at: 61)
        let (safety, lines) = (world.engine.safety(of: World.ana), world.lines)
        world.restart()
        world.sweep(at: 62)
        #expect(world.engine.safety(of: World.ana) == safety)
        #expect(world.lines == lines)
        #expect(!world.engine.roll(of: IncidentNumber(1)).holds(Self.second))
        world.stay(45.1, 14, from: 65, to: 200, by: Self.tracked)
        #expect(world.engine.safety(of: World.ana).state == .unsafe)
    }

    @Test func `a user who was taken off the roll is on it again when someone on it is joined to them`() throws {
        var world = try town()
        try world.takeOff(World.ana, at: 20)
        try join(&world, at: 30)
        let roll = world.engine.roll(of: IncidentNumber(1))
        #expect(roll.holds(World.ana) && !roll.holds(Self.second))
        #expect(world.turns.last != .allAccounted)
    }

    @Test func `a call for help is not lost by a join`() throws {
        var world = try town()
        world.declare(.sos, of: Self.second, by: World.lea, at: 20)
        #expect(throws: JoinError.callsForHelp) { try join(&world, at: 30) }
        world.declare(.clear, of: Self.second, by: World.lea, at: 31)
        try join(&world, at: 32)
    }

    @Test func `a check-in timer is not lost by a join`() throws {
        var world = try town()
        try world.startTimer(of: Self.second, by: World.lea, at: 20)
        #expect(throws: JoinError.hasTimer) { try join(&world, at: 30) }
    }

    @Test func `a rule that expects a user alone is not lost by a join`() throws {
        var world = try town()
        try world.demand(1, of: .person(Self.second))
        #expect(throws: JoinError.isExpected) { try join(&world, at: 30) }
    }

    @Test func `only a user who stands for a device is joined, to another person of the team`() throws {
        var world = try town()
        let second = try #require(world.directory.users[Self.second])
        let ana = try #require(world.directory.users[World.ana])
        func fault(_ user: User, _ person: User) -> JoinError? {
            do throws(JoinError) {
                _ = try world.directory.joining(user, to: person) { $0.name }
                return nil
            } catch {
                return error
            }
        }
        #expect(fault(second, second) == .isSame)
        #expect(fault(ana, second) == .isAccount)
        #expect(fault(second, User(number: World.ben, name: "ben", role: .member, team: nil)) == .isInOtherTeam)
        #expect(
            fault(second, User(number: World.ben, name: "ben", role: .gateway, team: World.team)) == .isMachine)
        for number in 10..<Int32(9 + Directory.deviceLimit) {
            world.edit(.putDevice(Device(number: DeviceNumber(number), name: "d\(number)", user: World.ana)))
        }
        #expect(fault(second, ana) == .tooManyDevices(limit: Directory.deviceLimit))
    }

    @Test func `a device keeps its first alias wherever it goes, and takes a free name`() throws {
        var world = try town()
        world.edit(.putDevice(Device(number: DeviceNumber(3), name: "p2", user: World.ana)))
        try join(&world, at: 20)
        let device = try #require(world.directory.devices[Self.tracked])
        #expect(device.name == "p2-2" && device.alias == "p2" && device.user == World.ana)
        #expect(world.directory.device(calledBefore: "p2", in: World.team) == device)
        #expect(world.directory.device(calledBefore: "p2", in: TeamNumber(2)) == nil)
        let (ana, ben) = (
            try #require(world.directory.users[World.ana]), try #require(world.directory.users[World.ben])
        )
        world.carryOut(try world.directory.giving(device, from: ana, to: ben, alias: "ana/p2-2"), by: World.lea)
        #expect(world.directory.device(calledBefore: "p2", in: World.team)?.user == World.ben)
        #expect(world.directory.device(calledBefore: "ana/p2-2", in: World.team) == nil)
        // What she lost is told on the roll.
        let departure = world.engine.roll(of: IncidentNumber(1)).members[World.ana]?.departure
        #expect(departure?.event == .deviceRemoved && departure?.note == "p2-2")
        world.remove(World.ben)
        #expect(world.directory.device(calledBefore: "p2", in: World.team) == nil)
    }
}
