import MusterCore
import MusterGeometry
import Testing

/// A raw collection tells events as Amazon Location does; safe is decided confidently all the same.
@Suite struct RawCollectionTests {
    private static let squares = [(45.0, 14.0, 0.001), (45.0008, 14, 0.001), (45.003, 14.002, 0.0005)]

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `every crossing of a raw region follows from the fixes alone`(seed: UInt64) {
        var chance = Chance(seed: seed)
        var world = World(policy: .raw)
        for (index, square) in Self.squares.enumerated() {
            world.putSquare(Int32(index + 1), at: square.0, square.1, half: square.2, isMuster: index != 1)
        }
        var expected: [String] = []
        var inside: [Int] = []
        var (latitude, longitude) = (45.0, 14.0)
        for step in 0..<2000 {
            latitude += chance.number(-0.0003...0.0003)
            longitude += chance.number(-0.0003...0.0003)
            if chance.happens(0.03) || abs(latitude - 45) > 0.01 || abs(longitude - 14) > 0.01 {
                latitude = 45 + chance.number(-0.003...0.003)
                longitude = 14 + chance.number(-0.003...0.003)
            }
            let accuracy = chance.pick([nil, 3, 10, 50, 5_000] as [Metres?])
            world.report(latitude, longitude, at: Double(step) * 5, accuracy: accuracy)
            let now = Self.squares.indices.filter { index in
                let (south, west, half) = Self.squares[index]
                return abs(latitude - south) <= half && abs(longitude - west) <= half
            }
            expected += inside.filter { !now.contains($0) }.map { "exit \($0 + 1)" }
            expected += now.filter { !inside.contains($0) }.map { "enter \($0 + 1)" }
            inside = now
            #expect(world.engine.presences(of: World.phone).map { Int($0.region.rawValue) - 1 } == now, "seed \(seed)")
        }
        #expect(world.crossings == expected, "seed \(seed)")
        #expect(expected.count > 100)
    }

    @Test func `one fix with 5 km accuracy enters a raw region, and makes nobody safe`() {
        var world = World(policy: .raw)
        world.putSquare(1, at: 45, 14, isMuster: true)
        world.stay(45.01, 14, from: 0, to: 60)
        world.report(45, 14, at: 65, accuracy: 5_000)
        #expect(world.crossings == ["enter 1"])
        #expect(world.safety == [.unsafe])
    }

    @Test func `coarse fixes make nobody safe, however many there are`() {
        var world = World(policy: .raw)
        world.putSquare(1, at: 45, 14, isMuster: true)
        world.stay(45, 14, from: 0, to: 600, accuracy: 5_000)
        #expect(world.crossings == ["enter 1"])
        #expect(!world.safety.contains(.safe))
    }

    @Test func `one wrong fix enters and leaves a raw region, and makes nobody safe`() {
        var world = World(policy: .raw)
        world.putSquare(1, at: 45, 14, isMuster: true)
        world.stay(45.01, 14, from: 0, to: 60)
        world.report(45, 14, at: 65, accuracy: 5)
        #expect(world.ana.state == .unsafe)
        #expect(world.ana.doubt == .checking)
        world.stay(45.01, 14, from: 70, to: 80)
        #expect(world.crossings == ["enter 1", "exit 1"])
        #expect(world.safety == [.unsafe])
        #expect(world.ana.doubt == nil)
    }

    @Test func `one wrong fix makes nobody unsafe`() {
        var world = World(policy: .raw)
        world.putSquare(1, at: 45, 14, isMuster: true)
        world.stay(45, 14, from: 0, to: 60)
        world.report(45.01, 14, at: 65, accuracy: 5)
        world.stay(45, 14, from: 70, to: 80)
        #expect(world.crossings == ["enter 1", "exit 1", "enter 1"])
        #expect(world.safety == [.safe])
    }

    @Test func `the standing reported for a muster region is the one that safety uses`() {
        var world = World(policy: .raw)
        world.putSquare(1, at: 45, 14, isMuster: true)
        world.stay(45, 14, from: 0, to: 60)
        world.report(45.01, 14, at: 65, accuracy: 5)
        #expect(world.engine.presences(of: World.phone) == [])
        #expect(world.engine.reports(of: World.phone).map(\.standing) == [.inside])
        #expect(world.reports.last == "inside 1 checking")
    }
}
