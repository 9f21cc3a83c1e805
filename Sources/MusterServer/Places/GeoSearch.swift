import MusterCoding
import MusterGeometry
package import MusterWire

/// Answers a geo query from a geo index: the matching documents, in order.
package struct GeoSearch {
    /// A matching document.
    package struct Found: Hashable {
        package var id: String
        /// The distance in metres from the centre of the query; 0 where the order is by id.
        package var distance: Double

        /// Orders by distance, and by id where distances are equal.
        func isBefore(_ other: Found) -> Bool {
            distance == other.distance
                ? id.utf8.lexicographicallyPrecedes(other.id.utf8) : distance < other.distance
        }
    }

    private let query: GeoQuery
    private let geoIndex: DocumentGeoIndex
    private let relations: Relations?

    /// The number of corners of the polygon that stands for a circle or an ellipse when a document has another geometry
    /// than a point.
    private static let cornerCount = 256

    private init(_ query: GeoQuery, _ geoIndex: DocumentGeoIndex) {
        self.query = query
        self.geoIndex = geoIndex
        relations = Relations(of: Self.outline(of: query.area), query.relation)
    }

    /// Returns one page of a query's results, after the end of the previous page.
    package static func page(_ query: GeoQuery, _ geoIndex: DocumentGeoIndex) throws(MangoError) -> ArraySlice<Found> {
        let search = GeoSearch(query, geoIndex)
        let start = try query.bookmark.map { text throws(MangoError) in try Found(bookmark: text) }
        if query.limit == 0 { return [] }
        let wanted = query.skip + query.limit
        let found = query.isNearest ? search.nearest(wanted, after: start) : search.byID()
        let rest = start.map { start in found.drop { !start.isBefore($0) } } ?? found[...]
        return rest.dropFirst(query.skip).prefix(query.limit)
    }

    // MARK: By nearness

    /// Returns the nearest documents, in order: those up to `start`, the `count` nearest after it, and those as far
    /// away as the last of them.
    private func nearest(_ count: Int, after start: Found?) -> [Found] {
        let centre = Self.centre(of: query.area)
        var found: [Found] = []
        var behind = 0
        var last = -1.0
        for place in NearestPlaces(geoIndex.index, to: centre) {
            let distance = place.distance.value
            if behind >= count, distance > last { break }
            if distance > bound { break }
            guard BoundedWork.bound?.spendSteps(1) ?? true else { break }
            guard isWanted(place.slot) else { continue }
            let next = Found(id: geoIndex.ids[Int(place.slot)], distance: distance)
            found.append(next)
            last = distance
            if start.map({ $0.isBefore(next) }) ?? true { behind += 1 }
        }
        return found.sorted { $0.isBefore($1) }
    }

    /// The greatest distance, in metres, at which a document can match.
    private var bound: Double {
        guard case .circle(_, let radius) = query.area, query.relation != .disjoint, geoIndex.geometries.isEmpty else {
            return .infinity
        }
        return radius.value
    }

    // MARK: By id

    private func byID() -> [Found] {
        var found = FoundPlaces()
        if query.relation == .disjoint {
            geoIndex.index.allPlaces(into: &found)
        } else {
            candidates(into: &found)
        }
        return (found.points + found.candidates).filter(isWanted)
            .map { Found(id: geoIndex.ids[Int($0)], distance: 0) }.sorted { $0.isBefore($1) }
    }

    private func candidates(into found: inout FoundPlaces) {
        switch query.area {
        case .circle(let centre, let radius): geoIndex.index.places(within: radius, of: centre, into: &found)
        case .ellipse(let centre, let east, let north):
            geoIndex.index.places(within: max(east, north), of: centre, into: &found)
        case .box(let box): geoIndex.index.places(in: box, into: &found)
        case .geometry(let geometry):
            guard let box = UnrolledGeometry(geometry).boundingBox else { return }
            geoIndex.index.places(in: box, into: &found)
        }
    }

    // MARK: One document

    /// Whether a document matches the query.
    private func isWanted(_ slot: Int32) -> Bool {
        let isPointQuery = if case .geometry(let geometry) = query.area { geometry.point != nil } else { false }
        // A nearest query around a point matches every document.
        if query.isNearest, isPointQuery { return true }
        // Past the bound nothing more matches; the code that set the bound reports that the results are incomplete.
        guard BoundedWork.bound?.spendSteps(1) ?? true else { return false }
        guard let geometry = geoIndex.geometries[slot] else {
            let place = geoIndex.coordinates[Int(slot)]
            guard let side = side(of: place) else { return relations?.holds(to: PlainGeometry(place)) ?? false }
            return side.fulfils(query.relation)
        }
        return relations?.holds(to: geometry) ?? false
    }

    /// The side of the query's boundary that a point is on; nil where GEOS must decide.
    private func side(of place: Coordinate) -> Side? {
        switch query.area {
        case .circle(let centre, let radius):
            let distance = centre.distance(to: place)
            return distance < radius ? .inside : distance == radius ? .boundary : .outside
        case .ellipse(let centre, let east, let north):
            let line = Geodesic(from: centre, to: place)
            let reach = Self.reach(east.value, north.value, azimuth: line.initialAzimuth.value)
            return line.distance.value < reach ? .inside : line.distance.value == reach ? .boundary : .outside
        case .box(let box):
            guard box.contains(place) else { return .outside }
            let isOnSide =
                place.latitude == box.south || place.latitude == box.north || place.longitude == box.west
                || place.longitude == box.east
            let isRound = box.west == -180 && box.east == 180
            let isAtEnd = place.latitude == box.south || place.latitude == box.north
            let isPole = abs(place.latitude) == 90 && isRound
            return isPole ? .inside : (isRound ? isAtEnd : isOnSide) ? .boundary : .inside
        case .geometry: return nil
        }
    }

    private enum Side {
        case inside, boundary, outside

        /// Whether an area with an interior has the relation to a point on this side of its boundary.
        func fulfils(_ relation: GeoRelation) -> Bool {
            switch relation {
            case .contains, .containsProperly: self == .inside
            case .covers, .intersects: self != .outside
            case .touches: self == .boundary
            case .disjoint: self == .outside
            case .coveredBy, .crosses, .overlaps, .within: false
            }
        }
    }

    // MARK: The query's geometry

    private static func centre(of area: GeoQuery.Area) -> Coordinate {
        switch area {
        case .circle(let centre, _), .ellipse(let centre, _, _): return centre
        case .box(let box): return middle(of: box)
        case .geometry(let geometry):
            return geometry.point
                ?? middle(
                    of: UnrolledGeometry(geometry).boundingBox
                        ?? BoundingBox(south: 0, west: 0, north: 0, east: 0))
        }
    }

    private static func middle(of box: BoundingBox) -> Coordinate {
        let east = box.crossesAntimeridian ? box.east + 360 : box.east
        return Coordinate(
            validLatitude: (box.south + box.north) / 2,
            longitude: ((box.west + east) / 2).remainder(dividingBy: 360))
    }

    private static func outline(of area: GeoQuery.Area) -> PlainGeometry {
        switch area {
        case .geometry(let geometry): return geometry
        case .circle(let centre, let radius): return ring(centre, radius.value, radius.value)
        case .ellipse(let centre, let east, let north): return ring(centre, east.value, north.value)
        case .box(let box):
            var geometry = PlainGeometry()
            let isRound = box.west == -180 && box.east == 180
            // A box wider than half a turn is drawn in steps, because an edge takes the shorter way.
            let east = box.crossesAntimeridian ? box.east + 360 : box.east
            let steps = (0...4).map { box.west + (east - box.west) * Double($0) / 4 }
            func corner(_ latitude: Double, _ longitude: Double) -> Coordinate {
                let turned = isRound && longitude == 180 ? 180 : longitude > 180 ? longitude - 360 : longitude
                return Coordinate(validLatitude: latitude, longitude: turned)
            }
            let south = steps.map { corner(box.south, $0) }
            let north = steps.reversed().map { corner(box.north, $0) }
            geometry.polygons = [[south + north + [south[0]]]]
            return geometry
        }
    }

    private static func ring(_ centre: Coordinate, _ east: Double, _ north: Double) -> PlainGeometry {
        // Anticlockwise from the south, so that the interior is on the left.
        let corners = (0..<cornerCount).map { number in
            let azimuth = 180 - Double(number) * 360 / Double(cornerCount)
            let reach = reach(east, north, azimuth: azimuth)
            return centre.destination(bearing: Degrees(azimuth), distance: Metres(reach))
        }
        var geometry = PlainGeometry()
        geometry.polygons = [[corners + corners.prefix(1)]]
        return geometry
    }

    /// The radius of an ellipse in a direction, in metres.
    private static func reach(_ east: Double, _ north: Double, azimuth: Double) -> Double {
        if east == north { return east }
        let (sine, cosine) = UnitCircle.point(degrees: azimuth)
        let across = (north * sine) * (north * sine) + (east * cosine) * (east * cosine)
        return east * north / across.squareRoot()
    }
}

extension GeoSearch.Found {
    /// The end of a page, as clients send it back.
    package var bookmark: String {
        Base64.encode(JSONValue.array([.string(String(distance.bitPattern, radix: 16)), .string(id)]).bytes)
    }

    package init(bookmark text: String) throws(MangoError) {
        guard text.utf8.count <= 4_096, let bytes = Base64.decode(text), let value = try? JSONValue(parsing: bytes),
            let parts = value.elements, parts.count == 2, let id = parts[1].string,
            let pattern = parts[0].string.flatMap({ UInt64($0, radix: 16) })
        else { throw MangoError("bad_request", "there is no such bookmark") }
        self.init(id: id, distance: Double(bitPattern: pattern))
    }
}
