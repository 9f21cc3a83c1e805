// `MeshSource`: the regions from which a mesh is built, as flat arrays of vertices and outlines.

/// A region as an index keeps it.
struct IndexedRegion: Sendable {
    var id: Int32
    var shape: Shape
    /// The number of the change that put it; see `RegionIndex.adopt`.
    var stamp: UInt64
}

/// The regions of a mesh laid flat: all vertices in one array.
struct MeshSource: ~Copyable {
    var vertices: Pile<Double>
    var outlines = Pile<MeshOutline>()
    private(set) var turnedRings: [Ring] = []
    var circles = Pile<MeshCircle>()
    /// The edges, each by its first vertex, that are cuts along the antimeridian and no boundary; ascending.
    var cuts = Pile<UInt32>()
    private(set) var edgeCount = 0

    /// The largest longitude, in degrees, at which copies a turn away are still of use: a little beyond the
    /// antimeridian on both sides.
    private static var reach: Double { 181 }

    /// Lays regions flat.
    ///
    /// - Parameters:
    ///   - regions: ascending by number, each number once; all admitted.
    ///   - namesAreIDs: whether leaves name a region by its number, or by its place among the regions.
    init(_ regions: [IndexedRegion], namesAreIDs: Bool) {
        vertices = Pile(capacity: regions.reduce(64) { $0 + 2 * $1.shape.positionCount })
        for (rank, region) in regions.enumerated() {
            let outline = MeshOutline(
                name: namesAreIDs ? UInt32(region.id) : UInt32(rank), rank: UInt32(rank))
            let (firstOutline, firstRing) = (outlines.count, turnedRings.count)
            switch region.shape {
            case .polygon(let polygon): append(polygon, outline)
            case .multiPolygon(let polygons):
                for polygon in polygons { append(polygon, outline) }
            case .circle(let circle): append(circle, outline)
            }
            if turnedRings.count > firstRing { findCuts(of: region.shape, from: firstOutline) }
        }
        cuts.sort()
    }

    private mutating func append(_ polygon: Polygon, _ outline: MeshOutline) {
        // Without an edge it holds nothing, whatever its holes are.
        guard polygon.exterior.count > 1 else { return }
        append(polygon.exterior, outline, isHole: false)
        for hole in polygon.holes { append(hole, outline, isHole: true) }
    }

    private mutating func append(_ circle: Circle, _ model: MeshOutline) {
        var outline = model
        let span = Span(circle)
        outline.circle = Int32(circles.count)
        (outline.south, outline.north) = (span.south, span.north)
        for piece in span.pieces {
            outline.west = min(outline.west, piece.west)
            outline.east = max(outline.east, piece.east)
        }
        circles.append(MeshCircle(circle))
        outlines.append(outline)
    }

    private mutating func append(_ positions: [Coordinate], _ model: MeshOutline, isHole: Bool) {
        guard positions.count > 1 else { return }
        var outline = model
        outline.isHole = isHole
        outline.firstVertex = UInt32(vertices.count / 2)
        if Ring.isPlain(positions) {
            let target = vertices.extend(by: 2 * positions.count)
            var at = target
            for position in positions {
                let (x, y) = (position.longitude, position.latitude)
                (at[0], at[1]) = (x, y)
                at += 2
                outline.west = x < outline.west ? x : outline.west
                outline.east = x > outline.east ? x : outline.east
                outline.south = y < outline.south ? y : outline.south
                outline.north = y > outline.north ? y : outline.north
            }
        } else {
            let ring = Ring(positions, isHole: isHole)
            outline.turnedRing = Int32(turnedRings.count)
            outline.holdsSouth = ring.pole == .south
            turnedRings.append(ring)
            appendCopies(of: ring, &outline)
        }
        outline.vertexCount = UInt32(vertices.count / 2) - outline.firstVertex
        edgeCount += Int(outline.vertexCount) - 1
        outlines.append(outline)
    }

