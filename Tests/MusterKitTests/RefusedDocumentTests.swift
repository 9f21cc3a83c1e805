import MusterCore
import MusterKit
import MusterReplication
import Testing

/// What a server will not have, and what comes beside it.
@Suite struct RefusedDocumentTests {
    @Test func `a document that is too large is refused alone, in its text or by its attachment`() async throws {
        try await RunningServer.run { server in
            let session = try await server.member("ann", of: nil)
            let store = try LocalStore(path: nil)
            try await store.save(LocalStoreTests.Note(text: "before"), id: "a")
            try await store.save(LocalStoreTests.Note(text: String(repeating: "x", count: 9 << 20)), id: "large")
            try await attach(65, to: "heavy", in: store)
            try await attach(1, to: "light", in: store)
            try await store.save(LocalStoreTests.Note(text: "after"), id: "z")
            let done = try await Replication(from: store, to: session.peer).run()
            #expect(done.counts.written == 3)
            #expect(Set(done.refusals.map(\.id)) == ["large", "heavy"])
            #expect(try await session.peer.information().documentCount == 3)
            // What was refused is not brought again each time.
            #expect(try await Replication(from: store, to: session.peer).run().counts.read == 0)
        }
    }

    @Test func `behind a proxy that accepts small requests only, everything arrives in smaller ones`() async throws {
        try await RunningServer.run { server in
            let session = try await server.member("ann", of: nil)
            let network = PickyNetwork(to: server)
            let requests = Counter()
            try await network.run { address in
                network.decide { request in
                    requests.add()
                    return request.utf8.count > 60_000 ? .isAnswered(status: 413, body: "<html>") : .passes
                }
                let store = try LocalStore(path: nil)
                for number in 0..<1_200 {
                    let note = LocalStoreTests.Note(text: String(repeating: "x", count: 150))
                    try await store.save(note, id: "a-document-with-a-long-name-\(number)")
                }
                let database = session.database
                let behind = DatabaseAddress("\(address)/\(database.segment)")
                let peer = HTTPPeer(try #require(behind).authenticated(by: database.credentials))
                let done = try await Replication(from: store, to: peer).run()
                #expect(done.counts.written == 1_200 && done.refusals.isEmpty)
                #expect(requests.count < 100)
            }
        }
    }

    private func attach(_ megabytes: Int, to id: String, in store: LocalStore) async throws {
        let attachment = ReplicatedAttachment(
            name: "film", contentType: "video/mp4", digest: "md5-", length: Int64(megabytes) << 20, revisionPosition: 1)
        let revision = try #require(Revision("1-967a00dff5e02add41819138abb3284d"))
        let document = ReplicatedRevision(id: id, path: [revision], json: Array("{}".utf8), attachments: [attachment])
        _ = try await store.write([document]) { _ in
            AttachmentBytes { continuation in
                for _ in 0..<megabytes { continuation.yield([UInt8](repeating: 7, count: 1 << 20)) }
                continuation.finish()
            }
        }
    }
}
