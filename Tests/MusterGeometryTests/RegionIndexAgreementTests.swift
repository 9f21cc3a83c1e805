import MusterGeometry
import Testing

/// Every way to ask an index, and every way to change one, against the oracle in whole numbers.
@Suite struct RegionIndexAgreementTests {
    @Test func `a batch answers as one by one, whatever its size and whatever is beside the mesh`() {
        let shapes = RegionWorlds.polygons(400, vertices: 32, seed: 120) + RegionWorlds.circles(40, seed: 121)
        let oracle = ExactOracle(shapes)
        var random = SeededRandom(seed: 122)
        for share in [0, 0.3, 1] {
            let index = Self.index(shapes, besideTheMesh: share)
            var points = AdversarialPoints(shapes, index, random: SeededRandom(seed: random.next()))
            for size in [0, 1, 2, 3, 63, 64, 65, 200, 1000] {
                let places = (0..<size).map { _ in points.next() }
                var found: [Int32] = [7]
                var ends: [Int] = []
                index.regions(containing: places, into: &found, ends: &ends)
                #expect(ends.count == size)
                var start = 1
                for (place, end) in zip(places, ends) {
                    let expected = oracle.regions(containing: place)
                    if Array(found[start..<end]) != expected { Issue.record("\(place): not \(expected)") }
                    start = end
                }
                #expect(start == found.count)
            }
        }
    }

    @Test func `a walk across regions answers as the oracle at each step`() {
        let shapes = RegionWorlds.polygons(400, vertices: 32, seed: 123)
        let oracle = ExactOracle(shapes)
        let index = Self.index(shapes, besideTheMesh: 0)
        var random = SeededRandom(seed: 124)
        for _ in 0..<20 {
            var (x, y) = (random.number(-120...(-119)), random.number(37...38))
            for _ in 0..<200 {
                x += random.number(-2e-4...2e-4)
                y += random.number(-2e-4...2e-4)
                let place = Coordinate(validLatitude: y, longitude: x)
                var found: [Int32] = []
                index.regions(containing: place, into: &found)
                #expect(found == oracle.regions(containing: place), "\(place)")
            }
        }
    }

    @Test func `any sequence of puts, removals, rebuilds and adoptions leaves the answers true`() {
        var random = SeededRandom(seed: 125)
        let stock = RegionWorlds.polygons(300, vertices: 12, seed: 126) + RegionWorlds.knots(60, seed: 127)
        var index = RegionIndex()
        var model: [Int32: Int] = [:]
        var plans: [RegionIndexRebuild] = []
        var adopted = 0
        for round in 0..<4000 {
            let id = Int32(random.next() % 250)
            switch random.next() % 100 {
            case 0..<55:
                let shape = Int(random.next() % UInt64(stock.count))
                index.put(stock[shape], as: id)
                model[id] = shape
            case 55..<96:
                index.remove(id)
                model[id] = nil
            case 96..<98: if let plan = index.rebuild { plans.append(plan) }
            default:
                if let plan = plans.popLast() {
                    index.adopt(plan.build())
                    adopted += 1
                }
            }
            #expect(index.count == model.count)
            if round % 400 == 399 { check(index, model, stock, &random) }
        }
        #expect(adopted > 10)
    }

    @Test func `a segment crosses the regions that the oracle finds`() {
        var random = SeededRandom(seed: 128)
        for shapes in [
            RegionWorlds.polygons(150, vertices: 16, seed: 129), RegionWorlds.edgesOfTheWorld(40, seed: 130),
            RegionWorlds.parcels(16), RegionWorlds.knots(80, seed: 131),
        ] {
            let oracle = ExactOracle(shapes)
            let index = Self.index(shapes, besideTheMesh: 0.1)
            var points = AdversarialPoints(shapes, index, random: SeededRandom(seed: random.next()))
            for _ in 0..<60 {
                let (from, to) = (points.next(), points.next())
                var found: [Int32] = []
                index.regions(crossedBy: from, to, into: &found)
                #expect(found == oracle.polygons(crossedBy: from, to), "\(from) to \(to)")
            }
        }
    }

    @Test func `the regions near a place, and their distances, equal those of each shape alone`() {
        let shapes = RegionWorlds.polygons(200, vertices: 32, seed: 132)
        let prepared = shapes.map { PreparedShape($0) }
        let index = Self.index(shapes, besideTheMesh: 0.1)
        var points = AdversarialPoints(shapes, index, random: SeededRandom(seed: 133))
        for round in 0..<60 {
            let place = points.next()
            let radius = [1, 10, 50, 500, 1900][round % 5]
            var found = Answers<NearbyRegion>()
            index.nearby(place, within: Metres(Double(radius)), into: &found)
            #expect(found.map(\.id) == found.map(\.id).sorted())
            let distances = Dictionary(uniqueKeysWithValues: found.map { ($0.id, $0.signedDistanceMetres) })
            for (id, shape) in prepared.enumerated() {
                let expected = shape.signedDistanceToBoundary(from: place).value
                let distance = distances[Int32(id)]
                // Two centimetres either side of the radius it may go either way.
                if abs(expected) <= Double(radius) - 0.02 {
                    #expect(abs((distance ?? .nan) - expected) < 0.02, "\(id) at \(place)")
                } else if expected >= Double(radius) + 0.02 {
                    #expect(distance == .infinity, "\(id) at \(place)")
                } else if expected <= -Double(radius) - 0.02 {
                    #expect(distance == nil, "\(id) at \(place)")
                }
            }
        }
    }

    @Test func `the memory of a mesh is bounded, also for 50,000 regions on one spot`() {
        var random = SeededRandom(seed: 134)
        let spot = Coordinate(validLatitude: 46, longitude: 14)
        let stars = (0..<50_000).map { number in
            (id: Int32(number), shape: Shape.polygon(random.star(at: spot, vertices: 4, radius: 0.01)))
        }
        let index = RegionIndex(stars)
        // 24 references an edge or region, of 12 bytes; and the vertices themselves.
        #expect(index.meshByteCount < 24 * 12 * (50_000 + 200_000))
        var found: [Int32] = []
        index.regions(containing: spot, into: &found)
        #expect(found.count == 50_000)
        found.removeAll()
        let few = 200
        let corner = stars[few / 2].shape.polygons[0].exterior[2]
        index.regions(containing: corner, into: &found)
        let expected = ExactOracle(stars.prefix(few).map(\.shape)).regions(containing: corner)
        #expect(found.filter { $0 < few } == expected)
    }

    private func check(
        _ index: RegionIndex, _ model: [Int32: Int], _ stock: [Shape], _ random: inout SeededRandom
    ) {
        let ids = model.keys.sorted()
        let shapes = ids.compactMap { model[$0] }.map { stock[$0] }
        let oracle = ExactOracle(shapes)
        var points = AdversarialPoints(shapes, index, random: SeededRandom(seed: random.next()))
        for _ in 0..<300 {
            let place = points.next()
            var found: [Int32] = []
            index.regions(containing: place, into: &found)
            #expect(found == oracle.regions(containing: place).map { ids[Int($0)] }, "\(place)")
        }
    }

    /// An index of shapes under their numbers, a share of which is put after the mesh was made.
    private static func index(_ shapes: [Shape], besideTheMesh share: Double) -> RegionIndex {
        let numbered = shapes.enumerated().map { (id: Int32($0.offset), shape: $0.element) }
        let isBeside = { (id: Int32) in Double(id % 10) < share * 10 }
        var index = RegionIndex(numbered.filter { !isBeside($0.id) })
        for region in numbered where isBeside(region.id) { index.put(region.shape, as: region.id) }
        return index
    }
}
