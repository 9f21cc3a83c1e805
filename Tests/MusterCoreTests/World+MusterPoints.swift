import MusterCore
import MusterGeometry
import Testing

/// Muster points and fixes by metres east and north of 48° N 11° E.
extension World {
    /// Ana's team, with one muster point in the middle.
    static func withMusterPoints(
        _ policy: CrossingPolicy = .confident, radius: Double = 60, exitDelay: Double = 0
    ) -> World {
        withMusterPoints([LeavingTrails.Point(east: 0, north: 0, radius: radius)], policy, exitDelay: exitDelay)
    }

    /// Ana's team, with some muster points.
    static func withMusterPoints(
        _ points: [LeavingTrails.Point], _ policy: CrossingPolicy = .confident, exitDelay: Double = 0
    ) -> World {
        var world = World(silenceSeconds: 3_600, policy: policy)
        for (index, point) in points.enumerated() {
            world.putMusterPoint(point, number: Int32(index + 1), exitDelay: exitDelay)
        }
        return world
    }

    /// Ana has stood in the middle of the one point for a minute, with a fix every 5 s.
    static func safeAtMusterPoint(_ policy: CrossingPolicy = .confident, exitDelay: Double = 0) -> World {
        var world = withMusterPoints(policy, exitDelay: exitDelay)
        for step in 0...12 { world.reportOffset(east: Double(step % 3), at: Double(step) * 5) }
        #expect(world.ana.state == .safe)
        return world
    }

    /// Puts a muster point of 24 corners.
    mutating func putMusterPoint(_ point: LeavingTrails.Point, number: Int32, exitDelay: Double = 0) {
        edit(
            .putRegion(
                Region(
                    number: RegionNumber(number), collection: World.collection, id: "p\(number)", name: "",
                    shape: .polygon(Polygon(exterior: point.ring)), isMuster: true, exitDelaySeconds: exitDelay)))
    }

    /// Reports a fix, and returns Ana's safety after it.
    @discardableResult
    mutating func reportOffset(
        east: Double, north: Double = 0, at seconds: Double, receivedAt: Double? = nil, accuracy: Double? = 6,
        speed: Double? = nil
    ) -> Safety {
        let place = LeavingTrails.coordinate(east: east, north: north)
        report(
            place.latitude, place.longitude, at: seconds, receivedAt: receivedAt,
            accuracy: accuracy.map { Metres($0) }, speed: speed)
        return ana
    }
}
