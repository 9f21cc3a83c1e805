import MusterGeometry
import Testing

/// The index against brute force in whole numbers, at places chosen to make it err. MUSTER_EXACTNESS_POINTS says at
/// how many of each collection; in a release build a million takes minutes.
@Suite struct RegionIndexExactnessTests {
    @Test func `random polygons with holes and multipolygons hold exactly what the oracle says`() {
        expectNoDifference(RegionWorlds.polygons(2000, vertices: 32, seed: 100), "polygons", seed: 101)
    }

    @Test func `polygons across the antimeridian and round the poles hold exactly what the oracle says`() {
        expectNoDifference(RegionWorlds.edgesOfTheWorld(150, seed: 102), "edges of the world", seed: 103)
    }

    @Test func `geodesic circles from the equator to 89.9° hold exactly what their distances say`() {
        expectNoDifference(RegionWorlds.circles(200, seed: 104), "circles", seed: 105)
    }

    @Test(.enabled(if: TestData.isPresent, "test data absent: set MUSTER_TEST_DATA"))
    func `counties hold exactly what the oracle says`() throws {
        expectNoDifference(try RealDataTests.counties(), "counties", seed: 106)
    }

    @Test(.enabled(if: TestData.isPresent, "test data absent: set MUSTER_TEST_DATA"))
    func `countries and states hold exactly what the oracle says`() throws {
        expectNoDifference(try RegionWorlds.countries(), "countries and states", seed: 107)
    }

    @Test(.enabled(if: TestData.isPresent, "test data absent: set MUSTER_TEST_DATA"))
    func `the antimeridian collection holds exactly what the oracle says`() throws {
        expectNoDifference(try RegionWorlds.antimeridian(), "antimeridian", seed: 108)
    }

    @Test func `polygons that meet in one point by the hundred hold exactly what the oracle says`() {
        expectNoDifference(RegionWorlds.knots(300, seed: 109), "knots", seed: 110)
    }

    @Test func `parcels that share their sides hold exactly what the oracle says`() {
        expectNoDifference(RegionWorlds.parcels(32), "parcels", seed: 111)
    }

    @Test func `a polygon of 100,000 vertices holds exactly what the oracle says`() {
        expectNoDifference([RegionWorlds.shore(vertices: 100_000, seed: 112)], "100,000 vertices", seed: 113)
    }

    /// Asks the index and the oracle at adversarial places; they must agree at every one.
    private func expectNoDifference(_ shapes: [Shape], _ name: String, seed: UInt64) {
        let index = RegionIndex(shapes.enumerated().map { (id: Int32($0.offset), shape: $0.element) })
        let oracle = ExactOracle(shapes)
        var points = AdversarialPoints(shapes, index, random: SeededRandom(seed: seed))
        let count = AdversarialPoints.count
        var (hits, differences) = (0, 0)
        var found: [Int32] = []
        var answers = Answers<Int32>()
        for _ in 0..<count {
            let place = points.next()
            found.removeAll(keepingCapacity: true)
            index.regions(containing: place, into: &found)
            answers.clear()
            index.regions(containing: place, into: &answers)
            if !answers.elementsEqual(found) { differences += 1 }
            let expected = oracle.regions(containing: place)
            hits += expected.count
            guard found != expected else { continue }
            differences += 1
            if differences <= 5 { Issue.record("\(name): \(place): found \(found), not \(expected)") }
        }
        print("\(name): \(shapes.count) regions, \(count) places, \(hits) hits, \(differences) differences")
        #expect(differences == 0)
        #expect(hits > count / 8)
    }
}
