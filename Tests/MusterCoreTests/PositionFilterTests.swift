import MusterCore
import MusterGeometry
import Testing

/// Amazon Location's rules, at their edges.
@Suite struct PositionFilterTests {
    @Test func `timeBased stores one position in thirty seconds yet evaluates each`() {
        var world = World(filter: .timeBased)
        world.putSquare(1, at: 45, 14)
        for second in stride(from: 0.0, through: 60, by: 5) {
            world.report(second == 10 ? 45 : 46, 14, at: second)
        }
        #expect(world.stored == 3)
        #expect(world.crossings == ["enter 1", "exit 1"])
    }

    @Test func `timeBased ignores the repetition of a sample that it did not store`() {
        var world = World(filter: .timeBased)
        world.report(46, 14, at: 0)
        #expect(world.report(46, 14, at: 5) == .filtered)
        #expect(world.report(46, 14, at: 5) == .filtered)
        #expect(world.stored == 1)
    }

    @Test(arguments: [(29.0, Verdict.filtered), (31.0, Verdict.accepted)])
    func `distanceBased lets through a move of thirty metres`(metres: Double, expected: Verdict) {
        var world = World(filter: .distanceBased)
        world.report(46, 14, at: 0)
        #expect(world.report(46 + metres / 111_148, 14, at: 5) == expected)
        #expect(world.stored == (expected == .accepted ? 2 : 1))
    }

    @Test func `distanceBased measures from the last position it let through`() {
        var world = World(filter: .distanceBased)
        world.report(46, 14, at: 0)
        #expect(world.report(46 + 20 / 111_148.0, 14, at: 5) == .filtered)
        #expect(world.report(46 + 40 / 111_148.0, 14, at: 10) == .accepted)
    }

    @Test(arguments: [(14.0, Verdict.filtered), (16.0, Verdict.accepted)])
    func `accuracyBased lets through a move beyond both accuracies`(metres: Double, expected: Verdict) {
        var world = World(filter: .accuracyBased)
        world.report(46, 14, at: 0, accuracy: 5)
        #expect(world.report(46 + metres / 111_148, 14, at: 5, accuracy: 10) == expected)
    }

    @Test func `a filtered position is not evaluated`() {
        var world = World(filter: .distanceBased)
        world.putSquare(1, at: 46.0012, 14)
        world.report(46, 14, at: 0)
        world.report(46.00021, 14, at: 5)
        #expect(world.crossings == [])
    }
}
