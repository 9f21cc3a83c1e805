import Foundation
import MusterCore
import MusterReplication
import MusterWire
import Synchronization
import Testing

@testable import MusterKit

/// The decisions that a device makes about beacons by itself, and which of them survive a restart.
@Suite struct BeaconMonitorTests {
    private static let end = Instant(seconds: 1_790_000_000)
    private static let hall = BeaconIdentity(uuid: BeaconRun.beaconUUID, major: 1, minor: 2)

    /// A pace whose clock never strikes.
    static var still: LocationTracker.Pace {
        var pace = LocationTracker.Pace()
        pace.sleep = { _ in try await Task.sleep(for: .seconds(3_600)) }
        return pace
    }

    private func monitor(
        _ store: LocalStore, at now: Instant = Self.end, pace: LocationTracker.Pace = Self.still
    ) async throws -> BeaconMonitor {
        try await BeaconMonitor(
            regions: [.init("hall", title: "The hall", identity: Self.hall)], store: store, pace: pace, now: { now })
    }

    /// Hears the beacon of the hall for some seconds, or nothing.
    private func heard(_ seconds: ClosedRange<Int>, hall isHeard: Bool = true) -> [BeaconNews] {
        seconds.map { second in
            let time = Self.end.advanced(bySeconds: Double(second))
            let beacon = Beacon(uuid: Self.hall.uuid, major: 1, minor: 2)
            let sighting = Sighting(of: beacon, sampleTime: time, receivedTime: time, signalStrength: -60)
            return .heard(isHeard ? [sighting] : [], until: time)
        }
    }

    private func events(_ monitor: BeaconMonitor, _ news: [BeaconNews]) async -> [BeaconMonitor.Event] {
        var events: [BeaconMonitor.Event] = []
        for await event in monitor.events(from: ScriptedBeacons(news)) { events.append(event) }
        return events
    }

    private func kinds(_ events: [BeaconMonitor.Event]) -> [String] {
        events.map { event in
            switch event {
            case .entered(let state): "entered \(state.region.id)"
            case .left(let state): "left \(state.region.id)"
            case .unknown(let state): "unknown \(state.region.id)"
            case .state(let state): "\(state.standing) \(state.region.id)"
            case .forgotten: "forgotten"
            default: "\(event)"
            }
        }
    }

    // MARK: Deciding

    @Test func `regions by hand are entered and left without a server, with zone and distance`() async throws {
        let now = Mutex(Self.end.advanced(bySeconds: -60))
        let monitor = try await BeaconMonitor(
            regions: [.init("hall", title: "The hall", identity: Self.hall)], store: LocalStore(path: nil),
            pace: Self.still, now: { now.withLock(\.self) })
        #expect(monitor.states.map(\.standing) == [.unknown])
        #expect(kinds(await events(monitor, heard(-90 ... -60))) == ["entered hall"])
        let state = try #require(monitor.state(of: .init(collection: "app", id: "hall")))
        #expect(state.standing == .inside && state.title == "The hall" && state.proximity == .near)
        #expect(try abs(#require(state.distanceMetres) - 1.1) < 0.2)
        now.withLock { $0 = Self.end }
        let late = try #require(monitor.state(of: .init(collection: "app", id: "hall")))
        #expect(late.proximity == .unknown && late.distanceMetres == nil, "a distance of a minute ago")
        #expect(kinds(await events(monitor, heard(-59 ... -1, hall: false))) == ["left hall"])
        #expect(monitor.states.map(\.standing) == [.outside])
        #expect(monitor.state(of: .init(collection: "app", id: "yard")) == nil)
    }

    @Test func `requestState delivers the current state, and ranging the sightings`() async throws {
        let monitor = try await monitor(try LocalStore(path: nil))
        let ranging = monitor.ranging
        _ = await events(monitor, heard(-3...0))
        var strengths: [Double?] = []
        for await sightings in ranging {
            strengths += sightings.map(\.signalStrength)
            if strengths.count == 4 { break }
        }
        #expect(strengths == [-60, -60, -60, -60])
        let idle = monitor.events(from: IdleBeacons())
        monitor.requestState(of: .init(collection: "app", id: "hall"))
        for await event in idle {
            guard case .state(let state) = event else { continue }
            #expect(state.standing == .inside)
            break
        }
    }

    @Test func `a device that hears nothing at all becomes unknown, has left nothing, and enters nothing twice`()
        async throws
    {
        let store = try LocalStore(path: nil)
        #expect(kinds(await events(try await monitor(store), heard(-200 ... -150))) == ["entered hall"])
        // Another start, without a source that hears anything.
        let silent = try await monitor(store, pace: .restless)
        for await event in silent.events(from: IdleBeacons()) {
            #expect(kinds([event]) == ["unknown hall"])
            break
        }
        #expect(silent.states.map(\.standing) == [.unknown])
        let again = try await monitor(store)
        // The event before may be told again, because the app stopped right after it.
        #expect(kinds(await events(again, heard(-10...0))).filter { $0 != "unknown hall" } == ["inside hall"])
        #expect(again.states.map(\.standing) == [.inside])
    }

    @Test func `a memory that cannot be read makes everything unknown, and nothing is left`() async throws {
        let store = try LocalStore(path: nil)
        _ = await events(try await monitor(store), heard(-60 ... -30))
        try await store.storeValue(["version": 99], note: StoredBeacons.noteByHand)
        let monitor = try await monitor(store)
        #expect(monitor.states.map(\.standing) == [.unknown])
        #expect(kinds(await events(monitor, heard(-29 ... -10, hall: false))) == ["forgotten"])
        #expect(monitor.states.map(\.standing) == [.unknown])
        #expect(await events(monitor, heard(-9...5, hall: false)).isEmpty)
        #expect(monitor.states.map(\.standing) == [.outside])
    }

