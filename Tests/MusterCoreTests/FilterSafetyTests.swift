import MusterCore
import MusterGeometry
import Testing

/// A filter decides what is stored. Who is safe is decided by every fix.
@Suite struct FilterSafetyTests {
    private static let filters: [PositionFilter] = [.timeBased, .distanceBased, .accuracyBased]

    @Test(arguments: filters, CrossingPolicy.allCases)
    func `a person who stands still for two hours stays safe`(filter: PositionFilter, policy: CrossingPolicy) {
        var world = World(filter: filter, policy: policy)
        world.putSquare(1, at: 45, 14, isMuster: true)
        for second in stride(from: 0.0, through: 7200, by: 20) {
            world.report(45 + (second.truncatingRemainder(dividingBy: 40) - 10) * 1e-6, 14, at: second, accuracy: 8)
            world.sweep(at: second + 1)
        }
        #expect(world.safety == [.safe])
        #expect(world.ana.doubt == nil)
        if filter != .timeBased { #expect(world.stored < 5) }
        world.sweep(at: 7200 + 1199)
        #expect(world.ana.state == .safe)
        world.sweep(at: 7200 + 1201)
        #expect(world.ana.state == .unknown)
    }

    @Test(arguments: [PositionFilter.distanceBased, .accuracyBased], CrossingPolicy.allCases)
    func `a person who walks out is unsafe, though nothing is stored`(filter: PositionFilter, policy: CrossingPolicy) {
        var world = World(filter: filter, policy: policy)
        // ±14 m. The first fix is the one that the others are compared with.
        world.putSquare(1, at: 45, 14, half: 0.000126, isMuster: true)
        world.report(45, 14, at: 0, accuracy: filter == .distanceBased ? 5 : 30)
        world.stay(45, 14, from: 5, to: 120)
        #expect(world.safety == [.safe])
        for step in 1...10 { world.report(45 + Double(step) * 0.000026, 14, at: 120 + Double(step) * 5, accuracy: 5) }
        world.stay(45.00026, 14, from: 175, to: 400)
        #expect(world.stored == 1)
        #expect(world.safety.first == .safe && world.safety.last == .unsafe)
        #expect(world.safety.filter { $0 == .safe }.count == 1)
    }

    @Test(arguments: [30.0, 60, 300])
    func `a person who leaves with poor fixes alone is not safe for longer than minutes`(every: Double) {
        var world = World(policy: .confident)
        // ±50 m.
        world.putSquare(1, at: 45, 14, half: 0.00045, isMuster: true)
        world.stay(45, 14, from: 0, to: 600)
        #expect(world.ana.state == .safe)
        // 300 m to the north, by fixes of 100 m: no surprise, and 4.5 deviations by what the phone promises.
        var unsafeAt: Double?
        for second in stride(from: 600 + every, through: 4200, by: every) where unsafeAt == nil {
            world.report(45.0027, 14, at: second, accuracy: 100)
            if world.ana.state != .safe { unsafeAt = second - 600 }
        }
        #expect((unsafeAt ?? .infinity) <= max(300, 3 * every))
        #expect(world.ana.state != .safe)
    }

    @Test(arguments: [PositionFilter.distanceBased, .accuracyBased])
    func `the last fix of a dying phone is where it was located, stored or not`(filter: PositionFilter) {
        var world = World(filter: filter)
        world.report(45, 14, at: 0, accuracy: 15)
        #expect(world.report(45.0002, 14, at: 300, accuracy: 15) == .filtered)
        #expect(world.stored == 1)
        #expect(world.engine.latestPosition(of: World.phone)?.coordinate.latitude == 45)
        #expect(world.engine.locatedPosition(of: World.phone)?.coordinate.latitude == 45.0002)
        #expect(world.engine.heardTime(of: World.phone) == World.time(300))
        #expect(world.decisionIsStored)
    }
}

extension World {
    /// Whether a restart knows as much of the phone.
    fileprivate var decisionIsStored: Bool {
        var other = self
        other.restart()
        return other.engine.locatedPosition(of: Self.phone) == engine.locatedPosition(of: Self.phone)
            && other.engine.heardTime(of: Self.phone) == engine.heardTime(of: Self.phone)
            && other.engine.latestPosition(of: Self.phone) == engine.latestPosition(of: Self.phone)
    }
}
