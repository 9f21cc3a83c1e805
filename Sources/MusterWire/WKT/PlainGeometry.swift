package import MusterGeometry

/// A geometry as GeoJSON and WKT write it: points, lines and polygons. The readers check only that each part has enough
/// positions, and that these are on the globe. Edges run the short way round.
package struct PlainGeometry: Hashable, Sendable {
    package var points: [Coordinate] = []
    /// The lines, each of two positions or more.
    package var lines: [[Coordinate]] = []
    /// The polygons, each of closed rings, the exterior one first.
    package var polygons: [[[Coordinate]]] = []

    /// The largest number of positions of a geometry.
    package static let positionLimit = 100_000

    /// Creates an empty geometry.
    package init() {}

    /// Creates a geometry of one point.
    package init(_ point: Coordinate) { points = [point] }

    /// The point; nil unless the geometry is one point alone.
    package var point: Coordinate? {
        points.count == 1 && lines.isEmpty && polygons.isEmpty ? points[0] : nil
    }

    /// Whether it has parts of different dimensions.
    package var isMixed: Bool { [points.isEmpty, lines.isEmpty, polygons.isEmpty].count { !$0 } > 1 }

    /// Whether it has no parts.
    package var isEmpty: Bool { points.isEmpty && lines.isEmpty && polygons.isEmpty }
}

/// The reason why a text or value is no geometry.
package enum GeometryTextError: Error, Hashable, Sendable {
    /// There is no geometry type of this name.
    case type(String)
    /// The geometry is not well formed; in words.
    case malformed(String)
    /// A coordinate is off the globe.
    case offGlobe
    /// The geometry has more positions than `PlainGeometry.positionLimit`.
    case tooLarge
}

extension GeometryTextError: CustomStringConvertible {
    /// The fault in words for a person.
    package var description: String {
        switch self {
        case .type(let name):
            "unknown geometry type \(name): use Point, LineString, Polygon, their Multi forms, or GeometryCollection"
        case .malformed(let words): words
        case .offGlobe: "a position is not on the globe: longitude first, −180 to 180, then latitude, −90 to 90"
        case .tooLarge: "more than \(PlainGeometry.positionLimit) positions"
        }
    }
}

extension PlainGeometry {
    /// Reads a GeoJSON geometry, and flattens collections.
    package init(geoJSON value: JSONValue) throws(GeometryTextError) {
        var room = Self.positionLimit
        try add(value, &room, depth: 0)
    }

    private mutating func add(_ value: JSONValue, _ room: inout Int, depth: Int) throws(GeometryTextError) {
        guard let type = value["type"]?.string else { throw .malformed("a geometry has a type") }
        if type == "GeometryCollection" {
            guard depth < 4 else { throw .malformed("a GeometryCollection nests deeper than four levels") }
            guard let members = value["geometries"]?.elements else {
                throw .malformed("a GeometryCollection has geometries")
            }
            for member in members { try add(member, &room, depth: depth + 1) }
            return
        }
        guard let coordinates = value["coordinates"] else { throw .malformed("a geometry has coordinates") }
        switch type {
        case "Point": points.append(try Self.position(coordinates, &room))
        case "MultiPoint": points += try Self.positions(coordinates, &room)
        case "LineString": lines.append(try Self.line(coordinates, &room))
        case "MultiLineString":
            for line in try Self.list(coordinates) { lines.append(try Self.line(line, &room)) }
        case "Polygon": polygons.append(try Self.rings(coordinates, &room))
        case "MultiPolygon":
            for polygon in try Self.list(coordinates) { polygons.append(try Self.rings(polygon, &room)) }
        default: throw .type(type)
        }
    }

    private static func list(_ value: JSONValue) throws(GeometryTextError) -> [JSONValue] {
        guard let elements = value.elements else { throw .malformed("coordinates are an array") }
        return elements
    }

    private static func position(_ value: JSONValue, _ room: inout Int) throws(GeometryTextError) -> Coordinate {
        guard let numbers = value.elements, numbers.count >= 2, let longitude = numbers[0].number,
            let latitude = numbers[1].number
        else { throw .malformed("a position is an array of two numbers") }
        return try position(longitude, latitude, &room)
    }

    static func position(
        _ longitude: Double, _ latitude: Double, _ room: inout Int
    ) throws(GeometryTextError) -> Coordinate {
        room -= 1
        guard room >= 0 else { throw .tooLarge }
        do throws(CoordinateError) {
            return try Coordinate(latitude: latitude, longitude: longitude)
        } catch {
            throw .offGlobe
        }
    }

    private static func positions(_ value: JSONValue, _ room: inout Int) throws(GeometryTextError) -> [Coordinate] {
        var result: [Coordinate] = []
        for element in try list(value) { result.append(try position(element, &room)) }
        return result
    }

    private static func line(_ value: JSONValue, _ room: inout Int) throws(GeometryTextError) -> [Coordinate] {
        try checkedLine(try positions(value, &room))
    }

    private static func rings(_ value: JSONValue, _ room: inout Int) throws(GeometryTextError) -> [[Coordinate]] {
        var rings: [[Coordinate]] = []
        for ring in try list(value) { rings.append(try checkedRing(try positions(ring, &room))) }
        guard !rings.isEmpty else { throw .malformed("a polygon has a ring") }
        return rings
    }

    static func checkedLine(_ line: [Coordinate]) throws(GeometryTextError) -> [Coordinate] {
        guard line.count >= 2 else { throw .malformed("a line has two positions or more") }
        return line
    }

    static func checkedRing(_ ring: [Coordinate]) throws(GeometryTextError) -> [Coordinate] {
        guard ring.count >= 4, ring.first == ring.last else {
            throw .malformed("a ring has four positions or more, and ends where it begins")
        }
        return ring
    }
}