    @Test func `an event that was not delivered before the end is delivered at the next start`() async throws {
        let store = try LocalStore(path: nil)
        let watch = try RegionWatch(
            BeaconMonitor.Region.snapshot([.init("hall", identity: Self.hall)]), store: store, now: { Self.end })
        for case .heard(let sightings, let until) in heard(-20 ... -10) {
            let (_, decides) = watch.evaluateSightings(sightings, until: until)
            let batch = SightingBatch(until: until, sightings: sightings)
            _ = try await store.record([batch], decides: decides, keepsSightings: false, beside: watch)
        }
        #expect(kinds(await events(try await monitor(store), heard(-9...0))) == ["entered hall"])
        #expect(kinds(await events(try await monitor(store), [])) == [])
    }

    // MARK: With a server

    @Test(arguments: [1, 2] as [UInt64])
    func `device and server decide one run alike, though most of it arrives late`(seed: UInt64) async throws {
        print("seed \(seed)")
        try await RunningServer.run { server in
            try await Self.makeFloor(server)
            let session = try await server.member("ann", of: "crew")
            let store = try LocalStore(path: nil)
            let watch = RegionWatch(session: session, store: store)
            try await watch.refresh()
            let sender = SightingSender(
                LocalSightings(file: store.file), at: session.server, connections: server.connections,
                session: { session })
            let run = BeaconRun(seed: seed, end: ReplicationPacing.systemNow())
            // Two restarts, the first in the hall and the second in the yard.
            var told: [BeaconMonitor.Event] = []
            for part in [run.news[..<30], run.news[30..<150], run.news[150...]] {
                let watch = RegionWatch(session: session, store: store)
                try await watch.restore()
                let isLast = part.endIndex == run.news.endIndex
                let ties = BeaconMonitor.Ties(sender: isLast ? sender : Self.deafSender(store))
                told += await events(BeaconMonitor(watch, pace: Self.still, ties), Array(part))
            }
            let own = BeaconCrossing.all(in: told)
            #expect(own.count >= 6, "a run that crosses nothing proves nothing")
            #expect(own.first?.region == "desk" || own.first?.region == "hall" || own.first?.region == "floor")
            let servers = try await BeaconCrossing.all(of: server)
            #expect(Set(servers) == Set(own))
            #expect(servers.count == own.count)
            #expect(try await LocalSightings(file: store.file).count() == 0)
        }
    }

    @Test func `an app hears an enter, its server too, and signing out ends it`() async throws {
        try await RunningServer.run { server in
            try await Self.makeFloor(server)
            try await server.ask(
                "POST", "users",
                #"{"name":"ann","role":"member","team":"crew","password":"\#(RunningServer.memberPassword)"}"#)
            let path = temporaryPath()
            defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) } }
            var options = Muster.Options()
            options.connections = server.connections
            let keeper = FileCredentialKeeper(path: path + ".account")
            defer { try? keeper.deleteCredentials() }
            let muster = try await Muster.open(
                server.address, store: URL(filePath: path), credentials: keeper, options: options)
            await #expect(throws: MusterError.signedOut) { _ = try await muster.beaconMonitor() }
            try await muster.signIn(user: "ann", password: RunningServer.memberPassword)
            let monitor = try await muster.beaconMonitor()
            try await until { monitor.states.count == 4 }
            let now = ReplicationPacing.systemNow()
            let news = (-5...0).map { second -> BeaconNews in
                let time = now.advanced(bySeconds: Double(second))
                let beacon = Beacon(uuid: Self.hall.uuid, major: 1, minor: 2)
                return .heard(
                    [Sighting(of: beacon, sampleTime: time, receivedTime: time, signalStrength: -80)], until: time)
            }
            let told = await events(monitor, news)
            #expect(BeaconCrossing.all(in: told).map(\.region).sorted() == ["floor", "hall"])
            let sent = told.reduce(0) { if case .sent(let count) = $1 { $0 + count } else { $0 } }
            #expect(sent == 6)
            #expect(try await BeaconCrossing.all(of: server).map(\.region).sorted() == ["floor", "hall"])
            let endless = monitor.events(from: IdleBeacons())
            try await muster.signOut()
            for await _ in endless {}
            #expect(await events(monitor, news).isEmpty)
            try await muster.close()
        }
    }

    // MARK: Pieces

    static func makeFloor(_ server: RunningServer) async throws {
        try await server.ask("POST", "teams", #"{"name":"crew"}"#)
        try await server.ask("POST", "collections", #"{"name":"site","policy":"confident"}"#)
        try await server.ask("POST", "collections/site/regions", BeaconRun.regions)
    }

    /// A sender whose server cannot be reached.
    private static func deafSender(_ store: LocalStore) -> SightingSender {
        SightingSender(
            LocalSightings(file: store.file), at: "http://127.0.0.1:1/", connections: .shared,
            session: { try? offlineSession() })
    }
}

/// A source that hears nothing, and never ends.
private struct IdleBeacons: BeaconSource {
    var identityLimit: Int? { nil }

    func listen(for choices: AsyncStream<[BeaconIdentity]>) -> AsyncThrowingStream<BeaconNews, any Error> {
        AsyncThrowingStream { continuation in
            let task = Task {
                try? await Task.sleep(for: .seconds(3_600))
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}

extension LocalSightings {
    /// The number of sightings that wait.
    func count() async throws -> Int {
        try await file.read { _, database in try SightingRows(database, table: Self.table).count() }
    }
}
