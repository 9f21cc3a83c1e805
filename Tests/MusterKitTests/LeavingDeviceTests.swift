import MusterCore
import MusterGeometry
import Testing

@testable import MusterKit

/// Who leaves a muster region is not safe on the phone either: a device decides what the server's engine decides.
@Suite struct LeavingDeviceTests {
    private static func time(_ seconds: Double) -> Instant { Instant(seconds: 1_764_000_000 + seconds) }

    /// The muster points, as a server sends them.
    private static func snapshot(_ points: [LeavingTrails.Point], _ policy: CrossingPolicy) -> RegionSnapshot {
        let features = points.enumerated().map { index, point in
            let ring = point.ring.map { "[\($0.longitude),\($0.latitude)]" }.joined(separator: ",")
            return #"{"type":"Feature","id":"p\#(index + 1)","properties":{"muster":true},"#
                + #""geometry":{"type":"Polygon","coordinates":[[\#(ring)]]}}"#
        }
        let page = #"{"type":"FeatureCollection","features":[\#(features.joined(separator: ","))]}"#
        return RegionSnapshot(
            team: .init(silenceSeconds: 60, filter: "none", links: ["site"]),
            collections: [.init(name: "site", policy: policy.rawValue, pages: [page])])
    }

    /// The engine as a server runs it, with Ann and her phone.
    private struct ServerSide {
        private var engine: Engine
        private var decision = Decision()

        private static let ann = UserNumber(1)
        private static let phone = DeviceNumber(1)

        init(_ points: [LeavingTrails.Point], _ policy: CrossingPolicy) {
            var directory = Directory()
            let (site, tracker, team) = (CollectionNumber(1), TrackerNumber(1), TeamNumber(1))
            directory.apply(.putCollection(RegionCollection(number: site, name: "site", policy: policy)))
            directory.apply(.putTracker(Tracker(number: tracker, name: "t", filter: .none, collections: [site])))
            directory.apply(.putTeam(Team(number: team, name: "crew", tracker: tracker, silenceSeconds: 60)))
            for (index, point) in points.enumerated() {
                directory.apply(
                    .putRegion(
                        Region(
                            number: RegionNumber(Int32(index + 1)), collection: site, id: "p\(index + 1)", name: "",
                            shape: .polygon(Polygon(exterior: point.ring)), isMuster: true)))
            }
            directory.apply(.putUser(User(number: Self.ann, name: "ann", role: .member, team: team)))
            directory.apply(.putDevice(Device(number: Self.phone, name: "phone", user: Self.ann)))
            engine = Engine(directory: directory, positions: [], presences: [], safety: [])
        }

        var safety: Safety { engine.safety(of: Self.ann) }

        mutating func report(_ position: Position) {
            _ = engine.decide(
                .position(position, of: Self.phone), now: position.receivedTime, into: &decision)
            settle()
            sweep(at: position.receivedTime)
        }

        mutating func sweep(at now: Instant) {
            engine.sweep(now: now, into: &decision)
            settle()
        }

        private mutating func settle() {
            decision.takeChanges { _ in }
            decision.takeEntries { _ in }
            engine.adopt(&decision)
        }
    }

    @Test(
        .enabled(if: LeavingTrails.shared != nil, "needs the shared test data: set MUSTER_TEST_DATA"),
        arguments: CrossingPolicy.allCases)
    func `a device says of every fix of the recorded trails what the server says`(policy: CrossingPolicy) throws {
        let trails = try #require(LeavingTrails.shared)
        #expect(trails.cases.count == 43)
        var sources: Set<Safety.Source> = []
        for (index, trail) in trails.cases.enumerated() {
            var device = WatchedDevice(of: "ann")
            try device.adopt(Self.snapshot(trails.musterPoints, policy), now: Self.time(0))
            var server = ServerSide(trails.musterPoints, policy)
            for fix in trail.fixes {
                let time = Self.time(fix.t)
                let position = Position(
                    coordinate: fix.coordinate, sampleTime: time, receivedTime: time, accuracy: Metres(fix.accuracy))
                _ = device.follow([position], now: time)
                server.report(position)
                #expect(device.safety == server.safety, "case \(index), \(trail.kind), \(fix.t) s")
                sources.insert(server.safety.source)
            }
            let end = Self.time((trail.fixes.last?.t ?? 0) + 61)
            _ = device.follow([], now: end)
            server.sweep(at: end)
            #expect(device.safety == server.safety, "case \(index), in silence")
            sources.insert(server.safety.source)
        }
        #expect(sources.isSuperset(of: [.region, .position, .seemsToHaveLeft, .unlocated, .silence]))
    }
}
