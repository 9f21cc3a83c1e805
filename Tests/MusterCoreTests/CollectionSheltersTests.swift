import MusterGeometry
import MusterTestSupport
import Testing

@testable import MusterCore

/// The index of a raw collection's muster regions, against a search among all its regions.
@Suite struct CollectionSheltersTests {
    private static let collection = CollectionNumber(1)

    @Test func `after any edits the muster regions found are those among all regions`() {
        for seed in 1...UInt64(SoakSeeds.rounds(6, inSoak: 60)) {
            var catalog = RegionCatalog()
            var random = Chance(seed: seed)
            var policy = CrossingPolicy.raw
            put(policy, in: &catalog)
            for round in 0..<400 {
                switch random.number(0...1) {
                case ..<0.65: catalog.put(region(&random))
                case ..<0.85: catalog.remove(RegionNumber(Int32(random.number(1...90))))
                case ..<0.95: _ = catalog.setMusterByRule(numbers(&random))
                default:
                    policy = policy == .raw ? .confident : .raw
                    put(policy, in: &catalog)
                }
                if round % 100 == 99 { while let rebuild = catalog.rebuild { catalog.adopt(rebuild.build()) } }
                guard policy == .raw else { continue }
                let place = Coordinate(validLatitude: random.number(45...45.02), longitude: random.number(14...14.02))
                let (found, expected) = (shelters(near: place, in: catalog), sheltersAmongAll(near: place, in: catalog))
                #expect(found.map(\.id) == expected.map(\.id), "seed \(seed), round \(round)")
                for (one, other) in zip(found, expected) where one.signedDistanceMetres != other.signedDistanceMetres {
                    #expect(abs(one.signedDistanceMetres - other.signedDistanceMetres) < 0.02)
                }
            }
        }
    }

    @Test func `a person whose raw collection becomes confident and raw again is as safe as before`() {
        var world = World()
        world.putSquare(1, at: 45, 14, isMuster: true)
        world.putSquare(2, at: 45, 14.01)
        world.stay(45, 14, from: 0, to: 60)
        for policy in [CrossingPolicy.confident, .raw] {
            world.setPolicy(policy)
            world.stay(45, 14, from: world.now + 5, to: world.now + 60)
            #expect(world.engine.safety(of: World.ana).state == .safe)
        }
        world.putSquare(1, at: 45, 14.02, isMuster: true)
        world.stay(45, 14, from: world.now + 5, to: world.now + 60)
        #expect(world.engine.safety(of: World.ana).state == .unsafe)
        world.putSquare(3, at: 45, 14, isMuster: true)
        world.stay(45, 14, from: world.now + 5, to: world.now + 60)
        #expect(world.engine.safety(of: World.ana).region == RegionNumber(3))
    }

    private func put(_ policy: CrossingPolicy, in catalog: inout RegionCatalog) {
        _ = catalog.put(RegionCollection(number: Self.collection, name: "town", policy: policy))
    }

    private func region(_ random: inout Chance) -> Region {
        let centre = Coordinate(validLatitude: random.number(45...45.02), longitude: random.number(14...14.02))
        return Region(
            number: RegionNumber(Int32(random.number(1...90))), collection: Self.collection, id: "r", name: "",
            shape: .circle(Circle(centre: centre, radius: Metres(random.number(20...400)))),
            isMuster: random.number(0...1) < 0.4)
    }

    private func numbers(_ random: inout Chance) -> Set<RegionNumber> {
        Set((0..<8).map { _ in RegionNumber(Int32(random.number(1...90))) })
    }

    private func shelters(near place: Coordinate, in catalog: RegionCatalog) -> [NearbyRegion] {
        var found = Answers<NearbyRegion>()
        catalog.nearbyShelters(place, within: 60, in: Self.collection, into: &found)
        return Array(found)
    }

    private func sheltersAmongAll(near place: Coordinate, in catalog: RegionCatalog) -> [NearbyRegion] {
        var found = Answers<NearbyRegion>()
        catalog.nearby(place, within: 60, in: Self.collection, into: &found)
        return found.filter { catalog.policy(ofShelter: RegionNumber($0.id)) != nil }
    }
}
