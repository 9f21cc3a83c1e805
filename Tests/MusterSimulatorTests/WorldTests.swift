import MusterCore
import MusterGeometry
import MusterSimulator
import Testing

@Suite struct WorldTests {
    private let faulty = Reporting.faulty(
        deadZones: [
            DeadZone(area: Circle(centre: Samples.at(0, 0), radius: 200)),
            DeadZone(from: Samples.after(900), until: Samples.after(1200), person: 3),
        ])

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `a world is the same however finely its time is advanced`(seed: UInt64) {
        func run(_ steps: [Double]) -> [Delivery] {
            var world = Samples.world(seed: seed, noise: Noise(.hostile), reporting: faulty)
            var deliveries: [Delivery] = []
            for step in steps + [1000] where step <= 1000 { deliveries += world.advance(to: Samples.after(step)) }
            world.evacuate(at: Samples.after(1500))
            for step in steps + [3600] where step > 1000 { deliveries += world.advance(to: Samples.after(step)) }
            return deliveries
        }
        let whole = run([])
        #expect(whole.count > 4000)
        #expect(run(stride(from: 0.7, to: 3600, by: 0.7).map { $0 }) == whole)
        #expect(run([5, 5, 3, 400, 1001, 3599]) == whole)
    }

    @Test func `another seed gives another world`() {
        var (one, other) = (Samples.world(seed: 1), Samples.world(seed: 2))
        #expect(one.advance(to: Samples.after(60)) != other.advance(to: Samples.after(60)))
    }

    @Test func `deliveries come in order, in time, and after their samples`() {
        var world = Samples.world(seed: 4, noise: Noise(.honest), reporting: faulty)
        var last = Samples.start
        for step in 1...120 {
            let now = Samples.after(Double(step) * 30)
            for delivery in world.advance(to: now) {
                #expect(delivery.deliveredAt > last || delivery.deliveredAt == last)
                #expect(delivery.deliveredAt <= now)
                #expect(delivery.position.sampleTime < delivery.deliveredAt)
                #expect(delivery.position.receivedTime == delivery.deliveredAt)
                last = delivery.deliveredAt
            }
            #expect(world.advance(to: now).isEmpty)
        }
    }

    @Test func `people walk, drive and linger as people do`() throws {
        func speeds(_ manner: Person.Manner) throws -> [Double] {
            var world = Samples.world(seed: 5, people: 30, manner: manner)
            return world.advance(to: Samples.after(7200)).compactMap(\.position.speed)
        }
        let walking = try speeds(.walks)
        let moving = walking.filter { $0 > 0 }
        let mean = moving.reduce(0, +) / Double(moving.count)
        #expect(abs(mean - 1.25) < 0.1, "slow walks last longer, so that fixes see a little less than 1.3")
        #expect(moving.allSatisfy { (0.6...2.001).contains($0) })
        let driving = try speeds(.drives).filter { $0 > 0 }
        #expect(!driving.isEmpty && driving.allSatisfy { (7.99...15.01).contains($0) })
        let still = try speeds(.lingers).count { $0 == 0 }
        #expect(Double(still) > 0.6 * Double(try speeds(.lingers).count))
        #expect(still > walking.count { $0 == 0 })
    }

    @Test func `a dead zone holds fixes back and loses none`() {
        let reporting = Reporting(deadZones: faulty.deadZones + [DeadZone(until: Samples.after(100))])
        var world = Samples.world(seed: 6, reporting: reporting)
        #expect(world.advance(to: Samples.after(100)).isEmpty)
        var deliveries = world.advance(to: Samples.after(3600))
        let late = deliveries.count { $0.deliveredAt.seconds(since: $0.position.sampleTime) > 10 }
        #expect(late > 500)
        for person in world.people.indices {
            let times = deliveries.filter { $0.person == person }.map(\.position.sampleTime)
            #expect(times == times.sorted(), "oldest first")
            #expect(times == Array(world.sampleTimes(of: person).prefix(times.count)))
        }
        deliveries += world.advance(to: Samples.after(7200))
        let unheard = deliveries.filter { $0.person == 3 }.map(\.deliveredAt).filter {
            Samples.after(900.8) < $0 && $0 < Samples.after(1200)
        }
        #expect(unheard.isEmpty)
    }

    @Test func `a shuffled burst is out of order and complete`() {
        let reporting = Reporting(deadZones: [DeadZone(until: Samples.after(600))], shufflesBursts: true)
        var world = Samples.world(seed: 7, people: 3, reporting: reporting)
        let burst = world.advance(to: Samples.after(620))
        for person in 0..<3 {
            let times = burst.filter { $0.person == person }.map(\.position.sampleTime)
            #expect(times != times.sorted())
            #expect(times.sorted() == Array(world.sampleTimes(of: person).prefix(times.count)))
            #expect(times.count > 100)
        }
    }

    @Test func `fixes are lost and repeated as often as was asked`() {
        let plain = Reporting(intervalSeconds: 2, lostShare: 0.05, duplicateShare: 0.03)
        var world = Samples.world(seed: 8, reporting: plain)
        let deliveries = world.advance(to: Samples.after(7200))
        let taken = world.people.indices.reduce(0) { $0 + world.sampleTimes(of: $1).count }
        #expect(abs(Double(taken) / (12 * 3600) - 0.95) < 0.01)
        var seen: Set<String> = []
        let repeats = deliveries.filter { !seen.insert("\($0.person) \($0.position.sampleTime.milliseconds)").inserted }
        #expect(abs(Double(repeats.count) / Double(taken) - 0.03) < 0.005)
    }

    @Test func `intervals vary as much as was asked`() {
        var world = Samples.world(seed: 9, people: 1, reporting: Reporting(intervalSeconds: 10, jitterShare: 0.2))
        _ = world.advance(to: Samples.after(7200))
        let times = world.sampleTimes(of: 0)
        let intervals = zip(times, times.dropFirst()).map { $1.seconds(since: $0) }
        #expect(intervals.allSatisfy { (7.999...12.001).contains($0) })
        #expect((intervals.min() ?? 0) < 8.2 && (intervals.max() ?? 0) > 11.8)
    }

    @Test func `an evacuation may be called ahead, and only once`() throws {
        func whereabouts(_ call: (inout World) -> Void) -> [Coordinate?] {
            var world = Samples.world(seed: 10)
            _ = world.advance(to: Samples.after(100))
            call(&world)
            _ = world.advance(to: Samples.after(3600))
            return world.people.indices.map { world.truePosition(of: $0, at: world.now) }
        }
        let once = whereabouts { $0.evacuate(at: Samples.after(500)) }
        let twice = whereabouts {
            $0.evacuate(at: Samples.after(500))
            $0.evacuate(at: Samples.after(200))
        }
        #expect(once == twice)
        #expect(once != whereabouts { _ in })
    }
}
