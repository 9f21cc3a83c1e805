import Foundation
import MusterCore
import MusterKit
import MusterReplication
import Synchronization
import Testing

/// What a server fails at, again and again, while it answers for all else.
@Suite struct OutstandingTests {
    @Test func `a location that the server fails at stops no other, and is sent later`() async throws {
        try await withNetwork { server, network, session in
            let store = try LocalStore(path: nil)
            var ids: [String] = []
            for index in 0..<3 {
                let fix = try fix(Double(index) * 60, north: Double(index) * 100)
                let location = RecordedLocation(
                    LocationMonitor.Location(fix: fix, isInBackground: false), user: "ann", session: "walk")
                try await store.save(location, id: location.id)
                ids.append(location.id)
            }
            let failing = ids[1]
            network.decide { request in
                request.contains("\"new_edits\":false") && request.contains(failing)
                    ? .isAnswered(status: 500, body: #"{"error":"unknown_error","reason":"badmatch"}"#) : .passes
            }
            func tracker() -> LocationTracker {
                LocationTracker(
                    store: store, monitor: LocationMonitor(), server: session.peer, user: "ann", session: "walk")
            }
            let first = tracker()
            for _ in 0..<3 {
                guard case .away? = await first.emit() else {
                    Issue.record("one answer is not enough to leave a location out")
                    return
                }
            }
            guard case .refusesDocuments(count: 1, _)? = await first.emit() else {
                Issue.record("a location that is left out is told")
                return
            }
            #expect(try await server.positions(of: "ann") == 2)
            // It is told once, and asked for once a minute.
            #expect(await first.emit() == nil)
            #expect(try await first.missing() == 1)
            // The program is begun anew: the log knows.
            network.decide { _ in .passes }
            #expect(await tracker().emit() == nil)
            #expect(try await server.positions(of: "ann") == 3)
        }
    }

    @Test func `an unavailable attachment stops no other document, and arrives once it is available`() async throws {
        try await withNetwork { server, network, session in
            let source = try LocalStore(path: nil)
            for id in ["a", "broken", "z"] { try await attach(id, in: source) }
            var pacing = ReplicationPacing(sleep: { _ in })
            pacing.attempts = 4
            #expect(try await Replication(from: source, to: session.peer, pacing: pacing).run().counts.written == 3)

            network.decide { request in
                request.hasPrefix("GET ") && request.contains("/broken/film?")
                    ? .isAnswered(status: 500, body: "{}") : .passes
            }
            let store = try LocalStore(path: nil)
            let pull = Replication(from: session.peer, to: store, pacing: pacing)
            let done = try await pull.run()
            #expect((done.counts.written, done.counts.refused) == (2, 1))
            #expect(done.refusals.map(\.error) == ["damaged_attachment"])
            #expect(try await store.count() == 2)

            network.decide { _ in .passes }
            let rest = try await pull.run()
            #expect((rest.counts.checked, rest.counts.written) == (1, 1))
            #expect(try await store.count() == 3)
            #expect(try await pull.run().counts.checked == 0)
        }
    }

    @Test func `an attachment that no peer has for a moment is not taken for deleted`() async throws {
        try await withNetwork { server, network, session in
            let source = try LocalStore(path: nil)
            for id in ["a", "b", "c"] { try await attach(id, in: source) }
            var pacing = ReplicationPacing(sleep: { _ in })
            pacing.attempts = 4
            #expect(try await Replication(from: source, to: session.peer, pacing: pacing).run().counts.written == 3)

            // A proxy whose server is begun anew knows no document, and not how to ask for many.
            let left = Mutex(2)
            network.decide { request in
                let asks = request.contains("/_bulk_get") || request.contains("open_revs=")
                let isLost =
                    asks
                    && left.withLock { left in
                        left -= 1
                        return left >= 0
                    }
                return isLost ? .isAnswered(status: 404, body: "<h1>404 page not found</h1>") : .passes
            }
            var options = Replication.Options()
            options.takesSnapshot = false
            let store = try LocalStore(path: nil)
            let pull = Replication(from: session.peer, to: store, options: options, pacing: pacing)
            #expect(try await pull.run().counts.written == 3)
            #expect(try await store.count() == 3)
            #expect(left.withLock { $0 } < 0)
        }
    }

    @Test func `a wait for changes ends after a while, so that what is outstanding can be asked for`() async throws {
        try await RunningServer.run { server in
            let session = try await server.member("ann", of: nil)
            let peer = HTTPPeer(session.database, connections: server.connections, waitSeconds: 0.05)
            let last = try await peer.changes(ChangesRequest(since: .start, limit: 10)).last
            let page = try await peer.changes(ChangesRequest(since: last, limit: 10, waits: true))
            #expect(page.changes.isEmpty && page.last == last)
        }
    }

    @Test func `a replication log that changed at the peer is not overwritten`() async throws {
        try await RunningServer.run { server in
            let peer = try await server.member("ann", of: nil).peer
            let first = try await peer.put(ReplicationLog(), as: "x")
            let second = try await peer.put(first, as: "x")
            await #expect(throws: ReplicationError.busy(status: 409, retryAfterSeconds: nil)) {
                try await peer.put(first, as: "x")
            }
            #expect(try await peer.log("x")?.revision == second.revision)
        }
    }

    /// A server, a way to it that can be told what to do, and a session of Ann's on that way.
    private func withNetwork(
        _ body: @escaping @Sendable (RunningServer, PickyNetwork, MusterKit.Session) async throws -> Void
    ) async throws {
        try await RunningServer.run { server in
            _ = try await server.member("ann", of: nil)
            let network = PickyNetwork(to: server)
            try await network.run { address in
                let keeper = FileCredentialKeeper(path: temporaryPath())
                defer { try? keeper.deleteCredentials() }
                let session = try await MusterKit.Session.signIn(
                    at: address, user: "ann", password: RunningServer.memberPassword, keeper,
                    connections: server.connections)
                try await body(server, network, session)
            }
        }
    }

    /// A document with a file that goes by itself.
    private func attach(_ id: String, in store: LocalStore) async throws {
        let bytes = [UInt8](repeating: 7, count: 100_000)
        let attachment = ReplicatedAttachment(
            name: "film", contentType: "video/mp4", digest: "md5-", length: Int64(bytes.count), revisionPosition: 1)
        let revision = try #require(Revision("1-967a00dff5e02add41819138abb3284d"))
        let document = ReplicatedRevision(id: id, path: [revision], json: Array("{}".utf8), attachments: [attachment])
        _ = try await store.write([document]) { _ in
            AttachmentBytes { continuation in
                continuation.yield(bytes)
                continuation.finish()
            }
        }
    }
}
