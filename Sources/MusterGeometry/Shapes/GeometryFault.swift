/// A client's pair of numbers in GeoJSON's order, not yet checked.
public struct RawVertex: Hashable, Sendable {
    /// Degrees east, if it is valid.
    public var longitude: Double
    /// Degrees north, if it is valid.
    public var latitude: Double

    /// Creates a pair of numbers.
    public init(longitude: Double, latitude: Double) {
        self.longitude = longitude
        self.latitude = latitude
    }
}

/// How the check treats a ring whose direction is not RFC 7946's (exteriors counter-clockwise, holes clockwise).
public enum Winding: Hashable, Sendable {
    /// The ring is reversed silently.
    case corrected
    /// The direction is a fault.
    case required
}

/// A fault in a geometry, and its place.
public struct GeometryFault: Hashable, Sendable {
    /// The kinds of fault.
    public enum Kind: Hashable, Sendable {
        /// A polygon without rings, or a multipolygon without polygons.
        case empty
        /// A ring of fewer than four positions, the repeated first one included.
        case tooFewPositions(Int)
        /// The last position of a ring is not its first.
        case unclosed
        /// A number is not finite, or is not on the globe: latitude −90 to 90, longitude −180 to 180.
        case offGlobe
        /// The ring goes to a vertex and back along the same line.
        case spike
        /// The ring crosses or touches itself.
        case selfIntersection
        /// All vertices lie on one line.
        case zeroArea
        /// An exterior that runs clockwise; only under `Winding.required`.
        case clockwiseExterior
        /// A hole that runs counter-clockwise; only under `Winding.required`.
        case counterclockwiseHole
        /// Two rings of a polygon cross.
        case ringsCross
        /// Two rings of a polygon have a piece of an edge in common.
        case ringsShareEdge
        /// Two rings of a polygon touch; only under `ShapeRules` that forbid it.
        case ringsTouch
        /// More edges of a multipolygon's polygons cross than the `ShapeRules` allow.
        case tooManyCrossings
        /// A hole, or part of it, lies outside its exterior.
        case holeOutside
        /// Two holes overlap, or one lies in the other.
        case holesOverlap
        /// Two polygons of a multipolygon overlap. Touching is allowed, along edges too.
        case polygonsOverlap
        /// A radius that is not above 0 and at most 100 km.
        case radius(Double)
        /// The geometry has more positions or rings than a shape may have: `Shape.positionLimit`,
        /// `ShapeRules.ringLimit`.
        case tooLarge
        /// So many edges have overlapping boxes that checking them all would take too long.
        case tooComplex
    }

    /// A vertex of a geometry, by its numbers in the input, counted from 0. Ring 0 is the exterior.
    public struct Place: Hashable, Sendable {
        /// The polygon in a multipolygon; 0 for a polygon.
        public var polygon: Int
        /// The ring in the polygon.
        public var ring: Int
        /// The vertex, or the one at which an edge starts.
        public var vertex: Int

        /// Creates a place in a geometry.
        public init(polygon: Int, ring: Int, vertex: Int) {
            self.polygon = polygon
            self.ring = ring
            self.vertex = vertex
        }
    }

    /// The kind of fault.
    public let kind: Kind
    /// The place of the fault.
    public let place: Place
    /// The other place involved, such as the edge that a ring crosses; nil when there is none.
    public let other: Place?
    /// The position of the fault: the vertex, or the rounded point where edges cross.
    public let position: RawVertex?

    public init(_ kind: Kind, at place: Place, other: Place? = nil, position: RawVertex? = nil) {
        self.kind = kind
        self.place = place
        self.other = other
        self.position = position
    }
}

/// The faults of a geometry, in the order of their places.
public struct GeometryFaults: Error, Hashable, Sendable {
    /// The faults: at least one, at most `limit`.
    public let faults: [GeometryFault]

    /// The largest number of faults that are listed.
    public static let limit = 100

    init(_ faults: [GeometryFault]) {
        let ordered = faults.sorted { one, other in
            if one.place.polygon != other.place.polygon { return one.place.polygon < other.place.polygon }
            if one.place.ring != other.place.ring { return one.place.ring < other.place.ring }
            return one.place.vertex < other.place.vertex
        }
        self.faults = Array(ordered.prefix(Self.limit))
    }
}
