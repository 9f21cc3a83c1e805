/// A geographic area, valid by construction. A point on the boundary is inside.
public enum Shape: Hashable, Sendable {
    /// One ring with holes.
    case polygon(Polygon)
    /// Several polygons. A place is in the shape when it is in any of them; where they overlap, a boundary that lies in
    /// another polygon counts as boundary when distances are measured.
    case multiPolygon([Polygon])
    /// Every point within a geodesic distance of a centre.
    case circle(Circle)

    /// The circle; nil for any other shape.
    public var circle: Circle? { if case .circle(let circle) = self { circle } else { nil } }
}

/// An exterior ring and the holes in it. Edges are straight in longitude and latitude (RFC 7946), across the
/// antimeridian the short way.
public struct Polygon: Hashable, Sendable {
    /// Counter-clockwise; closed: the first position stands again at the end.
    public var exterior: [Coordinate]
    /// Clockwise and closed, inside the exterior, disjoint.
    public var holes: [[Coordinate]]

    /// Creates a polygon from rings that the caller knows to be valid; `Shape.validated` checks rings from outside.
    public init(exterior: [Coordinate], holes: [[Coordinate]] = []) {
        self.exterior = exterior
        self.holes = holes
    }
}

/// A centre and a geodesic radius on the WGS-84 ellipsoid.
public struct Circle: Hashable, Sendable {
    /// The point that every point of the rim is `radius` away from.
    public var centre: Coordinate
    /// Greater than 0, at most 100 km.
    public var radius: Metres

    /// Creates a circle without checking it; `Shape.radiusLimit` is the largest radius that clients may give.
    public init(centre: Coordinate, radius: Metres) {
        self.centre = centre
        self.radius = radius
    }
}