    /// Notes in all copies the edges of a shape that are cuts.
    private mutating func findCuts(of shape: Shape, from firstOutline: Int) {
        var found = PreparedShape(shape).cuts[...]
        var number = 0
        for index in firstOutline..<outlines.count where !found.isEmpty {
            let outline = outlines[index]
            let turned = Int(outline.turnedRing)
            let vertexCount = turned < 0 ? Int(outline.vertexCount) : turnedRings[turned].longitudes.count
            while let cut = found.first, cut < number + vertexCount - 1 {
                // A plain ring has no edge on the antimeridian, and between copies stands one vertex more.
                for copy in stride(from: cut - number, to: Int(outline.vertexCount), by: vertexCount + 1) {
                    cuts.append(outline.firstVertex + UInt32(copy))
                }
                found.removeFirst()
            }
            number += vertexCount - 1
        }
    }

    /// Appends a ring wherever it comes between −180 and 180, one turn after the other.
    private mutating func appendCopies(of ring: Ring, _ outline: inout MeshOutline) {
        let first = Self.firstTurn(ring)
        let last = Int(((Self.reach - ring.west) / 360).rounded(.down))
        // A ring around the globe holds everything up to its pole.
        outline.south = ring.pole == .south ? -90 : ring.south
        outline.north = ring.pole == .north ? 90 : ring.north
        for turn in first...max(first, last) {
            if turn != first {
                vertices.append(.nan)
                vertices.append(.nan)
            }
            for index in ring.longitudes.indices {
                var longitude = ring.longitude(index)
                longitude.turns += turn
                vertices.append(longitude.rounded)
                vertices.append(ring.latitudes[index])
            }
            outline.west = min(outline.west, ring.west + 360 * Double(turn))
            outline.east = max(outline.east, ring.east + 360 * Double(turn))
        }
    }
}

extension MeshSource {
    /// By how many turns the first copy of a ring stands off the ring.
    private static func firstTurn(_ ring: Ring) -> Int { Int(((-reach - ring.east) / 360).rounded(.up)) }

    /// A vertex of a ring's copies, exactly, by its place among them.
    static func point(_ offset: Int, of ring: Ring) -> UnrolledPoint {
        let (copy, index) = offset.quotientAndRemainder(dividingBy: ring.longitudes.count + 1)
        return ring.point(index).turned(by: firstTurn(ring) + copy)
    }
}

extension MeshOutline {
    /// The longitudes and latitudes of the globe that the outline may touch.
    var clamped: Span {
        Span(west: max(-180, west), east: min(180, east), south: south, north: north)
    }
}

extension Ring {
    /// Whether all edges run as they are written, and none touches the antimeridian.
    static func isPlain(_ positions: [Coordinate]) -> Bool {
        var previous = positions[0].longitude
        for position in positions {
            let longitude = position.longitude
            if abs(longitude) >= 180 || abs(longitude - previous) > 180 { return false }
            previous = longitude
        }
        return true
    }
}

extension Shape {
    /// How many positions its rings have.
    package var positionCount: Int {
        switch self {
        case .polygon(let polygon): polygon.positionCount
        case .multiPolygon(let polygons): polygons.reduce(0) { $0 + $1.positionCount }
        case .circle: 0
        }
    }

    /// Whether a mesh can hold the shape: every valid shape, and an invalid one if its rings are closed and go round
    /// the globe at most once. Other shapes stay in the delta.
    var isForMesh: Bool {
        switch self {
        case .polygon(let polygon): polygon.isForMesh
        case .multiPolygon(let polygons): polygons.allSatisfy { $0.isForMesh }
        case .circle(let circle): circle.radius.value >= 0 && circle.radius.value < 10_000_000
        }
    }
}

extension Polygon {
    fileprivate var positionCount: Int { holes.reduce(exterior.count) { $0 + $1.count } }

    fileprivate var isForMesh: Bool {
        isForMesh(exterior, isHole: false) && holes.allSatisfy { isForMesh($0, isHole: true) }
    }

    private func isForMesh(_ ring: [Coordinate], isHole: Bool) -> Bool {
        guard let first = ring.first else { return true }
        if first != ring[ring.count - 1] { return false }
        if Ring.isPlain(ring) { return true }
        return abs(Ring(ring, isHole: isHole).turns.last ?? 0) <= 1
    }
}
