import Foundation
import MusterGeometry
import Testing

@testable import MusterCore

/// Who leaves a muster region is not safe, and one fix makes nobody safe.
@Suite struct LeavingTests {
    /// A person by a circle of 60 m around 48° N 11° E, and by another of 40 m east of it.
    private func makeWorld() -> World {
        var world = World(silenceSeconds: 60, policy: .confident)
        for (number, east, north, radius) in [(1, 0.0, 0.0, 60.0), (2, 900, 100, 40)] {
            let corners = (0...24).map { corner -> Coordinate in
                let angle = Double(corner % 24) / 24 * 2 * Double.pi
                return Self.place(east + radius * sin(angle), north + radius * cos(angle))
            }
            world.edit(
                .putRegion(
                    Region(
                        number: RegionNumber(Int32(number)), collection: World.collection, id: "p\(number)", name: "",
                        shape: .polygon(Polygon(exterior: corners)), isMuster: true)))
        }
        return world
    }

    private static func place(_ east: Double, _ north: Double) -> Coordinate {
        Coordinate(validLatitude: 48 + north / 111_195, longitude: 11 + east / (111_195 * cos(48 * Double.pi / 180)))
    }

    private func report(
        _ world: inout World, _ east: Double, _ north: Double, at seconds: Double, accuracy: Double = 6,
        speed: Double? = nil
    ) -> Safety {
        let place = Self.place(east, north)
        world.report(place.latitude, place.longitude, at: seconds, accuracy: Metres(accuracy), speed: speed)
        return world.engine.safety(of: World.ana)
    }

    /// A person who has stood in the middle for a minute.
    private func makeSafe() -> World {
        var world = makeWorld()
        for step in 0...12 { _ = report(&world, Double(step % 3), 0, at: Double(step) * 5) }
        #expect(world.engine.safety(of: World.ana).state == .safe)
        return world
    }

    @Test func `two fixes in a row outside end safe, and one does not`() {
        var world = makeSafe()
        #expect(report(&world, 100, 0, at: 65).state == .safe)
        let left = report(&world, 130, 0, at: 70)
        #expect(left.state == .unknown && left.source == .seemsToHaveLeft && left.region == RegionNumber(1))
        for step in 1...12 {
            let state = report(&world, 130 + 30 * Double(step), 0, at: 70 + 5 * Double(step)).state
            #expect(state != .safe)
        }
        #expect(world.engine.safety(of: World.ana).state == .unsafe)
    }

    @Test func `one fix with the speed of someone who left ends safe at once`() {
        var world = makeSafe()
        let left = report(&world, 90, 0, at: 67, speed: 14)
        #expect(left.state != .safe)
        world = makeSafe()
        // The speed does not explain the way there: the fix is a claim, and the next one decides.
        #expect(report(&world, 2_000, 0, at: 65, speed: 1.5).state == .safe)
    }

    @Test func `two fixes inside make safe again who seemed to have left`() {
        var world = makeSafe()
        _ = report(&world, 100, 0, at: 65)
        #expect(report(&world, 95, 0, at: 70).source == .seemsToHaveLeft)
        #expect(report(&world, 3, 0, at: 75).source == .seemsToHaveLeft)
        #expect(report(&world, 0, 2, at: 80).state == .safe)
    }

    @Test func `a fix too poor to tell decides nothing`() {
        var world = makeSafe()
        _ = report(&world, 100, 0, at: 65)
        #expect(report(&world, 300, 0, at: 70, accuracy: 400).source != .seemsToHaveLeft)
        #expect(report(&world, 130, 0, at: 75).source == .seemsToHaveLeft)
    }

    @Test func `a restart between any two fixes changes nothing`() throws {
        var world = makeSafe()
        for (step, east) in [100.0, 130, 4, 2, 140, 150, 300].enumerated() {
            _ = report(&world, east, 0, at: 65 + 5 * Double(step))
            let state = world.engine.devices[Int(World.phone.rawValue)]
            let words = state.track.words
            #expect(ConfidentTrack(words: words) == state.track)
        }
    }

    // MARK: Trails of people who left, and of phones that lied

    private struct Trails: Decodable {
        struct Fix: Decodable {
            var t, east, north, accuracy, trueEast, trueNorth: Double
        }
        struct Case: Decodable {
            var what: String
            var kind: String
            var fixes: [Fix]
        }
        var cases: [Case]
    }

    private static let trails: Trails? = {
        let folder =
            ProcessInfo.processInfo.environment["MUSTER_TEST_DATA"].map { URL(filePath: $0) }
            ?? URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../shared/data")
        guard let data = try? Data(contentsOf: folder.appending(path: "leaving/trails.json")) else { return nil }
        return try? JSONDecoder().decode(Trails.self, from: data)
    }()

    @Test(.enabled(if: trails != nil, "needs leaving/trails.json in the folder that MUSTER_TEST_DATA names"))
    func `nobody in the recorded trails counts as safe for long while truly outside`() throws {
        let trails = try #require(Self.trails)
        for (index, trail) in trails.cases.enumerated() {
            var world = makeWorld()
            var outsideSince: Double?
            var longest = 0.0
            var last = 0.0
            for fix in trail.fixes {
                let safety = report(&world, fix.east, fix.north, at: fix.t, accuracy: fix.accuracy)
                let distances = [(0.0, 0.0, 60.0), (900, 100, 40)].map { point in
                    ((fix.trueEast - point.0) * (fix.trueEast - point.0)
                        + (fix.trueNorth - point.1) * (fix.trueNorth - point.1)).squareRoot() - point.2
                }
                let outside = distances.min() ?? 0
                outsideSince = outside > 30 ? outsideSince ?? fix.t : nil
                if safety.state == .safe, let since = outsideSince { longest = max(longest, fix.t - since) }
                if ProcessInfo.processInfo.environment["MUSTER_SHOWS_TRAILS"] != nil {
                    print(
                        index, trail.what, trail.kind, fix.t, Int(outside), safety.state, safety.source,
                        safety.doubt.map { "\($0)" } ?? "-", Int(fix.accuracy))
                }
                last = fix.t
            }
            #expect(longest <= 20, "case \(index), \(trail.what), \(trail.kind): safe for \(longest) s outside")
            if trail.what.hasPrefix("became") {
                #expect(world.engine.safety(of: World.ana).state != .safe, "case \(index) at \(last)")
            }
        }
    }
}
