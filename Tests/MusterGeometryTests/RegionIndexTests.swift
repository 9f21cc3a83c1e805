import MusterGeometry
import Testing

@Suite struct RegionIndexTests {
    @Test func `the index answers as every shape alone does, through puts and removals`() {
        var random = SeededRandom(seed: 20)
        var index = RegionIndex()
        var shapes: [Int32: Shape] = [:]
        var answers = Answers<Int32>()
        for round in 0..<rounds(1200) {
            let id = Int32(random.number(-100...200))
            if random.number(0...1) < 0.3 {
                index.remove(id)
                shapes[id] = nil
            } else {
                let shape = Self.anyShape(&random)
                index.put(shape, as: id)
                shapes[id] = shape
            }
            #expect(index.count == shapes.count)
            guard round % 10 == 0 else { continue }
            for _ in 0..<30 {
                let place = Self.anyPlace(near: shapes, &random)
                var found: [Int32] = [7]
                index.regions(containing: place, into: &found)
                let expected = shapes.filter { $0.value.contains(place) }.keys.sorted()
                #expect(found == [7] + expected, "\(place)")
                answers.clear()
                answers.append(7)
                index.regions(containing: place, into: &answers)
                #expect(Array(answers) == found, "\(place)")
            }
        }
    }

    /// Fails where memory that was never written is not zero, as `Scripts/test` has it.
    @Test func `prefetching in an index without a mesh reads no uninitialized memory`() throws {
        var index = RegionIndex()
        let places = [try Coordinate(latitude: 52, longitude: 13.5), try Coordinate(latitude: -90, longitude: 0)]
        for id in Int32(0)..<3 {
            let touched = places.withUnsafeBufferPointer { index.approach($0, measuring: true) }
            #expect(touched == places.withUnsafeBufferPointer { index.approach($0, measuring: false) })
            index.put(.circle(Circle(centre: places[0], radius: 10)), as: id)
        }
    }

    @Test func `the regions within a distance are those whose own distance is within it`() {
        var random = SeededRandom(seed: 21)
        var index = RegionIndex()
        var shapes: [Int32: Shape] = [:]
        for id in 0..<200 {
            let shape = Self.anyShape(&random)
            index.put(shape, as: Int32(id))
            shapes[Int32(id)] = shape
        }
        var near = 0
        for _ in 0..<rounds(300) {
            let place = Self.anyPlace(near: shapes, &random)
            let radius = Metres(pow10(random.number(0...7)))
            var found = Answers<NearbyRegion>()
            index.nearby(place, within: radius, into: &found)
            let expected = shapes.filter {
                $0.value.contains(place) || $0.value.signedDistanceToBoundary(from: place).value >= -radius.value
            }.keys.sorted()
            #expect(found.map { $0.id } == expected, "\(place) \(radius)")
            near += found.count
        }
        #expect(near > rounds(300))
        var none = Answers<NearbyRegion>()
        index.nearby(Coordinate(validLatitude: 0, longitude: 0), within: -1, into: &none)
        index.nearby(Coordinate(validLatitude: 0, longitude: 0), within: Metres(.nan), into: &none)
        #expect(none.count == 0)
    }

    @Test func `a copy keeps its answers while the original changes`() throws {
        let place = Coordinate(validLatitude: 1, longitude: 1)
        var index = RegionIndex()
        index.put(.circle(Circle(centre: place, radius: 100)), as: 1)
        let copy = index
        index.remove(1)
        var before: [Int32] = []
        copy.regions(containing: place, into: &before)
        var after: [Int32] = []
        index.regions(containing: place, into: &after)
        #expect(before == [1])
        #expect(after.isEmpty)
    }

    @Test func `many regions at one place come in ascending order`() {
        var index = RegionIndex()
        let place = Coordinate(validLatitude: 1, longitude: 1)
        for id in (0..<500).reversed() {
            index.put(.circle(Circle(centre: place, radius: Metres(Double(1 + id % 7)))), as: Int32(id * 37 % 500))
        }
        var found: [Int32] = []
        index.regions(containing: place, into: &found)
        #expect(found == Array(0..<500))
    }

    @Test func `the antimeridian and the poles are found from either name`() {
        var index = RegionIndex()
        let box = { (west: Double, east: Double, south: Double, north: Double) in
            Shape.polygon(
                Polygon(
                    exterior: [(west, south), (east, south), (east, north), (west, north), (west, south)].map {
                        Coordinate(validLatitude: $0.1, longitude: $0.0)
                    }))
        }
        index.put(box(170, 180, 0, 10), as: 1)
        index.put(box(-180, -170, 0, 10), as: 2)
        index.put(box(170, -170, 0, 10), as: 3)
        index.put(box(10, 20, 80, 90), as: 4)
        for longitude in [180.0, -180.0] {
            var found: [Int32] = []
            index.regions(containing: Coordinate(validLatitude: 5, longitude: longitude), into: &found)
            #expect(found == [1, 2, 3])
        }
        var found: [Int32] = []
        index.regions(containing: Coordinate(validLatitude: 90, longitude: -77), into: &found)
        #expect(found == [4])
    }

    static func anyShape(_ random: inout SeededRandom) -> Shape {
        let centre = anyCentre(&random)
        let kind = random.number(0...1)
        if kind < 0.3 {
            return .circle(Circle(centre: centre, radius: Metres(pow10(random.number(0...5)))))
        }
        let radius = pow10(random.number(-4...1.2))
        let first = random.star(at: centre, vertices: 3 + Int(random.number(0...30)), radius: radius, hole: kind > 0.7)
        if kind < 0.85 { return .polygon(first) }
        let second = random.star(at: anyCentre(&random), vertices: 8, radius: radius)
        return .multiPolygon([first, second])
    }

    /// Near one of a few spots, so that shapes meet: the antimeridian and high latitudes among them.
    static func anyCentre(_ random: inout SeededRandom) -> Coordinate {
        let spots = [(47.0, 8.0), (-17, 179.9), (65, -179.99), (85, 30), (0, 0)]
        let spot = spots[Int(random.number(0...4.999))]
        let reach = pow10(random.number(-4...0.5))
        return Coordinate(
            validLatitude: spot.0 + random.number(-1...1) * reach,
            longitude: (spot.1 + random.number(-1...1) * reach).remainder(dividingBy: 360))
    }

    static func anyPlace(near shapes: [Int32: Shape], _ random: inout SeededRandom) -> Coordinate {
        if random.number(0...1) < 0.5 { return anyCentre(&random) }
        let keys = shapes.keys.sorted()
        guard !keys.isEmpty, let shape = shapes[keys[Int(random.number(0...0.999) * Double(keys.count))]] else {
            return random.place()
        }
        switch shape {
        case .polygon(let polygon): return polygon.exterior[0]
        case .multiPolygon(let polygons): return polygons[1].exterior[1]
        case .circle(let circle):
            return circle.centre.destination(
                bearing: Degrees(random.number(0...360)), distance: Metres(circle.radius.value * random.number(0...1.1))
            )
        }
    }
}
