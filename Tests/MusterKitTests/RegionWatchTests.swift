import Foundation
import MusterCore
import MusterGeometry
import MusterReplication
import MusterWire
import Synchronization
import Testing

@testable import MusterKit

/// What a device decides by itself, beside what the server decides of the same fixes.
@Suite struct RegionWatchTests {
    /// A crossing as both sides tell it.
    private struct Told: Hashable, CustomStringConvertible {
        var region: String
        var kind: String
        var time: String
        var percent: Double?

        var description: String { "\(time) \(kind) \(region) \(percent.map { "\($0)" } ?? "")" }
    }

    @Test(arguments: [3, 5] as [UInt64])
    func `a device decides what the server decides of the same fixes`(_ seed: UInt64) async throws {
        print("seed \(seed)")
        // One clock that stands still: a dwell that comes due meanwhile would come due at one side first.
        let end = ReplicationPacing.systemNow()
        try await RunningServer.run(standingAt: end) { server in
            var walk = NoisyWalk(seed: seed)
            try await server.ask("POST", "teams", #"{"name":"crew"}"#)
            for policy in ["raw", "confident"] {
                try await server.ask("POST", "collections", #"{"name":"\#(policy)","policy":"\#(policy)"}"#)
                try await server.ask("POST", "collections/\(policy)/regions", walk.regions(12, policy))
            }
            let session = try await server.member("ann", of: "crew")
            let store = try LocalStore(path: nil)
            let watch = RegionWatch(session: session, store: store) { end }
            try await watch.refresh()
            let fixes = try walk.fixes(300, until: end)
            let events = try await track(fixes, into: store, session, watch)
            let own = events.compactMap { event -> Told? in
                guard case .crossed(let crossing) = event else { return nil }
                return Told(
                    region: crossing.region.id, kind: crossing.kind.wireName.description,
                    time: crossing.sampleTime.rfc3339, percent: crossing.insidePercent.map { Double($0) / 100 })
            }
            #expect(own.count > 20, "a walk that crosses nothing proves nothing")
            let servers = try await crossings(of: server)
            #expect(own == servers)
            #expect(events.allSatisfy { if case .reconciled = $0 { false } else { true } })
            let verdict = try await ServerVerdict.request(from: NativeQuestions(session))
            #expect(Set(watch.presences) == Set(verdict.presences))
        }
    }

    @Test func `a device that was started again goes on where it was, without a network`() async throws {
        let path = temporaryPath()
        defer { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) } }
        var walk = NoisyWalk(seed: 11)
        let snapshot = snapshot(&walk)
        let session = try offlineSession()
        // One clock that stands still: what the passing of time alone decides is the same for both.
        let end = ReplicationPacing.systemNow()
        let fixes = try walk.fixes(240, until: end)
        let whole = try await watch(over: snapshot, session, at: end)
        var expected: [RegionWatch.News] = []
        var safeties: [RegionWatch.DeviceSafety] = []

        var told: [RegionWatch.News] = []
        for start in stride(from: 0, to: fixes.count, by: 30) {
            let store = try LocalStore(path: path)
            let watch = RegionWatch(session: session, store: store) { end }
            if start == 0 { try await store.storeValue(snapshot, note: RegionSnapshot.note) }
            try await watch.restore()
            if let before = safeties.last { #expect(watch.safety == before) }
            let part = Array(fixes[start..<start + 30])
            expected += whole.follow(part, of: "s")
            safeties.append(whole.safety)
            told += watch.follow(part, of: "s")
            let locations = part.map {
                RecordedLocation(.init(fix: $0, isInBackground: false), user: "ann", session: "s")
            }
            try await store.record(locations, beside: watch)
            try store.close()
        }
        #expect(expected.count > 20)
        #expect(told == expected)
    }

    private func watch(
        over snapshot: RegionSnapshot, _ session: MusterKit.Session, at now: Instant
    ) async throws -> RegionWatch {
        let store = try LocalStore(path: nil)
        try await store.storeValue(snapshot, note: RegionSnapshot.note)
        let watch = RegionWatch(session: session, store: store) { now }
        try await watch.restore()
        return watch
    }

    @Test func `the server's verdict is taken over, and deciding goes on from it`() async throws {
        let yard = #"""
            {"type":"FeatureCollection","features":[{"type":"Feature","id":"yard","properties":{"radius":50},\#
            "geometry":{"type":"Point","coordinates":[13,52]}}]}
            """#
        var device = WatchedDevice(of: "ann")
        let told = RegionSnapshot(
            team: .init(silenceSeconds: 1_200, filter: "none", links: ["site"]),
            collections: [.init(name: "site", policy: "raw", pages: [yard])])
        let name = RegionWatch.Name(collection: "site", id: "yard")
        let first = try fix(0, north: 500)
        try device.adopt(told, now: first.sampleTime)
        #expect(device.follow([first], now: first.sampleTime).isEmpty)

        var verdict = ServerVerdict(latest: first.sampleTime)
        #expect(verdict.difference(to: device) == nil)
        verdict.presences = [
            .init(region: name, standing: .inside, since: first.sampleTime, sampleTime: first.sampleTime)
        ]
        let difference = try #require(verdict.difference(to: device))
        #expect(difference == .init(inside: [name], outside: []))
        device.replacePresences(verdict.presences(replacing: device, where: difference), now: first.sampleTime)
        #expect(verdict.difference(to: device) == nil)

        // It was inside, as the server says: so it leaves, once.
        let second = try fix(30, north: 510)
        #expect(device.follow([second], now: second.sampleTime).map(\.kind) == [.exit])
        // Of a moment before the last fix, the server says nothing about now.
        #expect(verdict.difference(to: device) == nil)
        // What the server tells nothing of, it is not in.
        let third = try fix(60, north: 0)
        #expect(device.follow([third], now: third.sampleTime).map(\.kind) == [.enter])
        verdict = ServerVerdict(latest: third.sampleTime)
        #expect(verdict.difference(to: device) == .init(inside: [], outside: [name]))
    }

    @Test func `during an incident a member knows without a network where it is safe`() async throws {
        try await RunningServer.run { server in
            try await server.makeMeadow()
            let session = try await server.member("ann", of: "crew")
            let store = try LocalStore(path: nil)
            let watch = RegionWatch(session: session, store: store)
            try await watch.refresh()
            let end = ReplicationPacing.systemNow()
            let far = try place(500, north: 300, before: end)
            _ = try await track([far], into: store, session, watch)
            #expect(watch.safety.state == .unsafe)
            #expect(watch.incident == nil)
            try await server.ask("POST", "teams/crew/incidents", #"{"kind":"drill","note":"Smoke"}"#)
            let news = await watch.reconcile()
            #expect(news.first == .incident(.init(number: 1, isDrill: true, note: "Smoke")))
            #expect(news.last == .safety(watch.safety))

            // Who knew of no region says nothing before they are asked for.
            let unaware = RegionWatch(session: session, store: try LocalStore(path: nil))
            #expect(unaware.follow([far], of: "s").isEmpty)
            #expect(unaware.safety.state == .unknown)
            // The incident waits for no region; how one is follows.
            let unknown = unaware.safety
            #expect(await unaware.reconcile() == [news[0], .safety(unknown)])
            try await until { unaware.safety.state == .unsafe }
            #expect(unaware.follow([], of: "s") == [.safety(unaware.safety)])
            let region = try #require(watch.musterRegions(near: far.coordinate).first)
            #expect(region.title == "The meadow")
            #expect(abs(region.distance.value - 250) < 1)

            // Another start, and no server.
            let again = RegionWatch(session: try offlineSession(), store: store)
            try await again.restore()
            #expect(again.incident?.number == 1)
            let safe = try [20.0, 10, 0].map { try place($0, north: 0, before: end) }
            let arrival = again.follow(safe, of: "s")
            #expect(arrival.contains(.safety(again.safety)))
            #expect(again.safety.state == .safe)
            #expect(again.safety.region == .init(collection: "site", id: "meadow"))

            // One incident after the other, and how they are is told of each.
            try await server.ask("POST", "incidents/1/close", #"{"reason":"false alarm"}"#)
            try await server.ask("POST", "teams/crew/incidents", #"{"kind":"real"}"#)
            let next = RegionWatch.Incident(number: 2, isDrill: false)
            #expect(await watch.reconcile() == [.incident(next), .safety(watch.safety)])
        }
    }

    // MARK: Pieces

    private func track(
        _ fixes: [Position], into store: LocalStore, _ session: Session, _ watch: RegionWatch
    ) async throws -> [LocationTracker.Event] {
        let monitor = LocationMonitor(foreground: .everything)
        let tracker = LocationTracker(
            store: store, monitor: monitor, server: session.peer, user: session.user, session: "s", watch: watch,
            pace: .restless)
        let events = tracker.events()
        async let run: Void = tracker.run()
        var told: [LocationTracker.Event] = []
        for await event in events {
            told.append(event)
            guard case .started = event else { continue }
            let (stream, continuation) = AsyncStream.makeStream(of: Position.self)
            for fix in fixes { continuation.yield(fix) }
            continuation.finish()
            Task { await monitor.run(StreamedLocations(stream)) }
        }
        try await run
        return told
    }

    private func crossings(of server: RunningServer) async throws -> [Told] {
        var told: [Told] = []
        var since: Int64 = 0
        while true {
            let page = try await server.ask("GET", "changes?since=\(since)&limit=1000")
            for item in page["items"]?.elements ?? [] where item["type"]?.string == "crossing" {
                told.append(
                    Told(
                        region: item["region"]?["id"]?.string ?? "", kind: item["kind"]?.string ?? "",
                        time: item["sampleTime"]?.string ?? "", percent: item["probability"]?.number))
            }
            since = page["lastSequence"]?.integer ?? 0
            if page["more"]?.boolean != true { return told }
        }
    }

    private func snapshot(_ walk: inout NoisyWalk) -> RegionSnapshot {
        let collections = ["raw", "confident"].map { policy in
            RegionSnapshot.Collection(name: policy, policy: policy, pages: [walk.regions(12, policy)])
        }
        return RegionSnapshot(
            team: .init(silenceSeconds: 1_200, filter: "none", links: ["raw", "confident"]), collections: collections)
    }

    private func place(_ secondsAgo: Double, north metres: Double, before end: Instant) throws -> Position {
        var position = try fix(0, north: metres, accuracy: 5)
        position.sampleTime = end.advanced(bySeconds: -secondsAgo)
        position.receivedTime = position.sampleTime
        return position
    }
}
