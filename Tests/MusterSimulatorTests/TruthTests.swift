import MusterCore
import MusterGeometry
import MusterSimulator
import MusterTestSupport
import Testing

@Suite struct TruthTests {
    /// What a fix by fix reading of someone's deliveries says of a shape.
    private func seen(_ deliveries: [Delivery], _ shape: Shape, by person: Int) -> [String] {
        var isInside = false
        var crossings: [String] = []
        for delivery in deliveries.sorted(by: { $0.position.sampleTime < $1.position.sampleTime })
        where delivery.person == person {
            let nowInside = Samples.contains(shape, delivery.position.coordinate)
            if nowInside != isInside {
                crossings.append("\(nowInside ? "enter" : "exit") \(delivery.position.sampleTime.milliseconds)")
            }
            isInside = nowInside
        }
        return crossings
    }

    @Test(arguments: SoakSeeds.first(2, of: [1, 2, 3, 4, 5, 6]))
    func `without noise the fixes give exactly the true crossings`(seed: UInt64) {
        var world = Samples.world(seed: seed)
        var deliveries = world.advance(to: Samples.after(3600))
        world.evacuate(at: world.now)
        deliveries += world.advance(to: Samples.after(5400))
        // What is still under way counts as taken: let it come in without letting anyone walk on.
        let taken = Samples.after(5400)
        deliveries += world.advance(to: Samples.after(5401)).filter { $0.position.sampleTime <= taken }
        var count = 0
        for shape in Samples.shapes(seed: seed) {
            for person in world.people.indices {
                let truth = world.trueCrossings(of: shape, by: person).filter { $0.sampleTime <= taken }
                    .map { "\($0.kind) \($0.sampleTime.milliseconds)" }
                #expect(seen(deliveries, shape, by: person) == truth, "seed \(seed), person \(person)")
                count += truth.count
            }
        }
        #expect(count > 50, "too few crossings to tell anything")
    }

    @Test(arguments: [11, 12, 13] as [UInt64])
    func `a visit's ends lie on the boundary, its inside inside and its outside outside`(seed: UInt64) throws {
        var world = Samples.world(seed: seed)
        _ = world.advance(to: Samples.after(3600))
        var ends = 0
        for shape in Samples.shapes(seed: seed) {
            for person in world.people.indices {
                let visits = world.trueVisits(to: shape, by: person)
                #expect(zip(visits, visits.dropFirst()).allSatisfy { $0.toSeconds < $1.fromSeconds })
                for visit in visits {
                    let middle = Samples.after((visit.fromSeconds + visit.toSeconds) / 2)
                    #expect(Samples.contains(shape, try #require(world.truePosition(of: person, at: middle))))
                    for end in [visit.fromSeconds, visit.toSeconds] where end > 1 && end < 3599 {
                        let sides = try [end - 0.002, end + 0.002].map { seconds in
                            let place = try #require(world.truePosition(of: person, at: Samples.after(seconds)))
                            return Samples.contains(shape, place)
                        }
                        #expect(sides[0] != sides[1], "the boundary lies within 2 ms of \(end)")
                        ends += 1
                    }
                }
            }
        }
        #expect(ends > 50, "too few visits to tell anything")
    }

    @Test func `nobody jumps, and nobody has a position before the start or after now`() throws {
        var world = Samples.world(seed: 21)
        _ = world.advance(to: Samples.after(1800))
        #expect(world.truePosition(of: 0, at: Samples.after(-1)) == nil)
        #expect(world.truePosition(of: 0, at: Samples.after(1800.001)) == nil)
        for person in world.people.indices {
            var last = try #require(world.truePosition(of: person, at: Samples.start))
            for second in 1...1800 {
                let next = try #require(world.truePosition(of: person, at: Samples.after(Double(second))))
                #expect(last.distance(to: next).value <= 15.1)
                last = next
            }
        }
    }
}
