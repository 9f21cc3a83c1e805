import MusterCoding
package import MusterGeometry

/// A geofence's geometry as a request contains it, not yet validated as a shape.
package enum AmazonGeometry: Hashable, Sendable {
    case polygon([[RawVertex]])
    case multiPolygon([[[RawVertex]]])
    case circle(RawVertex, radiusMetres: Double)
    /// A polygon or multipolygon from a geobuf, which has other limits.
    indirect case geobuf(AmazonGeometry)
    /// The geometry cannot be read; the text describes the fault.
    case unreadable(String)

    /// Amazon's limits of the members of `Geometry`.
    private static let ringLimit = 250
    private static let geobufLimit = 700_000

    /// The limits of a geometry, by the form in which it came.
    fileprivate struct Limits {
        var polygons: Int
        var rings: Int
        var vertices: Int

        static let json = Limits(polygons: 250, rings: 250, vertices: 1_000)
        static let geobuf = Limits(polygons: 10_000, rings: 25_000, vertices: 100_000)

        /// Amazon's rules: rings of a polygon do not touch; polygons may overlap, and an edge may cross 5 edges of
        /// others, 100,000 pairs in all.
        var rules: ShapeRules {
            ShapeRules(ringsMayTouch: false, crossingsOfEdge: 5, crossingLimit: 100_000, ringLimit: rings)
        }
    }

    /// Reads a `Geometry`, which must have exactly one of its members.
    package init?(_ members: AmazonMembers, _ faults: inout AmazonFaults) {
        let kinds = ["Polygon", "MultiPolygon", "Circle", "Geobuf"]
        let given = kinds.filter { members.value($0, &faults) != nil }
        guard given.count == 1, let kind = given.first else {
            let found = given.isEmpty ? "none is given" : "\(given.joined(separator: " and ")) are given"
            self = .unreadable("Exactly one of \(kinds.joined(separator: ", ")) must be given; \(found)")
            return
        }
        switch kind {
        case "Polygon":
            guard let rings = members.list(kind, 1...Self.ringLimit, &faults) else { return nil }
            self = Self.rings(rings).map { .polygon($0) } ?? Self.notVertices
        case "MultiPolygon":
            guard let polygons = members.list(kind, 1...Self.ringLimit, &faults) else { return nil }
            let rings = polygons.map { $0.elements.flatMap(Self.rings) }
            self = rings.contains(nil) ? Self.notVertices : .multiPolygon(rings.compactMap(\.self))
        case "Circle":
            guard let circle = members.object(kind, &faults),
                let centre = circle.position("Center", required: true, &faults),
                let radius = circle.number("Radius", in: -.infinity ... .infinity, required: true, &faults)
            else { return nil }
            self = .circle(centre, radiusMetres: radius)
        default:
            guard let text = members.text(kind, .geobuf, &faults) else { return nil }
            self = Self.geobuf(text)
        }
    }

    private static let notVertices = AmazonGeometry.unreadable("A ring is a list of [longitude, latitude]")

    private static func rings(_ elements: [JSONValue]) -> [[RawVertex]]? {
        var rings: [[RawVertex]] = []
        for element in elements {
            guard let vertices = element.elements else { return nil }
            let ring = vertices.compactMap { $0.elements.flatMap { RawVertex($0) } }
            guard ring.count == vertices.count else { return nil }
            rings.append(ring)
        }
        return rings
    }

    private static func geobuf(_ text: String) -> AmazonGeometry {
        guard let bytes = Base64.decode(text), bytes.count <= geobufLimit else {
            return .unreadable("Geobuf must be base 64 of at most \(geobufLimit) bytes")
        }
        do throws(GeobufError) {
            return .geobuf(try Geobuf.geometry(bytes))
        } catch {
            return .unreadable("Geobuf: \(error.reason)")
        }
    }

    /// Validates the geometry and returns its shape.
    ///
    /// - Throws: `AmazonGeometryError` for its fault.
    /// - Complexity: O(n log n) for n vertices, of which a geobuf may have 100,000: do not call it where nothing may
    ///   block.
    package func shape() throws(AmazonGeometryError) -> Shape {
        if case .geobuf(let geometry) = self { return try geometry.shape(within: .geobuf) }
        return try shape(within: .json)
    }

    private func shape(within limits: Limits) throws(AmazonGeometryError) -> Shape {
        do {
            switch self {
            case .geobuf: throw AmazonGeometryError("A Geobuf in a Geobuf")
            case .unreadable(let words): throw AmazonGeometryError(words)
            case .circle(let centre, let radius):
                return try .validated(circleAround: centre, radiusMetres: radius)
            case .polygon(let rings):
                try limits.check([rings])
                return try .validated(polygon: rings, winding: .required, rules: limits.rules)
            case .multiPolygon(let polygons):
                try limits.check(polygons)
                return try .validated(multiPolygon: polygons, winding: .required, rules: limits.rules)
            }
        } catch let fault as AmazonGeometryError {
            throw fault
        } catch let faults as GeometryFaults {
            throw AmazonGeometryError(faults.faults.first.map(Self.words) ?? "The geometry is not valid")
        } catch {
            throw AmazonGeometryError("The geometry is not valid")
        }
    }

    private static func words(_ fault: GeometryFault) -> String {
        let place = "polygon \(fault.place.polygon), ring \(fault.place.ring), vertex \(fault.place.vertex)"
        return switch fault.kind {
        case .empty: "A polygon has at least one ring"
        case .tooFewPositions(let count): "A ring has at least 4 vertices, this has \(count): \(place)"
        case .unclosed: "A ring ends where it begins: \(place)"
        case .offGlobe: "Off the globe: \(place)"
        case .spike: "The ring goes to a vertex and back the way it came: \(place)"
        case .selfIntersection: "The ring crosses or touches itself: \(place)"
        case .zeroArea: "The ring encloses nothing: \(place)"
        case .clockwiseExterior: "An exterior ring runs counter-clockwise: \(place)"
        case .counterclockwiseHole: "An interior ring runs clockwise: \(place)"
        case .ringsCross, .ringsShareEdge, .holesOverlap, .polygonsOverlap: "Rings cross or overlap: \(place)"
        case .ringsTouch: "Rings of a polygon must not touch: \(place)"
        case .tooManyCrossings:
            "An edge crosses more than 5 edges of other polygons, or more than 100,000 pairs cross: \(place)"
        case .holeOutside: "An interior ring lies outside its exterior: \(place)"
        case .radius(let metres):
            "Radius must be more than 0 and at most 100000 metres, is \(JSONWriter.text(metres))"
        case .tooLarge, .tooComplex: "The geometry is too complex"
        }
    }
}

