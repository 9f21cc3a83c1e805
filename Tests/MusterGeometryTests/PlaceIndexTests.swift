import MusterGeometry
import Testing

/// Every answer held against one that looks at all places.
struct PlaceIndexTests {
    private struct World {
        var index = PlaceIndex()
        var places: [Int32: Coordinate] = [:]

        mutating func insert(_ place: Coordinate) { places[index.insert(place)] = place }

        mutating func remove(_ slot: Int32) {
            index.remove(slot)
            places[slot] = nil
        }

        func checkRadius(_ radius: Metres, of centre: Coordinate) {
            var found = FoundPlaces()
            index.places(within: radius, of: centre, into: &found)
            let expected = places.filter { centre.distance(to: $0.value) <= radius }.keys.sorted()
            #expect(found.points.sorted() == expected, "\(radius.value) m of \(centre)")
        }

        func checkNearest(_ count: Int, to centre: Coordinate) {
            let found = NearestPlaces(index, to: centre).prefix(count).map { $0.distance.value }
            let expected = places.values.map { centre.distance(to: $0).value }.sorted().prefix(count)
            #expect(found == Array(expected), "nearest to \(centre)")
        }

        func checkBox(_ box: BoundingBox) {
            var found = FoundPlaces()
            index.places(in: box, into: &found)
            #expect(found.points.sorted() == places.filter { box.contains($0.value) }.keys.sorted(), "\(box)")
        }
    }

    @Test(arguments: [UInt64(1), 2, 3])
    func `answers are those of a full scan while places come and go`(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var world = World()
        for round in 0..<6 {
            for _ in 0..<400 { world.insert(random.place()) }
            // A crowd that all ask about, over the antimeridian and at a pole.
            for _ in 0..<100 {
                world.insert(random.place(latitude: -1...1, longitude: 179...180))
                world.insert(random.place(latitude: -1...1, longitude: -180 ... -179))
                world.insert(random.place(latitude: 89...90, longitude: -180...180))
            }
            for slot in world.places.keys.sorted().prefix(150 * round) { world.remove(slot) }
            #expect(world.index.count == world.places.count)
            for _ in 0..<10 {
                let centre = random.place()
                world.checkRadius(Metres(random.number(1...3_000_000)), of: centre)
                world.checkNearest(20, to: centre)
            }
            world.checkRadius(80_000, of: Coordinate(validLatitude: 0.3, longitude: 180))
            world.checkRadius(80_000, of: Coordinate(validLatitude: 90, longitude: 12))
            world.checkRadius(20_100_000, of: random.place())
            world.checkNearest(50, to: Coordinate(validLatitude: 0, longitude: -179.9))
            world.checkNearest(50, to: Coordinate(validLatitude: 89.99, longitude: 77))
        }
    }

    @Test func `boxes hold what is on their sides, across the antimeridian too`() {
        var random = SeededRandom(seed: 9)
        var world = World()
        for _ in 0..<3_000 {
            // Whole degrees, so that sides are met exactly.
            let place = random.place()
            world.insert(
                Coordinate(validLatitude: place.latitude.rounded(), longitude: place.longitude.rounded()))
        }
        for _ in 0..<200 {
            let corner = random.place(latitude: -90...60, longitude: -180...180)
            let north = min(90, corner.latitude.rounded() + random.number(0...60).rounded())
            let east = (corner.longitude.rounded() + random.number(0...170).rounded()).remainder(dividingBy: 360)
            let box = BoundingBox(
                south: corner.latitude.rounded(), west: corner.longitude.rounded(), north: north, east: east)
            if box.south > -90, box.north < 90 { world.checkBox(box) }
        }
        world.checkBox(BoundingBox(south: -90, west: -180, north: 90, east: 180))
    }

    @Test func `a point exactly at the radius is within it`() {
        var random = SeededRandom(seed: 4)
        for _ in 0..<300 {
            let centre = random.place()
            let place = random.place(latitude: -85...85, longitude: -180...180)
            let index = PlaceIndex([place])
            let radius = centre.distance(to: place)
            var found = FoundPlaces()
            index.places(within: radius, of: centre, into: &found)
            #expect(found.points == [0])
            found.clear()
            index.places(within: Metres(radius.value.nextDown), of: centre, into: &found)
            #expect(found.points == [])
        }
    }

    @Test func `an entry with an extent is a candidate wherever it may overlap`() {
        var random = SeededRandom(seed: 5)
        for _ in 0..<500 {
            let corner = random.place(latitude: -80...80, longitude: -180...180)
            let width = random.number(0...40)
            let box = BoundingBox(
                south: corner.latitude, west: corner.longitude, north: min(90, corner.latitude + random.number(0...20)),
                east: (corner.longitude + width).remainder(dividingBy: 360))
            var index = PlaceIndex()
            let slot = index.insert(box)
            let inside = Coordinate(
                validLatitude: random.number(box.south...box.north),
                longitude: (box.west + random.number(0...width)).remainder(dividingBy: 360))
            var found = FoundPlaces()
            index.places(within: 1, of: inside, into: &found)
            #expect(found.candidates == [slot], "\(box) \(inside)")
            found.clear()
            let side = BoundingBox(
                south: inside.latitude, west: inside.longitude, north: inside.latitude, east: inside.longitude)
            index.places(in: side, into: &found)
            #expect(found.candidates == [slot], "\(box) \(inside)")
        }
    }

    @Test func `an empty index answers nothing`() {
        var index = PlaceIndex()
        let centre = Coordinate(validLatitude: 1, longitude: 2)
        #expect(Array(NearestPlaces(index, to: centre)).isEmpty)
        index.remove(index.insert(centre))
        var found = FoundPlaces()
        index.allPlaces(into: &found)
        index.places(within: 10, of: centre, into: &found)
        #expect(found.points.isEmpty && Array(NearestPlaces(index, to: centre)).isEmpty)
    }
}
