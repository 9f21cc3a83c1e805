import Foundation
import MusterGeometry
import MusterWire

/// A region as a finger draws it: a circle, or a polygon of one ring. What a region has besides, as holes and
/// properties, is kept as it is.
struct RegionDraft: Hashable, Sendable {
    var id: String
    var name: String
    var isMuster: Bool
    /// The vertices of the ring, the first one once; of a circle its centre.
    var vertices: [MapModel.Place]
    /// The radius of a circle; nil for a polygon.
    var radiusMetres: Double?
    /// Whether the shape is one that this editor cannot draw: several polygons, holes, or none.
    var isForeign = false
    private var properties: [JSONValue.Member] = []
    private var geometry: JSONValue?

    /// The largest number of vertices that a finger draws.
    static let vertexLimit = 500

    /// A new region.
    init(around place: MapModel.Place?) {
        (id, name, isMuster) = ("", "", true)
        vertices = place.map { [$0] } ?? []
        radiusMetres = 50
    }

    /// A region in the server's answer; nil for a value that is none.
    init?(_ feature: JSONValue) {
        guard let id = feature["id"]?.string ?? feature["id"]?.integer.map({ String($0) }) else { return nil }
        self.id = id
        let properties = feature["properties"]
        self.properties = properties?.members ?? []
        name = properties?["name"]?.string ?? id
        isMuster = properties?["muster"]?.boolean ?? false
        geometry = feature["geometry"]
        vertices = []
        switch geometry?["type"]?.string {
        case "Point":
            radiusMetres = properties?["radius"]?.number ?? 50
            vertices = [geometry?["coordinates"]].compactMap { $0.flatMap { Self.place($0) } }
        case "Polygon":
            let rings = geometry?["coordinates"]?.elements ?? []
            vertices = (rings.first?.elements ?? []).compactMap { Self.place($0) }
            if vertices.count > 1, vertices.first == vertices.last { vertices.removeLast() }
            isForeign = rings.count > 1 || vertices.count > Self.vertexLimit
        default: isForeign = true
        }
    }

    private static func place(_ value: JSONValue) -> MapModel.Place? {
        guard let pair = value.elements, pair.count >= 2, let longitude = pair[0].number, let latitude = pair[1].number
        else { return nil }
        return MapModel.Place(latitude: latitude, longitude: longitude)
    }

    /// The region as the server takes it: GeoJSON, longitude first.
    var feature: JSONValue {
        var kept = properties.filter { !["name", "muster", "radius"].contains($0.key) }
        kept.append(.init("name", .string(name)))
        kept.append(.init("muster", .boolean(isMuster)))
        if !isForeign, let radiusMetres { kept.append(.init("radius", .number(radiusMetres))) }
        return .object([
            .init("type", .string("Feature")), .init("id", .string(id)), .init("properties", .object(kept)),
            .init("geometry", isForeign ? geometry ?? .null : drawn),
        ])
    }

    private var drawn: JSONValue {
        func pair(_ place: MapModel.Place) -> JSONValue { .array([.number(place.longitude), .number(place.latitude)]) }
        guard radiusMetres == nil else {
            return .object([
                .init("type", .string("Point")), .init("coordinates", vertices.first.map(pair) ?? .null),
            ])
        }
        // RFC 7946: the outer ring counter-clockwise, its first position once more at the end.
        let ring = Self.isClockwise(vertices) ? vertices.reversed() : vertices
        let closed = ring + ring.prefix(1)
        return .object([
            .init("type", .string("Polygon")), .init("coordinates", .array([.array(closed.map(pair))])),
        ])
    }

    private static func isClockwise(_ ring: [MapModel.Place]) -> Bool {
        guard let first = ring.first else { return false }
        func east(_ place: MapModel.Place) -> Double { (place.longitude - first.longitude).remainder(dividingBy: 360) }
        let pairs = zip(ring, ring.dropFirst() + ring.prefix(1))
        return pairs.reduce(0) { $0 + (east($1.1) - east($1.0)) * ($1.1.latitude + $1.0.latitude) } > 0
    }

    /// The shape, if it is valid.
    ///
    /// - Throws: `GeometryFaults`.
    func shape() throws(GeometryFaults) -> Shape {
        let ring = vertices.map { RawVertex(longitude: $0.longitude, latitude: $0.latitude) }
        if let radiusMetres, let centre = ring.first {
            return try Shape.validated(circleAround: centre, radiusMetres: radiusMetres)
        }
        return try Shape.validated(polygon: [ring + ring.prefix(1)])
    }
}
