import MusterCore
import MusterGeometry
import Testing

/// What a declaration does to what stands; the rows are those of docs/safety.md.
@Suite struct DeclarationTests {
    @Test(arguments: [
        // What stood, what is said, how someone is then.
        ("", "safe", Safety.State.safe), ("", "needsHelp", .needsHelp), ("", "sos", .sos), ("", "offSite", .offSite),
        ("", "clear", .unknown), ("", "acknowledge", .unknown),
        ("safe", "needsHelp", .needsHelp), ("safe", "sos", .sos), ("safe", "offSite", .offSite),
        ("safe", "clear", .unknown), ("safe", "acknowledge", .safe),
        ("offSite", "safe", .safe), ("offSite", "needsHelp", .needsHelp), ("offSite", "sos", .sos),
        ("offSite", "clear", .unknown),
        ("needsHelp", "safe", .safe), ("needsHelp", "offSite", .needsHelp), ("needsHelp", "sos", .sos),
        ("needsHelp", "clear", .unknown), ("needsHelp", "acknowledge", .needsHelp),
        ("sos", "safe", .sos), ("sos", "offSite", .sos), ("sos", "needsHelp", .sos), ("sos", "clear", .unknown),
        ("sos", "acknowledge", .sos),
    ])
    func `a state and a declaration give the next state`(before: String, said: String, after: Safety.State) throws {
        var world = World()
        world.addTeam()
        if let kind = Declaration.Kind(name: before) { world.declare(kind, at: 10) }
        world.declare(try #require(Declaration.Kind(name: said)), by: World.lea, at: 20)
        #expect(world.engine.safety(of: World.ana).state == after)
    }

    @Test func `an older declaration of safety never ends a later call for help`() {
        var world = World()
        world.declare(.needsHelp, at: 100)
        #expect(world.declare(.safe, at: 40, receivedAt: 130) == .late)
        #expect(world.told() == ["needsHelp ownDeclaration"])
        #expect(world.declare(.clear, at: 99, receivedAt: 131) == .late)
        #expect(world.engine.safety(of: World.ana).state == .needsHelp)
    }

    @Test func `a declaration by a clock that is ahead does not outrank a later one`() {
        var world = World()
        world.addTeam()
        world.declare(.sos, at: 150, receivedAt: 100)
        #expect(world.engine.safety(of: World.ana).since == World.time(100))
        world.declare(.clear, by: World.lea, at: 101)
        #expect(world.engine.safety(of: World.ana).state == .unknown)
        #expect(world.declare(.sos, at: 300, receivedAt: 110) == .late)
    }

    @Test func `the source of a safety state says who declared it`() {
        var world = World()
        world.addTeam()
        world.declare(.safe, at: 1)
        world.declare(.safe, by: World.lea, at: 2)
        #expect(world.told() == ["safe ownDeclaration", "safe marked 2"])
        #expect(world.engine.safety(of: World.ana).since == World.time(1))
    }

    @Test func `being inside outranks a declaration, and leaving ends it`() {
        var world = World()
        world.putSquare(1, at: 45, 14, isMuster: true)
        world.stay(46, 14, from: 0, to: 5)
        world.declare(.safe, at: 6)
        // Outside all along: nothing was left.
        world.stay(46.1, 14, from: 10, to: 60)
        #expect(world.told() == ["unsafe position", "safe ownDeclaration"])
        world.stay(45, 14, from: 65, to: 115)
        #expect(world.told().last == "safe region")
        world.stay(46, 14, from: 120, to: 170)
        #expect(
            world.told() == [
                "unsafe position", "safe ownDeclaration", "safe region", "safe ownDeclaration",
                "unknown seemsToHaveLeft checking", "unsafe position",
            ])
    }

    @Test func `a declaration made after leaving stands`() {
        var world = World()
        world.putSquare(1, at: 45, 14, isMuster: true)
        world.stay(45, 14, from: 0, to: 25)
        world.declare(.safe, at: 90)
        for second in stride(from: 30.0, through: 80, by: 5) {
            world.report(46, 14, at: second, receivedAt: 100, accuracy: 5)
        }
        #expect(world.engine.belief(of: World.phone)?.estimate.latitude == 46)
        #expect(
            world.told() == [
                "unknown unlocated", "unknown unlocated checking", "safe region", "safe ownDeclaration",
            ])
    }

    @Test func `without an incident a declaration holds as long as a device may be silent`() {
        var world = World(silenceSeconds: 600)
        world.declare(.safe, at: 0)
        world.sweep(at: 600)
        #expect(world.told() == ["safe ownDeclaration"])
        world.sweep(at: 601)
        #expect(world.told() == ["safe ownDeclaration", "unknown silence"])
        world.declare(.offSite, at: 700)
        world.declare(.sos, of: World.ana, at: 701)
        world.sweep(at: 90_000)
        #expect(world.engine.safety(of: World.ana).state == .sos)
    }

    @Test func `a call for help is repeated each minute until it is acknowledged, without a burst after a restart`() {
        var world = World()
        world.addTeam()
        world.declare(.needsHelp, at: 0)
        for second in stride(from: 2.0, through: 130, by: 2) { world.sweep(at: second) }
        #expect(world.reminders == [1, 2])
        world.restart()
        world.sweep(at: 132)
        #expect(world.reminders == [1, 2])
        world.restart()
        world.sweep(at: 9_000)
        world.sweep(at: 9_002)
        #expect(world.reminders == [1, 2, 3])
        world.declare(.acknowledge, by: World.lea, at: 9_010)
        world.sweep(at: 9_100)
        #expect(world.reminders == [1, 2, 3])
        #expect(world.engine.safety(of: World.ana).acknowledgedBy == World.lea)
        // It got worse: told anew.
        world.declare(.sos, at: 9_200)
        #expect(world.engine.safety(of: World.ana).acknowledgedBy == nil)
        world.sweep(at: 9_262)
        #expect(world.reminders == [1, 2, 3, 1])
        world.declare(.clear, at: 9_263)
        world.sweep(at: 9_400)
        #expect(world.reminders == [1, 2, 3, 1])
    }

    @Test func `an acknowledgement from before the call does not count`() {
        var world = World()
        world.addTeam()
        world.declare(.sos, at: 100)
        #expect(world.declare(.acknowledge, by: World.lea, at: 90, receivedAt: 110) == .late)
        #expect(world.engine.safety(of: World.ana).acknowledgedBy == nil)
    }
}

extension Declaration.Kind {
    fileprivate init?(name: String) {
        guard let kind = Self.allCases.first(where: { "\($0)" == name }) else { return nil }
        self = kind
    }
}
