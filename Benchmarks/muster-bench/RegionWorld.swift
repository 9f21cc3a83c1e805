import Foundation
import MusterGeometry

/// The regions and the query places of a measurement. Equal seeds give equal ones.
struct RegionWorld {
    let shapes: [Shape]
    /// The places of the queries.
    let box: BoundingBox

    /// The collections that are measured.
    enum Kind: CaseIterable {
        case fences
        case raggedFences
        case counties
        case countries
        case ring

        var name: String {
            switch self {
            case .fences: "10,000 × 32 vertices"
            case .raggedFences: "10,000 × 1,000 vertices"
            case .counties: "US counties"
            case .countries: "countries"
            case .ring: "a circle of 1,000 vertices"
            }
        }

        /// The collection; nil when it lies in files and there is no folder of them.
        func collection(data: URL?) throws -> RegionWorld? {
            switch self {
            case .fences: .polygons(10_000, vertices: 32)
            case .raggedFences: .polygons(10_000, vertices: 1000)
            case .counties: try data.map { try RegionWorld.counties(in: $0) }
            case .countries: try data.map { try RegionWorld.countries(in: $0) }
            case .ring: .ring(vertices: 1000)
            }
        }
    }

    /// Star-shaped polygons in a square of 1°, about 3.3 at each place of it. Each corner is at 0.6 to 1 of the
    /// polygon's reach, whatever its neighbours do: many corners make a ragged boundary, which is the hard case.
    static func polygons(_ count: Int, vertices: Int) -> RegionWorld {
        var random = SeededRandom(seed: 11)
        // Such a star fills 2.05 times the square of its reach.
        let reach = (3.3 / 2.05 / Double(count)).squareRoot()
        let shapes = (0..<count).map { _ in
            let centre = (latitude: random.uniform(37, 38), longitude: random.uniform(-120, -119))
            let size = reach * random.uniform(0.7, 1.3)
            var ring: [Coordinate] = []
            for corner in 0..<vertices {
                let angle = (Double(corner) + random.uniform(0, 0.4)) / Double(vertices) * 2 * .pi
                let away = size * random.uniform(0.6, 1)
                ring.append(
                    Coordinate(
                        validLatitude: centre.latitude + away * sin(angle),
                        longitude: centre.longitude + away * cos(angle)))
            }
            return Shape.polygon(Polygon(exterior: ring + ring.prefix(1)))
        }
        return RegionWorld(
            shapes: shapes, box: BoundingBox(south: 37, west: -120, north: 38, east: -119))
    }

    /// One polygon of that many vertices that follows a circle of 5 km.
    static func ring(vertices: Int) -> RegionWorld {
        let centre = Coordinate(validLatitude: 46.05, longitude: 14.5)
        let corners = (0..<vertices).map { corner in
            centre.destination(bearing: Degrees(-360 * Double(corner) / Double(vertices)), distance: 5000)
        }
        let shape = Shape.polygon(Polygon(exterior: corners + corners.prefix(1)))
        return RegionWorld(shapes: [shape], box: shape.boundingBox)
    }

    /// Counties of the United States, from `fences/us-counties.geojson`, their rings closed.
    static func counties(in folder: URL) throws -> RegionWorld {
        RegionWorld(
            shapes: try shapes(in: folder.appending(path: "fences/us-counties.geojson")),
            box: BoundingBox(south: 26, west: -124, north: 48, east: -68))
    }

    /// Natural Earth's countries of the world.
    static func countries(in folder: URL) throws -> RegionWorld {
        RegionWorld(
            shapes: try shapes(in: folder.appending(path: "naturalearth/ne_110m_admin_0_countries.json")),
            box: BoundingBox(south: -90, west: -180, north: 90, east: 180))
    }

    /// The sound polygons and multipolygons of a GeoJSON file; what is not sound is left out.
    private static func shapes(in file: URL) throws -> [Shape] {
        let root = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any]
        let features = root?["features"] as? [[String: Any]] ?? []
        return features.compactMap { feature in
            let geometry = feature["geometry"] as? [String: Any]
            if let polygon = geometry?["coordinates"] as? [[[Double]]] {
                return try? Shape.validated(polygon: polygon.map(closed))
            }
            guard let polygons = geometry?["coordinates"] as? [[[[Double]]]] else { return nil }
            return try? Shape.validated(multiPolygon: polygons.map { $0.map(closed) })
        }
    }

    private static func closed(_ ring: [[Double]]) -> [RawVertex] {
        let vertices = ring.map { RawVertex(longitude: $0[0], latitude: $0[1]) }
        return vertices.first == vertices.last ? vertices : vertices + vertices.prefix(1)
    }
}

extension RegionWorld {
    /// The shapes under the numbers from 0 on.
    var numbered: [(id: Int32, shape: Shape)] { shapes.enumerated().map { (Int32($0.offset), $0.element) } }

    /// Places anywhere in the box.
    func randomPlaces(_ count: Int) -> [Coordinate] {
        var random = SeededRandom(seed: 7)
        return (0..<count).map { _ in
            Coordinate(
                validLatitude: random.uniform(box.south, box.north), longitude: random.uniform(box.west, box.east))
        }
    }

    /// The places of 1,000 walkers in turn, each 1 to 20 m on from its last.
    func walk(_ count: Int) -> [Coordinate] {
        var random = SeededRandom(seed: 8)
        let walkers = min(1000, count)
        var places = randomPlaces(walkers)
        var headings = places.map { _ in random.uniform(0, 2 * .pi) }
        places.reserveCapacity(count)
        for index in walkers..<max(walkers, count) {
            let walker = index % walkers
            headings[walker] += random.uniform(-0.3, 0.3)
            let metres = random.uniform(1, 20)
            let last = places[index - walkers]
            let latitude = last.latitude + metres * sin(headings[walker]) / 110_570
            let room = 111_320 * max(0.01, cos(last.latitude * .pi / 180))
            let longitude = last.longitude + metres * cos(headings[walker]) / room
            places.append(
                Coordinate(
                    validLatitude: max(-90, min(90, latitude)), longitude: longitude.remainder(dividingBy: 360)))
        }
        return places
    }
}
