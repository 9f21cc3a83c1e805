import Crypto
import Foundation
import MusterCore
import MusterKit
import MusterReplication
import MusterWire
import Testing

/// A client and a server over sockets, and between them a network that cuts, holds and reorders.
@Suite struct BadNetworkTests {
    /// What a database holds: every leaf by its id and revision.
    private typealias Picture = [String: [Revision: String]]

    private static let locationCount = 150

    /// Another run: `MUSTER_SEED=7`.
    private static let seed = ProcessInfo.processInfo.environment["MUSTER_SEED"].flatMap { UInt64($0) } ?? 1

    @Test(arguments: [seed])
    func `what a bad network cuts anywhere is there once, at both sides, attachments too`(_ seed: UInt64) async throws {
        print("seed \(seed)")
        try await RunningServer.run { server in
            let network = BadNetwork(to: try #require(URL(string: server.address)?.port), seed: seed)
            try await network.run { port in
                let address = "http://127.0.0.1:\(port)"
                let session = try await server.member("ann", of: nil, at: address)
                #expect(session.database.port == port)
                let straight = try #require(
                    PeerAddress(server: server.address, database: "lt_locations_user_ann"))
                let database = HTTPPeer(
                    straight.asked(by: session.database.credentials), connections: server.connections)
                let device = try LocalStore(path: nil, key: SymmetricKey(size: .bits256))
                var dice = Dice(seed: seed)
                network.setBad(true)
                for round in 0..<2 {
                    try await fill(device, round, &dice)
                    try await replicate(from: device, to: session.peer, &dice)
                }
                let expected = try await picture(of: device)
                #expect(expected.count > Self.locationCount)
                #expect(try await picture(of: database) == expected)
                #expect(try await positions(of: server) == Self.locationCount)

                for takesSnapshot in [true, false] {
                    let other = try LocalStore(path: nil)
                    try await replicate(from: session.peer, to: other, takesSnapshot: takesSnapshot, &dice)
                    #expect(try await picture(of: other) == expected)
                    #expect(try await other.count() == device.count())
                }
                #expect(network.cuts > 0)
            }
        }
    }

    // MARK: What is replicated

    /// Locations; documents that are edited, removed, and in conflict; attachments within documents and streamed.
    private func fill(_ store: LocalStore, _ round: Int, _ dice: inout Dice) async throws {
        let half = Self.locationCount / 2
        for index in round * half..<(round + 1) * half {
            let fix = try fix(Double(index) * 20, north: Double(index))
            let location = RecordedLocation(.init(fix: fix, isInBackground: false), user: "ann", session: "s")
            try await store.save(location, id: location.id)
        }
        for index in 0..<20 {
            let id = "n\(index)"
            let before = try await store.document(id, as: LocalStoreTests.Note.self)
            let text = String(repeating: "\(UInt32.random(in: 0...UInt32.max, using: &dice)) ", count: 60)
            if let before, index % 5 == 0 {
                try await store.remove(id, on: before.revision)
            } else {
                try await store.save(LocalStoreTests.Note(text: text), id: id, on: before?.revision)
            }
        }
        for (index, length) in [10, 5_000, 100_000, 400_000].enumerated() {
            try await attach(length, to: "a\(round)-\(index)", in: store, &dice)
        }
        for leaf in 1...3 { try await put("{\"leaf\":\(leaf)}", "conflict\(round)", in: store, &dice) }
    }

    private func put(_ json: String, _ id: String, in store: LocalStore, _ dice: inout Dice) async throws {
        let revision = try revision(&dice)
        _ = try await store.write([ReplicatedRevision(id: id, path: [revision], json: Array(json.utf8))]) { _ in
            throw ReplicationFault.unsupported("there is no attachment")
        }
    }

    private func attach(_ length: Int, to id: String, in store: LocalStore, _ dice: inout Dice) async throws {
        let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &dice) }
        let attachment = ReplicatedAttachment(
            name: "photo", contentType: "image/jpeg",
            digest: "md5-" + Data(Insecure.MD5.hash(data: bytes)).base64EncodedString(), length: Int64(length),
            revisionPosition: 1)
        let document = ReplicatedRevision(
            id: id, path: [try revision(&dice)], json: Array("{}".utf8), attachments: [attachment])
        _ = try await store.write([document]) { _ in
            AttachmentBytes { continuation in
                continuation.yield(bytes)
                continuation.finish()
            }
        }
    }

    private func revision(_ dice: inout Dice) throws -> Revision {
        let word = String(UInt64.random(in: 0...UInt64.max, using: &dice) | 1 << 63, radix: 16)
        return try #require(Revision("1-\(word)\(word)"))
    }

    private func replicate(
        from source: any ReplicationPeer, to target: any ReplicationPeer, takesSnapshot: Bool = true,
        _ dice: inout Dice
    ) async throws {
        let seed = UInt64.random(in: 0...UInt64.max, using: &dice)
        var pacing = ReplicationPacing(sleep: { _ in try Task.checkCancellation() })
        pacing.attempts = 1_000
        var options = Replication.Options()
        options.takesSnapshot = takesSnapshot
        options.pageLimit = 40
        options.batchBytes = 50_000
        let done = try await Replication(from: source, to: target, options: options, pacing: pacing).run()
        #expect(done.counts.refused == 0, "seed \(seed)")
    }

    // MARK: What is there

    private func picture(of peer: some ReplicationPeer) async throws -> Picture {
        var picture: Picture = [:]
        var request = ChangesRequest(since: .start, limit: 100)
        while true {
            let page = try await peer.changes(request)
            if page.changes.isEmpty { return picture }
            for revision in try await peer.read(page.changes) {
                let attachments = revision.attachments.map { "\($0.name) \($0.length) \($0.digest)" }.sorted()
                let words = [String(decoding: revision.json, as: UTF8.self), "\(revision.isDeleted)"] + attachments
                let former = picture[revision.id, default: [:]].updateValue(
                    words.joined(separator: " "), forKey: revision.revision)
                #expect(former == nil, "\(revision.id) is told twice")
            }
            request.since = page.last
        }
    }

    /// How many positions the server has of ann, as an observer of observations sees them.
    private func positions(of server: RunningServer) async throws -> Int {
        let path = "users/ann/devices/phone/positions?limit=1000&from=2023-01-01T00:00:00Z"
        let history = try await server.ask("GET", path)
        return history["items"]?.elements?.count ?? 0
    }
}
