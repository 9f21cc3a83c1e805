import Crypto
import Foundation
import MusterCore
import MusterKit
import MusterReplication
import Testing

/// What databases of tests hold.
enum Contents {
    /// What a database holds: every leaf by its id and revision.
    typealias Picture = [String: [Revision: String]]

    /// Locations; documents that are edited, removed, and in conflict; attachments within documents and streamed.
    static func fill(_ store: LocalStore, _ round: Int, locations: Int, _ dice: inout Dice) async throws {
        for index in round * locations..<(round + 1) * locations {
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

    private static func put(_ json: String, _ id: String, in store: LocalStore, _ dice: inout Dice) async throws {
        let revision = try revision(&dice)
        _ = try await store.write([ReplicatedRevision(id: id, path: [revision], json: Array(json.utf8))]) { _ in
            throw ReplicationError.unsupported("there is no attachment")
        }
    }

    private static func attach(_ length: Int, to id: String, in store: LocalStore, _ dice: inout Dice) async throws {
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

    private static func revision(_ dice: inout Dice) throws -> Revision {
        let word = String(UInt64.random(in: 0...UInt64.max, using: &dice) | 1 << 63, radix: 16)
        return try #require(Revision("1-\(word)\(word)"))
    }

    // MARK: What is there

    static func picture(of peer: some ReplicationPeer) async throws -> Picture {
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
}
