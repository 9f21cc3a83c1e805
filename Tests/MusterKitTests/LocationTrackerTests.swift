import Foundation
import MusterCore
import MusterGeometry
import MusterKit
import MusterReplication
import Synchronization
import Testing

@Suite struct LocationTrackerTests {
    @Test func `locations recorded while the server was away arrive once when it is back`() async throws {
        let store = try LocalStore(path: nil)
        let server = try LocalStore(path: nil)
        let isAway = Mutex(true)
        let peer = CuttablePeer(server) { isAway.withLock { $0 } }
        let monitor = LocationMonitor()
        let tracker = LocationTracker(
            store: store, monitor: monitor, server: peer, user: "ann", session: "s", pace: .restless)
        let fixes = try (0..<30).map { try fix(Double($0) * 20, north: Double($0) * 20) }
        let events = tracker.events()
        async let run: Void = tracker.run()
        var isFed = false
        var recorded = 0
        var failed = false
        var emitted = 0
        for await event in events {
            switch event {
            case .started:
                if !isFed { Task { await monitor.run(StreamedLocations(stream(of: fixes))) } }
                isFed = true
            case .recorded: recorded += 1
            case .failed:
                failed = true
                if recorded == fixes.count { isAway.withLock { $0 = false } }
            case .emitted(let count): emitted += count
            case .crossed, .reconciled, .incident, .safety: break
            }
        }
        try await run
        // The end may come before the server is back; then the next run brings it.
        isAway.withLock { $0 = false }
        #expect(await tracker.emit() == nil)
        #expect(recorded == fixes.count)
        #expect(failed)
        #expect(try await server.count() == fixes.count)
        let locations = try await server.documents(.newest(100), as: RecordedLocation.self)
        #expect(locations.compactMap(\.value.fix?.coordinate) == fixes.reversed().map(\.coordinate))
        #expect(locations.allSatisfy { $0.value.properties.username == "ann" })
    }

    @Test func `a location that is recorded twice is one document`() async throws {
        let store = try LocalStore(path: nil)
        let one = try fix(0, north: 0)
        for _ in 0..<2 {
            let monitor = LocationMonitor()
            let tracker = LocationTracker(
                store: store, monitor: monitor, server: try LocalStore(path: nil), user: "ann", session: "s",
                pace: .restless)
            let events = tracker.events()
            async let run: Void = tracker.run()
            for await event in events {
                if case .started = event { Task { await monitor.run(StreamedLocations(stream(of: [one]))) } }
            }
            try await run
        }
        #expect(try await store.count() == 1)
    }

    private func stream(of fixes: [Position]) -> AsyncStream<Position> {
        AsyncStream { stream in
            for fix in fixes { stream.yield(fix) }
            stream.finish()
        }
    }
}

/// A peer behind a network that can be away.
struct CuttablePeer: ReplicationPeer {
    private let peer: LocalStore
    private let isAway: @Sendable () -> Bool

    init(_ peer: LocalStore, isAway: @escaping @Sendable () -> Bool) {
        self.peer = peer
        self.isAway = isAway
    }

    private func reach() throws -> LocalStore {
        if isAway() { throw ReplicationError.unreachable("no network") }
        return peer
    }

    func information() async throws -> PeerInformation { try await reach().information() }
    func create() async throws { try await reach().create() }
    func log(_ id: String) async throws -> ReplicationLog? { try await reach().log(id) }
    func put(_ log: ReplicationLog, as id: String) async throws -> ReplicationLog { try await reach().put(log, as: id) }
    func changes(_ request: ChangesRequest) async throws -> ChangesPage { try await reach().changes(request) }
    func missing(_ revisions: [DocumentRevisions]) async throws -> [DocumentRevisions] {
        try await reach().missing(revisions)
    }
    func read(_ wanted: [DocumentRevisions]) async throws -> [ReplicatedRevision] { try await reach().read(wanted) }
    func attachment(_ reference: AttachmentReference) async throws -> AttachmentBytes {
        try await reach().attachment(reference)
    }
    func write(
        _ revisions: [ReplicatedRevision], attachments: @escaping AttachmentSource
    ) async throws -> [WriteRefusal] { try await reach().write(revisions, attachments: attachments) }
    func ensureFullCommit() async throws { try await reach().ensureFullCommit() }
}
