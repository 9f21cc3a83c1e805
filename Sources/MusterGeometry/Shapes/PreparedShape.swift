/// A shape prepared for many queries, with the same answers as the shape.
public struct PreparedShape: Hashable, Sendable {
    struct Area: Hashable, Sendable {
        var exterior: Ring
        var holes: [Ring]

        init(_ polygon: Polygon) {
            exterior = Ring(polygon.exterior, isHole: false)
            holes = polygon.holes.map { Ring($0, isHole: true) }
        }
    }

    let areas: [Area]
    let circle: Circle?
    /// The circle's centre in space.
    private let centre: SpacePoint?
    /// The numbers of the edges that are not part of the boundary; see `signedDistanceToBoundary`.
    let cuts: [Int]

    /// Unrolls a shape.
    ///
    /// - Complexity: O(n) in the number of vertices.
    public init(_ shape: Shape) {
        switch shape {
        case .polygon(let polygon):
            areas = [Area(polygon)]
            circle = nil
            centre = nil
        case .multiPolygon(let polygons):
            areas = polygons.map(Area.init)
            circle = nil
            centre = nil
        case .circle(let circle):
            areas = []
            self.circle = circle
            centre = SpacePoint(circle.centre)
        }
        cuts = Self.cuts(in: areas)
    }

    /// Whether a place is in the shape (point in polygon); a place on the boundary is inside. Exact.
    public func contains(_ place: Coordinate) -> Bool {
        if let circle, let centre {
            // The distance through space nearly always decides; the margin is a thousand times its rounding error.
            let chord = centre.chord(to: SpacePoint(place))
            if chord > circle.radius.value + 1e-6 { return false }
            if SpacePoint.mostOnGround(chord) + 1e-6 < circle.radius.value { return true }
            return circle.contains(place)
        }
        for area in areas where area.locate(place) != .outside { return true }
        return false
    }
}

extension PreparedShape.Area {
    /// Returns where a place lies; a place on the boundary of a hole is on the boundary.
    func locate(_ place: Coordinate) -> Location {
        if abs(place.latitude) == 90 {
            let pole: Ring.Pole = place.latitude > 0 ? .north : .south
            return locate { $0.locatePole(pole) }
        }
        return locate { $0.locate(longitude: place.longitude, latitude: place.latitude) }
    }

    @inline(__always)
    private func locate(_ inRing: (Ring) -> Location) -> Location {
        let outer = inRing(exterior)
        if outer != .inside { return outer }
        for hole in holes {
            switch inRing(hole) {
            case .outside: continue
            case .boundary: return .boundary
            case .inside: return .outside
            }
        }
        return .inside
    }
}

extension Shape {
    /// Whether a place is in the shape; a place on the boundary is inside.
    ///
    /// Exact for polygons: the signs behind the answer are computed without rounding. A circle holds the places whose
    /// geodesic distance from its centre is at most its radius. For many queries about one shape use its
    /// `PreparedShape`.
    ///
    /// - Complexity: O(n) in the number of vertices.
    public func contains(_ place: Coordinate) -> Bool {
        PreparedShape(self).contains(place)
    }
}

extension Circle {
    /// Whether a place is within the radius of the centre; a place at exactly the radius is inside.
    public func contains(_ place: Coordinate) -> Bool {
        centre.distance(to: place) <= radius
    }
}
