/// Finds the places near a centre, or in a box.
extension PlaceIndex {
    /// Adds the places within a geodesic distance of a centre; a place at exactly the distance is within.
    public func places(within radius: Metres, of centre: Coordinate, into found: inout FoundPlaces) {
        let circle = SpaceCircle(centre: centre, radius: radius.value)
        for tree in trees {
            descend(tree, into: &found, enters: { $0.squaredDistance(to: circle.rough) <= circle.squaredRoughReach }) {
                circle.holds($0)
            }
        }
        for entry in tail where has(entry.slot) && circle.holds(entry) { found.add(entry) }
    }

    /// Adds the places in a box; a place on a side is inside.
    public func places(in box: BoundingBox, into found: inout FoundPlaces) {
        let space = SpaceBox(box)
        let holds = { (entry: PlaceEntry) -> Bool in
            entry.reach == 0 ? box.contains(entry.coordinate) || box.holdsPole(entry.coordinate) : space.meets(entry)
        }
        for tree in trees { descend(tree, into: &found, enters: { $0.overlaps(space) }, holds: holds) }
        for entry in tail where has(entry.slot) && holds(entry) { found.add(entry) }
    }

    /// Adds all places.
    public func allPlaces(into found: inout FoundPlaces) {
        for tree in trees { for entry in tree.entries where has(entry.slot) { found.add(entry) } }
        for entry in tail where has(entry.slot) { found.add(entry) }
    }

    @inline(__always)
    private func descend(
        _ tree: PlaceTree, into found: inout FoundPlaces, enters: (PlaceTree.Node) -> Bool,
        holds: (PlaceEntry) -> Bool
    ) {
        // No deeper than 32 levels, of which each leaves one node to come back to.
        withUnsafeTemporaryAllocation(of: Int32.self, capacity: 64) { stack in
            tree.nodes.withUnsafeBufferPointer { nodes in
                guard !nodes.isEmpty else { return }
                var depth = 1
                stack[0] = 0
                while depth > 0 {
                    depth -= 1
                    let index = Int(stack[depth])
                    let node = nodes[index]
                    guard enters(node) else { continue }
                    if node.count == 0 {
                        stack[depth] = node.start
                        stack[depth + 1] = Int32(index + 1)
                        depth += 2
                    } else {
                        for entry in tree.entries[Int(node.start)..<Int(node.start + node.count)]
                        where holds(entry) && has(entry.slot) {
                            found.add(entry)
                        }
                    }
                }
            }
        }
    }
}

extension BoundingBox {
    /// At a pole all longitudes are one place.
    fileprivate func holdsPole(_ place: Coordinate) -> Bool {
        place.latitude == 90 && north == 90 || place.latitude == -90 && south == -90
    }
}

extension SpaceBox {
    /// Whether the sphere round a place comes near enough.
    fileprivate func meets(_ entry: PlaceEntry) -> Bool {
        let outside = pointwiseMax(pointwiseMax(low - entry.middle, entry.middle - high), .zero)
        return (outside * outside).sum() <= entry.reach * entry.reach
    }
}

/// A circle on the ground, and bounds on its radius through space.
private struct SpaceCircle {
    let centre: Coordinate
    let radius: Double
    let middle: SIMD3<Double>
    let rough: SIMD4<Float>
    /// The search does not enter boxes farther away than this through space, squared.
    let squaredRoughReach: Float
    /// Up to this distance through space, squared, every point is inside.
    private let squaredInner: Double
    /// Beyond this, squared, every point is outside.
    private let squaredOuter: Double
    private let outer: Double

    init(centre: Coordinate, radius: Double) {
        self.centre = centre
        self.radius = radius
        let point = SpacePoint(centre).vector
        middle = point
        rough = SIMD4(Float(point.x), Float(point.y), Float(point.z), 0)
        outer = SpacePoint.greatestChord(onGround: radius)
        let inner = SpacePoint.leastChord(onGround: radius)
        squaredInner = inner * inner
        squaredOuter = outer * outer
        let reach = Float(min(outer, 2e7)) * (1 + 1e-5)
        squaredRoughReach = reach * reach
    }

    @inline(__always)
    func holds(_ entry: PlaceEntry) -> Bool {
        let way = entry.middle - middle
        let squared = (way * way).sum()
        guard entry.reach == 0 else {
            let reach = outer + entry.reach
            return squared <= reach * reach
        }
        if squared <= squaredInner { return true }
        if squared > squaredOuter { return false }
        return centre.distance(to: entry.coordinate).value <= radius
    }
}

extension SpacePoint {
    /// The largest rounding error of a distance through space, metres.
    private static var doubt: Double { 1e-6 }

    /// The chord up to which two points are no farther apart on the ground than `metres`; see `mostOnGround`.
    static func leastChord(onGround metres: Double) -> Double {
        let radius = WGS84.leastCurvatureRadius
        let angle = max(0, metres - doubt) / (2 * radius)
        let limit = 1.8 * radius
        return angle < Double.pi / 2 ? min(limit, 2 * radius * sine(angle)) * (1 - 1e-15) : limit
    }

    /// The chord beyond which two points are farther apart on the ground than `metres`; see `leastOnGround`.
    static func greatestChord(onGround metres: Double) -> Double {
        let radius = 6_500_000.0
        let angle = (metres + doubt) / (2 * radius)
        return angle < Double.pi / 2 ? 2 * radius * sine(angle) * (1 + 1e-15) : .infinity
    }
}
