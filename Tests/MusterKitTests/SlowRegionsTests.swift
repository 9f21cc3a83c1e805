import MusterCore
import MusterReplication
import Synchronization
import Testing

@testable import MusterKit

/// A network on which the download of all regions takes minutes.
@Suite(.timeLimit(.minutes(5))) struct SlowRegionsTests {
    @Test func `neither an evacuation nor a location waits for the regions`() async throws {
        try await RunningServer.run { server in
            try await server.ask("POST", "teams", #"{"name":"crew"}"#)
            try await server.ask("POST", "collections", #"{"name":"site","policy":"raw"}"#)
            let meadow = #"""
                {"type":"FeatureCollection","features":[{"type":"Feature","id":"meadow","properties":{"radius":50,\#
                "muster":true},"geometry":{"type":"Point","coordinates":[13,52]}}]}
                """#
            try await server.ask("POST", "collections/site/regions", meadow)
            let network = PickyNetwork(to: server)
            network.decide { $0.contains("/collections/site/regions?") ? .hangs : .passes }
            try await network.run { address in
                try await walk(through: network, server, try await server.member("ann", of: "crew", at: address))
            }
        }
    }

    private func walk(through network: PickyNetwork, _ server: RunningServer, _ session: MusterKit.Session) async throws
    {
        let store = try LocalStore(path: nil)
        let late = Mutex(0.0)
        let watch = RegionWatch(session: session, store: store) {
            ReplicationPacing.systemNow().advanced(bySeconds: late.withLock { $0 })
        }
        let tracker = LocationTracker(
            store: store, monitor: LocationMonitor(), server: session.peer, user: "ann", session: "s", watch: watch)
        var events = tracker.events().makeAsyncIterator()
        try await server.ask("POST", "teams/crew/incidents", #"{"kind":"real"}"#)
        try await record(0, into: store)
        #expect(await tracker.emit() == nil)
        #expect(await events.next() == .emitted(1))
        let evacuation = RegionWatch.Incident(number: 1, isDrill: false)
        #expect(await events.next() == LocationTracker.Event.incident(evacuation))
        try await until { network.hung == 1 }
        // They are due again by now, and asked for once at a time.
        late.withLock { $0 = 100 }
        try await record(1, into: store)
        #expect(await tracker.emit() == nil)
        #expect(try await server.positions(of: "ann") == 2)
        #expect(network.hung == 1)
        #expect(watch.musterRegions(near: try fix(0, north: 0).coordinate).isEmpty)

        // Asking ends with the tracker; the next one asks anew.
        let run = Task { try await tracker.run() }
        run.cancel()
        _ = await run.result
        network.decide { _ in .passes }
        late.withLock { $0 = 200 }
        try await until {
            _ = await tracker.emit()
            return try !watch.musterRegions(near: fix(0, north: 0).coordinate).isEmpty
        }
    }

    private func record(_ index: Int, into store: LocalStore) async throws {
        let fix = try fix(Double(index) * 60, north: Double(index) * 100)
        let location = RecordedLocation(
            LocationMonitor.Location(fix: fix, isInBackground: false), user: "ann", session: "s")
        try await store.save(location, id: location.id)
    }
}
