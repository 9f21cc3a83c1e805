/// A tree of boxes round runs of edges, which finds all pairs of edges whose boxes touch.
///
/// A run is a piece of a ring, whose edges lie beside each other. The runs are ordered by Morton's curve and packed in
/// fours. An edge that reaches the antimeridian has a copy one turn away, so that edges on both sides of it meet.
struct EdgeTree {
    /// An edge of a ring, and by how many turns it is moved from its place in the unrolled ring.
    struct Edge {
        var ring: Int32
        var index: Int32
        var turns: Int32
        var span: Span
    }

    private var edges: [Edge] = []
    /// The first edge of each run; one more at the end.
    private var runs: [Int32] = []
    /// The boxes, level by level, the runs first.
    private var levels: [[Span]] = []

    private static let runLength = 8
    private static let fan = 4
    /// The largest number of pairs of boxes to compare, where an exact comparison counts as nine: a usual shape of
    /// 100,000 vertices needs some millions.
    private static let workLimit = 50_000_000

    /// Builds the tree of all edges of valid rings.
    init(_ rings: [CheckedRing]) {
        var found: [(start: Int, end: Int, span: Span)] = []
        var all: [Edge] = []
        for (number, ring) in rings.enumerated() where ring.isSound {
            var copies: [Edge] = []
            var start = all.count
            for index in 0..<ring.edgeCount {
                let edge = Self.edge(ring, number, index)
                all.append(edge)
                copies += Self.copies(of: edge)
                if all.count - start == Self.runLength || index == ring.edgeCount - 1 {
                    found.append((start, all.count, Self.union(all[start...])))
                    start = all.count
                }
            }
            for copy in copies {
                found.append((all.count, all.count + 1, copy.span))
                all.append(copy)
            }
        }
        let order = found.indices.map { (Self.morton(found[$0].span), $0) }.sorted { $0 < $1 }
        var boxes: [Span] = []
        edges.reserveCapacity(all.count)
        for (_, index) in order {
            runs.append(Int32(edges.count))
            edges += all[found[index].start..<found[index].end]
            boxes.append(found[index].span)
        }
        runs.append(Int32(edges.count))
        levels.append(boxes)
        while boxes.count > 1 {
            boxes = stride(from: 0, to: boxes.count, by: Self.fan).map { start in
                let end = min(start + Self.fan, boxes.count)
                return boxes[start..<end].dropFirst().reduce(boxes[start]) { $0.union($1) }
            }
            levels.append(boxes)
        }
    }

    /// Calls the closure with every pair of edges whose boxes touch, until it returns false.
    ///
    /// - Returns: false when the limit of work was reached and pairs were left out.
    func forEachPair(_ body: (Edge, Edge) -> Bool) -> Bool {
        guard !edges.isEmpty else { return true }
        var pending: [(level: Int32, one: Int32, other: Int32)] = [(Int32(levels.count - 1), 0, 0)]
        var work = 0
        while let (level, one, other) = pending.popLast() {
            if level == 0 {
                guard compareRuns(Int(one), Int(other), &work, body) else { return true }
            } else {
                let boxes = levels[Int(level) - 1]
                let first = Int(one) * Self.fan..<min((Int(one) + 1) * Self.fan, boxes.count)
                let second = Int(other) * Self.fan..<min((Int(other) + 1) * Self.fan, boxes.count)
                for left in first {
                    for right in second where (one != other || right >= left) {
                        work += 1
                        if boxes[left].touches(boxes[right]) {
                            pending.append((level - 1, Int32(left), Int32(right)))
                        }
                    }
                }
            }
            if work > Self.workLimit { return false }
        }
        return true
    }

    private func compareRuns(_ one: Int, _ other: Int, _ work: inout Int, _ body: (Edge, Edge) -> Bool) -> Bool {
        for left in Int(runs[one])..<Int(runs[one + 1]) {
            let start = one == other ? left + 1 : Int(runs[other])
            for right in start..<Int(runs[other + 1]) {
                work += 1
                guard edges[left].span.touches(edges[right].span) else { continue }
                // An exact comparison costs some times as much as one of boxes.
                work += 8
                if !body(edges[left], edges[right]) { return false }
            }
        }
        return true
    }

    /// Returns an edge, moved so that its start has no turns.
    private static func edge(_ ring: CheckedRing, _ number: Int, _ index: Int) -> Edge {
        let start = ring.corner(index)
        let end = ring.corner(index + 1)
        let turns = -start.longitude.turns
        let west = start.longitude.degrees
        let east = end.turned(by: turns).longitude.rounded
        let margin = 1e-12
        return Edge(
            ring: Int32(number), index: Int32(index), turns: Int32(turns),
            span: Span(
                west: min(west, east) - margin, east: max(west, east) + margin,
                south: min(start.latitude, end.latitude), north: max(start.latitude, end.latitude)))
    }

    /// Returns the copies of an edge a turn away, on each side on which it reaches the antimeridian.
    private static func copies(of edge: Edge) -> [Edge] {
        var result: [Edge] = []
        if edge.span.east >= 180 { result.append(edge.turned(by: -1)) }
        if edge.span.west <= -180 { result.append(edge.turned(by: 1)) }
        return result
    }

    private static func union(_ edges: ArraySlice<Edge>) -> Span {
        edges.dropFirst().reduce(edges[edges.startIndex].span) { $0.union($1.span) }
    }

    /// The place of a box's middle on Morton's curve.
    private static func morton(_ span: Span) -> UInt64 {
        let x = max(0, min(1, ((span.west + span.east) / 2 + 180) / 360))
        let y = max(0, min(1, ((span.south + span.north) / 2 + 90) / 180))
        return spread(UInt64(x * 0x1p24)) | spread(UInt64(y * 0x1p24)) << 1
    }

    /// Inserts a 0 between any two bits of the lower 32.
    private static func spread(_ value: UInt64) -> UInt64 {
        var bits = value
        bits = (bits | bits << 16) & 0x0000_FFFF_0000_FFFF
        bits = (bits | bits << 8) & 0x00FF_00FF_00FF_00FF
        bits = (bits | bits << 4) & 0x0F0F_0F0F_0F0F_0F0F
        bits = (bits | bits << 2) & 0x3333_3333_3333_3333
        return (bits | bits << 1) & 0x5555_5555_5555_5555
    }
}

extension EdgeTree.Edge {
    fileprivate func turned(by more: Int) -> EdgeTree.Edge {
        var copy = self
        copy.turns += Int32(more)
        copy.span.west += 360 * Double(more)
        copy.span.east += 360 * Double(more)
        return copy
    }
}

extension Span {
    /// The smallest box that holds both.
    func union(_ other: Span) -> Span {
        Span(
            west: min(west, other.west), east: max(east, other.east), south: min(south, other.south),
            north: max(north, other.north))
    }
}
