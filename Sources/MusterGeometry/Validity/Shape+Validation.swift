/// Makes shapes of a client's rings, and refuses invalid ones.
extension Shape {
    /// The most positions of a shape, in all its rings together. More are refused as `tooLarge`.
    public static var positionLimit: Int { 200_000 }
    /// The most rings of a shape, exteriors and holes of all its polygons. More are refused as `tooLarge`.
    public static var ringLimit: Int { 5_000 }
    /// The greatest radius of a circle.
    public static var radiusLimit: Metres { 100_000 }

    /// Validates a client's rings as a polygon: the exterior, then the holes, each closed.
    ///
    /// - Parameters:
    ///   - rings: positions in GeoJSON's order, longitude first.
    ///   - winding: whether a ring of the wrong direction is turned round or is a fault.
    ///   - rules: how rings may lie to each other.
    /// - Throws: every fault found, with its place; see `GeometryFault.Kind`.
    ///
    /// Under `Winding.corrected` a number off the globe by no more than 10⁻⁹ degrees is put back on its edge, too.
    ///
    /// Accepted beyond OGC's rules: rings of a polygon may touch each other in any number of points. Refused as in
    /// OGC's rules: a ring that touches itself. A position that repeats the one before it is left out.
    ///
    /// A ring round the globe encloses the pole on its left (a hole: on its right); under `Winding.corrected` the pole
    /// with which it encloses the smaller part of the map, and a hole the pole that its exterior encloses.
    ///
    /// - Complexity: O(n log n) for n positions of any usual shape, about 20 ms for 100,000. What would take seconds
    ///   (thousands of long edges, slanting side by side) is refused as `tooComplex`.
    public static func validated(
        polygon rings: [[RawVertex]], winding: Winding = .corrected, rules: ShapeRules = .simpleFeatures
    ) throws(GeometryFaults) -> Shape {
        let polygons = try polygons([rings], winding, rules)
        return .polygon(polygons[0])
    }

    /// Validates a client's polygons as a multipolygon, each its exterior and its holes.
    ///
    /// Checks as `validated(polygon:winding:rules:)` does; besides, the polygons may touch each other, and overlap
    /// where the rules allow it: then the shape holds every place that any of them holds. One may lie in a hole of
    /// another.
    public static func validated(
        multiPolygon polygons: [[[RawVertex]]], winding: Winding = .corrected, rules: ShapeRules = .simpleFeatures
    ) throws(GeometryFaults) -> Shape {
        .multiPolygon(try Self.polygons(polygons, winding, rules))
    }

    /// Validates a client's numbers as a circle.
    ///
    /// - Throws: `offGlobe` for the centre, `radius` for a radius that is not above 0 and at most 100 km; or both.
    public static func validated(circleAround centre: RawVertex, radiusMetres: Double) throws(GeometryFaults) -> Shape {
        let place = GeometryFault.Place(polygon: 0, ring: 0, vertex: 0)
        var faults: [GeometryFault] = []
        let coordinate = centre.coordinate
        if coordinate == nil { faults.append(GeometryFault(.offGlobe, at: place, position: centre)) }
        if !(radiusMetres > 0 && radiusMetres <= radiusLimit.value) {
            faults.append(GeometryFault(.radius(radiusMetres), at: place))
        }
        guard let coordinate, faults.isEmpty else { throw GeometryFaults(faults) }
        return .circle(Circle(centre: coordinate, radius: Metres(radiusMetres)))
    }

    private static func polygons(
        _ raw: [[[RawVertex]]], _ winding: Winding, _ rules: ShapeRules
    ) throws(GeometryFaults) -> [Polygon] {
        var check = ShapeCheck(winding: winding, rules: rules)
        let polygons = check.polygons(raw)
        guard check.faults.isEmpty else { throw GeometryFaults(check.faults) }
        return polygons
    }
}

extension RawVertex {
    /// The same pair with a number off the globe by no more than 10⁻⁹ degrees (0.1 mm) moved to the edge of the globe:
    /// some programs write 180.0000000000001.
    var withoutRoundingError: RawVertex {
        RawVertex(longitude: Self.trimmed(longitude, to: 180), latitude: Self.trimmed(latitude, to: 90))
    }

    private static func trimmed(_ value: Double, to limit: Double) -> Double {
        abs(value) > limit && abs(value) <= limit + 1e-9 ? (value < 0 ? -limit : limit) : value
    }

    /// The coordinate, if the numbers are on the globe.
    var coordinate: Coordinate? {
        guard latitude >= -90, latitude <= 90, longitude >= -180, longitude <= 180 else { return nil }
        return Coordinate(validLatitude: latitude, longitude: longitude)
    }
}
