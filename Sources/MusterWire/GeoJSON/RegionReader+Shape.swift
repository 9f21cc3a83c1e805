import MusterGeometry

/// Makes a region's shape from a GeoJSON geometry.
extension RegionReader {
    /// Makes the shape of a geometry. Records a fault and returns nil when it makes none.
    mutating func shape(of geometry: GeometryDraft, radius: JSONValue?) -> Shape? {
        do throws(GeometryFaults) {
            switch geometry {
            case .polygon(let rings): return try .validated(polygon: rings)
            case .multiPolygon(let polygons): return try .validated(multiPolygon: polygons)
            case .point(let centre):
                guard let metres = metres(radius, around: centre) else { return nil }
                return try .validated(circleAround: centre, radiusMetres: metres)
            }
        } catch {
            for fault in error.faults { record(fault, in: geometry) }
            return nil
        }
    }

    private mutating func metres(_ radius: JSONValue?, around centre: RawVertex) -> Double? {
        let path = "/properties/radius"
        let place = Self.coordinate(centre)
        guard let radius, radius != .null else {
            record(.invalid("a Point needs a radius in metres to be a region"), at: path, coordinate: place)
            return nil
        }
        guard let metres = radius.number else {
            record(.wrongType(expected: .number, found: radius.kind), at: path, coordinate: place)
            return nil
        }
        return metres
    }

    /// Records a fault that `MusterGeometry` found, at the pointer of its place.
    private mutating func record(_ fault: GeometryFault, in geometry: GeometryDraft) {
        let ring: String
        switch geometry {
        case .point: ring = ""
        case .polygon: ring = "/\(fault.place.ring)"
        case .multiPolygon: ring = "/\(fault.place.polygon)/\(fault.place.ring)"
        }
        let path: String
        switch fault.kind {
        case .radius: path = "/properties/radius"
        case .empty, .tooLarge, .tooComplex: path = "/geometry/coordinates"
        case .tooFewPositions, .zeroArea: path = "/geometry/coordinates\(ring)"
        default: path = "/geometry/coordinates\(ring)/\(fault.place.vertex)"
        }
        record(
            .invalid(Self.words(for: fault, isMultiple: geometry.isMultiple)), at: path,
            coordinate: fault.position.flatMap { Self.coordinate($0) })
    }

    private static func coordinate(_ vertex: RawVertex) -> Coordinate? {
        try? Coordinate(latitude: vertex.latitude, longitude: vertex.longitude)
    }

    /// Returns the fault in words for the person who drew the region. All numbers count from 0, as in the pointer.
    static func words(for fault: GeometryFault, isMultiple: Bool) -> String {
        let other =
            fault.other.map { place in
                let polygon = isMultiple ? "polygon \(place.polygon), " : ""
                return " (\(polygon)ring \(place.ring), position \(place.vertex))"
            } ?? ""
        return switch fault.kind {
        case .empty: "a polygon has at least one ring, a MultiPolygon at least one polygon"
        case .tooFewPositions(let count): "a ring has at least 4 positions, this has \(count)"
        case .unclosed: "a ring ends where it begins"
        case .offGlobe: "the position is off the globe"
        case .spike: "the ring goes to this position and back the way it came"
        case .selfIntersection: "the ring crosses or touches itself\(other)"
        case .zeroArea: "the ring encloses nothing"
        case .clockwiseExterior: "an exterior runs counter-clockwise"
        case .counterclockwiseHole: "a hole runs clockwise"
        case .ringsCross: "the ring crosses another\(other)"
        case .ringsShareEdge: "the ring runs along another\(other)"
        case .ringsTouch: "the ring touches another\(other)"
        case .tooManyCrossings: "the edge crosses too many others"
        case .holeOutside: "the hole, or a part of it, lies outside its exterior"
        case .holesOverlap: "the hole overlaps another\(other)"
        case .polygonsOverlap: "the polygon overlaps another\(other)"
        case .radius(let metres):
            "must be more than 0 and at most \(JSONWriter.text(Shape.radiusLimit.value)) metres, is "
                + JSONWriter.text(metres)
        case .tooLarge: "has more than \(Shape.positionLimit) positions or \(Shape.ringLimit) rings"
        case .tooComplex: "so many edges lie side by side that checking them would take too long"
        }
    }
}
