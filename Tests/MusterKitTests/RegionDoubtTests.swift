import MusterCore
import MusterReplication
import Testing

@testable import MusterKit

/// When a device must not rely on what it knew, and what it takes from a server that errs.
@Suite struct RegionDoubtTests {
    private static let yard = RegionWatch.Name(collection: "site", id: "yard")

    private func snapshot(silenceSeconds: Double = 1_200, filter: String = "none") -> RegionSnapshot {
        let page = #"""
            {"type":"FeatureCollection","features":[{"type":"Feature","id":"yard","properties":{"radius":50,\#
            "muster":true},"geometry":{"type":"Point","coordinates":[13,52]}}]}
            """#
        return RegionSnapshot(
            team: .init(silenceSeconds: silenceSeconds, filter: filter, links: ["site"]),
            collections: [.init(name: "site", policy: "raw", pages: [page])])
    }

    @Test func `a person who was safe yesterday is not shown as safe today`() async throws {
        let store = try LocalStore(path: nil)
        try await store.storeValue(snapshot(), note: RegionSnapshot.note)
        let arrived = [try fix(-30, north: 0, accuracy: 5), try fix(-25, north: 0, accuracy: 5)]
        let inside = try fix(0, north: 0, accuracy: 5)
        func watch(after seconds: Double) async throws -> RegionWatch {
            let now = inside.sampleTime.advanced(bySeconds: seconds)
            let watch = RegionWatch(session: try offlineSession(), store: store) { now }
            try await watch.restore()
            return watch
        }
        let first = try await watch(after: 0)
        _ = first.follow(arrived + [inside], of: "s")
        try await record(inside, into: store, beside: first)
        #expect(try await watch(after: 600).safety.state == .safe)
        #expect(try await watch(after: 86_400).safety.state == .unknown)
    }

    @Test func `an app that starts again during an incident knows the person's safety`() async throws {
        let store = try LocalStore(path: nil)
        try await store.storeValue(snapshot(), note: RegionSnapshot.note)
        let arrived = [try fix(-30, north: 0, accuracy: 5), try fix(-25, north: 0, accuracy: 5)]
        let inside = try fix(0, north: 0, accuracy: 5)
        var device = WatchedDevice(of: "ann")
        try device.adopt(snapshot(), now: inside.sampleTime)
        _ = device.follow(arrived + [inside], now: inside.sampleTime)
        try await store.storeValue(
            StoredPresence(device, incident: .init(number: 1, isDrill: true), session: "s"), note: StoredPresence.note)
        let watch = RegionWatch(session: try offlineSession(), store: store) { inside.sampleTime }
        try await watch.restore()
        let news = watch.follow([], of: "s")
        #expect(news == [.safety(watch.safety)])
        #expect(watch.safety.state == .safe)
        #expect(watch.follow([], of: "s").isEmpty)
    }

    @Test func `a device without regions does not know whether its person is safe`() async throws {
        let store = try LocalStore(path: nil)
        let far = try fix(0, north: 500)
        var device = WatchedDevice(of: "ann")
        _ = device.follow([far], now: far.sampleTime)
        try await store.storeValue(
            StoredPresence(device, incident: .init(number: 1, isDrill: false), session: "s"), note: StoredPresence.note)
        let watch = RegionWatch(session: try offlineSession(), store: store) { far.sampleTime }
        try await watch.restore()
        let news = watch.follow([try fix(1, north: 500)], of: "s")
        #expect(watch.incident?.number == 1)
        #expect(watch.safety.state == .unknown)
        #expect(news == [.safety(watch.safety)])
    }

    @Test func `a fix that the filter leaves out outranks an older verdict of the server`() throws {
        var device = WatchedDevice(of: "ann")
        let first = try fix(0, north: 0)
        let second = try fix(10, north: 500)
        try device.adopt(snapshot(filter: "timeBased"), now: first.sampleTime)
        #expect(device.follow([first, second], now: second.sampleTime).map(\.kind) == [.enter, .exit])
        #expect(device.latest?.sampleTime == first.sampleTime)
        var verdict = ServerVerdict(latest: first.sampleTime)
        verdict.presences = [
            .init(region: Self.yard, standing: .inside, since: first.sampleTime, sampleTime: first.sampleTime)
        ]
        #expect(verdict.difference(to: device) == nil)
        // It too has evaluated the second, and says so.
        verdict.presences[0].sampleTime = second.sampleTime
        #expect(verdict.difference(to: device) == .init(inside: [Self.yard], outside: []))
    }

    @Test(arguments: [1e300, -1e300, .infinity])
    func `an impossible limit of silence is clamped to the allowed range`(_ seconds: Double) throws {
        var device = WatchedDevice(of: "ann")
        let arrived = [try fix(-30, north: 0, accuracy: 5), try fix(-25, north: 0, accuracy: 5)]
        let inside = try fix(0, north: 0, accuracy: 5)
        try device.adopt(snapshot(silenceSeconds: seconds), now: inside.sampleTime)
        _ = device.follow(arrived + [inside], now: inside.sampleTime)
        #expect(device.safety.state == .safe)
        _ = device.follow([], now: inside.sampleTime.advanced(bySeconds: 604_801))
        #expect(device.safety.state == .unknown)
    }

    @Test func `after a failure regions are not requested with every emission`() {
        let start = Instant(milliseconds: 1_700_000_000_000)
        func isDue(_ pacing: RefreshPacing, after seconds: Double) -> Bool {
            pacing.isDue(at: start.advanced(bySeconds: seconds))
        }
        var pacing = RefreshPacing()
        #expect(isDue(pacing, after: 0))
        pacing.begin(at: start)
        pacing.fail(ReplicationError.unreachable("cut"))
        #expect(!isDue(pacing, after: 59))
        #expect(isDue(pacing, after: 60))
        #expect(isDue(pacing, after: -1), "a clock that was set back")
        pacing.fail(ReplicationError.tooLarge(limitBytes: 1))
        #expect(!isDue(pacing, after: 899))
        #expect(isDue(pacing, after: 900))
        pacing.begin(at: start)
        pacing.succeed(at: start)
        #expect(!isDue(pacing, after: 899))
        pacing.isOutdated = true
        #expect(!isDue(pacing, after: 59))
        #expect(isDue(pacing, after: 60))
    }

    @Test func `pages of regions have an end`() throws {
        var room = NativeQuestions.Room()
        #expect(try room.subtractPage(Array(#"{"features":[{}],"nextCursor":"a"}"#.utf8)) == "a")
        #expect(try room.subtractPage(Array(#"{"features":[]}"#.utf8)) == nil)
        #expect(room.regions == RegionWatch.regionLimit - 1)
        #expect(throws: ReplicationError.malformed("a page without regions leads on")) {
            try room.subtractPage(Array(#"{"features":[],"nextCursor":"a"}"#.utf8))
        }
        let padding = String(repeating: " ", count: NativeQuestions.answerLimitBytes)
        #expect(throws: ReplicationError.tooLarge(limitBytes: NativeQuestions.Room.limitBytes)) {
            for _ in 0..<5 { _ = try room.subtractPage(Array((#"{"features":[{}]}"# + padding).utf8)) }
        }
    }

    @Test func `a standing is not stored before the fixes that it follows from`() async throws {
        let store = try LocalStore(path: nil)
        try await store.storeValue(snapshot(), note: RegionSnapshot.note)
        let inside = try fix(0, north: 0)
        let watch = RegionWatch(session: try offlineSession(), store: store) { inside.sampleTime }
        try await watch.restore()
        _ = watch.follow([inside], of: "s")
        try await watch.storePresences()
        #expect(try await store.storedValue(of: StoredPresence.note, as: StoredPresence.self) == nil)
        try await record(inside, into: store, beside: watch)
        try await watch.storePresences()
        let kept = try await store.storedValue(of: StoredPresence.note, as: StoredPresence.self)
        #expect(kept?.presences.map(\.region) == [Self.yard])
    }

    private func record(_ fix: Position, into store: LocalStore, beside watch: RegionWatch) async throws {
        try await store.record(
            [RecordedLocation(.init(fix: fix, isInBackground: false), user: "ann", session: "s")], beside: watch)
    }
}
