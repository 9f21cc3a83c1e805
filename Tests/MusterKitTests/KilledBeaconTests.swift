import Foundation
import MusterCore
import MusterMutex
import MusterReplication
import Testing

@testable import MusterKit

/// A device that listens for beacons and is killed with -9 again and again, in the middle of deciding, storing and
/// sending.
extension KilledProcessTests.KilledBeaconTests {
    private static let kills = 5
    /// Another run: `MUSTER_SEED=7`.
    private static let seed = ProcessInfo.processInfo.environment["MUSTER_SEED"].flatMap { UInt64($0) } ?? 1

    @Test func `no enter is lost or doubled by kills, on the device or at the server`() async throws {
        print("seed \(Self.seed)")
        let path = temporaryPath()
        let account = path + ".account"
        defer {
            for end in ["", "-wal", "-shm", ".account"] { try? FileManager.default.removeItem(atPath: path + end) }
        }
        try await RunningServer.run { server in
            try await BeaconMonitorTests.makeFloor(server)
            _ = try await server.member("ann", of: "crew")
            let session = try await Session.signIn(
                at: server.address, user: "ann", password: RunningServer.memberPassword,
                FileCredentialKeeper(path: account), connections: server.connections)
            let store = try LocalStore(path: path)
            try await RegionWatch(session: session, store: store).refresh()
            let end = ReplicationPacing.systemNow()
            let expected = try await Self.undisturbed(store, session, end)
            #expect(expected.count >= 6, "a run that crosses nothing proves nothing")
            try store.close()

            var dice = Dice(seed: Self.seed)
            for kill in 0..<Self.kills {
                // Each lives a little longer than the last, so that all of the run is reached.
                let steps = Int.random(in: 5...70, using: &dice)
                let turns = Int.random(in: 0...2_000, using: &dice)
                let endMilliseconds = end.milliseconds
                print("kill \(kill): after \(steps) steps")
                await #expect(processExitsWith: .signal(SIGKILL)) {
                    [
                        path = path as String, account = account as String,
                        endMilliseconds = endMilliseconds as Int64, steps = steps as Int, turns = turns as Int,
                    ] in
                    let session = try #require(try Session.open(FileCredentialKeeper(path: account)))
                    let fate = DoomedPeer.Fate(steps: steps, turns: turns)
                    _ = try await Self.run(
                        try LocalStore(path: path), session, Instant(milliseconds: endMilliseconds),
                        sends: true
                    ) { fate.step() }
                    DoomedPeer.Fate.die()
                }
            }
            let last = try LocalStore(path: path)
            _ = try await Self.run(last, session, end, sends: true) {}
            #expect(try await LocalSightings(file: last.file).count() == 0)
            let servers = try await BeaconCrossing.all(of: server)
            #expect(Set(servers) == Set(expected))
            #expect(servers.count == expected.count)
            try last.close()
        }
    }

    /// Returns what a device decides that is never killed.
    private static func undisturbed(
        _ store: LocalStore, _ session: Session, _ end: Instant
    ) async throws -> [BeaconCrossing] {
        let copy = try LocalStore(path: nil)
        let regions = try #require(try await store.storedValue(of: RegionSnapshot.note, as: RegionSnapshot.self))
        try await copy.storeValue(regions, note: RegionSnapshot.note)
        return BeaconCrossing.all(in: try await run(copy, session, end, sends: false) {})
    }

    /// Continues the run from what the store holds, with the sightings that it has not heard yet.
    private static func run(
        _ store: LocalStore, _ session: Session, _ end: Instant, sends: Bool, step: @escaping @Sendable () -> Void
    ) async throws -> [BeaconMonitor.Event] {
        let watch = RegionWatch(session: session, store: store)
        try await watch.restore()
        let heard = watch.state.withLock { $0.device.beaconMemory.listened }
        let news = BeaconRun(seed: Self.seed, end: end).news.filter { item in
            guard case .heard(_, let until) = item, let heard else { return true }
            return until > heard
        }
        let sender = SightingSender(
            LocalSightings(file: store.file), at: session.server, connections: session.connections,
            session: { session })
        let monitor = BeaconMonitor(
            watch, pace: BeaconMonitorTests.still, BeaconMonitor.Ties(sender: sends ? sender : nil))
        var events: [BeaconMonitor.Event] = []
        for await event in monitor.events(from: ScriptedBeacons(news, step: step)) { events.append(event) }
        return events
    }
}
