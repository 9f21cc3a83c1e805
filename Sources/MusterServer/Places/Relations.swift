import CGeos
import MusterWire

/// Computes relations between geometries with GEOS: the OGC's definitions (DE-9IM) in longitude and latitude, with
/// straight edges. Use an instance from one thread at a time.
///
/// The plane has edges and the globe has none. So each pair is laid out with the seam at a longitude that neither
/// crosses, and the antimeridian is a longitude like any other. Only where both together span the whole globe is one of
/// them cut.
final class Relations {
    private let context: GEOSContextHandle_t
    private let interruption: RelationInterruption.Flag
    private let query: UnrolledGeometry
    private let relation: GeoRelation

    /// Prepares to compare a query's geometry with others.
    init?(of query: PlainGeometry, _ relation: GeoRelation) {
        guard let context = GEOS_init_r() else { return nil }
        self.context = context
        interruption = RelationInterruption.Flag(of: context)
        self.query = UnrolledGeometry(query)
        self.relation = relation
    }

    deinit { GEOS_finish_r(context) }

    /// Whether the query has the relation to a geometry. A geometry that GEOS rejects (self-intersecting, of mixed
    /// dimensions) has no relation, nor does any once `BoundedWork.bound` is exceeded.
    func holds(to geometry: PlainGeometry) -> Bool {
        let other = UnrolledGeometry(geometry)
        guard BoundedWork.bound?.spendSteps(BoundedWork.stepsOfPattern + query.cornerCount + other.cornerCount) ?? true
        else { return false }
        return RelationInterruption.repeating(interruption) { holds(to: other) } ?? false
    }

    /// Returns nil where GEOS rejects a geometry, or was stopped.
    private func holds(to other: UnrolledGeometry) -> Bool? {
        let outlines = (query.parts + other.parts).map(\.outline)
        guard let seam = UnrolledGeometry.seam(of: outlines) else { return holdsRoundTheGlobe(other) }
        return withLaid(query, other, seam, isCut: false)
    }

    /// Where both together span the whole globe, puts the seam where the other geometry does not reach, or else where
    /// the query does not.
    private func holdsRoundTheGlobe(_ other: UnrolledGeometry) -> Bool? {
        let seam =
            UnrolledGeometry.seam(of: other.parts.map(\.outline))
            ?? UnrolledGeometry.seam(of: query.parts.map(\.outline)) ?? -180
        return withLaid(query, other, seam, isCut: true)
    }

    private func withLaid(
        _ one: UnrolledGeometry, _ other: UnrolledGeometry, _ seam: Double, isCut: Bool
    ) -> Bool? {
        guard let left = laid(one, seam, isCut: isCut) else { return nil }
        defer { GEOSGeom_destroy_r(context, left) }
        guard let right = laid(other, seam, isCut: isCut) else { return nil }
        defer { GEOSGeom_destroy_r(context, right) }
        return test(left, right)
    }

    private func test(_ left: OpaquePointer, _ right: OpaquePointer) -> Bool? {
        let answer: CChar
        switch relation {
        case .contains: answer = GEOSContains_r(context, left, right)
        case .containsProperly:
            guard let prepared = GEOSPrepare_r(context, left) else { return nil }
            defer { GEOSPreparedGeom_destroy_r(context, prepared) }
            answer = GEOSPreparedContainsProperly_r(context, prepared, right)
        case .coveredBy: answer = GEOSCoveredBy_r(context, left, right)
        case .covers: answer = GEOSCovers_r(context, left, right)
        case .crosses: answer = GEOSCrosses_r(context, left, right)
        case .disjoint: answer = GEOSDisjoint_r(context, left, right)
        case .intersects: answer = GEOSIntersects_r(context, left, right)
        case .overlaps: answer = GEOSOverlaps_r(context, left, right)
        case .touches: answer = GEOSTouches_r(context, left, right)
        case .within: answer = GEOSWithin_r(context, left, right)
        }
        return answer == 2 ? nil : answer == 1
    }

    // MARK: Laying out

    /// The geometry as a GEOS object, between the seam and the same longitude a turn farther east.
    private func laid(_ geometry: UnrolledGeometry, _ seam: Double, isCut: Bool) -> OpaquePointer? {
        var made: [OpaquePointer?] = []
        for part in geometry.parts {
            let shifted = part.shifted(by: UnrolledGeometry.turn(of: part.outline, from: seam))
            made.append(isCut && shifted.outline.east > seam + 360 ? cut(shifted, seam) : self.made(shifted))
        }
        let whole = made.compactMap { $0 }
        guard whole.count == made.count, !whole.isEmpty else {
            for part in whole { GEOSGeom_destroy_r(context, part) }
            return nil
        }
        if whole.count == 1 { return whole[0] }
        let kind: Int32 =
            switch geometry.parts[0] {
            case .point: Int32(GEOS_MULTIPOINT.rawValue)
            case .line: Int32(GEOS_MULTILINESTRING.rawValue)
            case .polygon: Int32(GEOS_MULTIPOLYGON.rawValue)
            }
        if isCut { return joined(whole) }
        var parts: [OpaquePointer?] = whole
        return GEOSGeom_createCollection_r(context, kind, &parts, UInt32(parts.count))
    }

    /// The part of a geometry within the turn, made from the union of copies a turn apart.
    private func cut(_ part: UnrolledGeometry.Part, _ seam: Double) -> OpaquePointer? {
        let copies = [-720.0, -360, 0].compactMap { made(part.shifted(by: $0)) }
        guard let whole = joined(copies),
            let frame = GEOSGeom_createRectangle_r(context, seam, -92, seam + 360, 92)
        else { return nil }
        defer {
            GEOSGeom_destroy_r(context, whole)
            GEOSGeom_destroy_r(context, frame)
        }
        return GEOSIntersection_r(context, whole, frame)
    }

    /// The union of some geometries, which it consumes.
    private func joined(_ geometries: [OpaquePointer]) -> OpaquePointer? {
        var parts: [OpaquePointer?] = geometries
        let kind = Int32(GEOS_GEOMETRYCOLLECTION.rawValue)
        guard let collection = GEOSGeom_createCollection_r(context, kind, &parts, UInt32(parts.count)) else {
            return nil
        }
        defer { GEOSGeom_destroy_r(context, collection) }
        return GEOSUnaryUnion_r(context, collection)
    }

    private func made(_ part: UnrolledGeometry.Part) -> OpaquePointer? {
        switch part {
        case .point(let path):
            guard let only = path.positions.first else { return nil }
            return GEOSGeom_createPointFromXY_r(context, only.x, only.y)
        case .line(let path): return line(path).flatMap { GEOSGeom_createLineString_r(context, $0) }
        case .polygon(let rings):
            let made = rings.map { ring in line(ring).flatMap { GEOSGeom_createLinearRing_r(context, $0) } }
            let whole = made.compactMap { $0 }
            guard whole.count == made.count, let exterior = whole.first else {
                for ring in whole { GEOSGeom_destroy_r(context, ring) }
                return nil
            }
            var holes: [OpaquePointer?] = Array(whole.dropFirst())
            return GEOSGeom_createPolygon_r(context, exterior, &holes, UInt32(holes.count))
        }
    }

    private func line(_ path: UnrolledPath) -> OpaquePointer? {
        let numbers = path.positions.flatMap { [$0.x, $0.y] }
        return GEOSCoordSeq_copyFromBuffer_r(context, numbers, UInt32(path.positions.count), 0, 0)
    }
}