extension AmazonGeometry.Limits {
    fileprivate func check(_ polygons: [[[RawVertex]]]) throws(AmazonGeometryError) {
        guard polygons.count <= self.polygons else {
            throw AmazonGeometryError("A geometry has at most \(self.polygons) polygons, this has \(polygons.count)")
        }
        guard polygons.reduce(0, { $0 + $1.count }) <= rings else {
            throw AmazonGeometryError("A geometry has at most \(rings) rings")
        }
        let count = polygons.reduce(0) { $0 + $1.reduce(0) { $0 + $1.count } }
        guard count <= vertices else {
            throw AmazonGeometryError("A geometry has at most \(vertices) vertices, this has \(count)")
        }
    }
}

/// The fault for which a geometry makes no shape.
package struct AmazonGeometryError: Error, Hashable, Sendable {
    /// The fault in words.
    package let message: String

    init(_ message: String) { self.message = message }
}

extension JSONWriter {
    /// Writes a shape in the form of the API's `Geometry`: a polygon, a multipolygon or a circle.
    package mutating func amazonGeometry(_ shape: Shape) {
        beginObject()
        switch shape {
        case .polygon(let polygon):
            key("Polygon")
            amazonRings(polygon)
        case .multiPolygon(let polygons):
            key("MultiPolygon")
            beginArray()
            for polygon in polygons { amazonRings(polygon) }
            endArray()
        case .circle(let circle):
            key("Circle")
            beginObject()
            key("Center")
            amazonPosition(circle.centre)
            member("Radius", circle.radius.value)
            endObject()
        }
        endObject()
    }

    private mutating func amazonRings(_ polygon: Polygon) {
        beginArray()
        for ring in [polygon.exterior] + polygon.holes {
            beginArray()
            for coordinate in ring { amazonPosition(coordinate) }
            endArray()
        }
        endArray()
    }
}
