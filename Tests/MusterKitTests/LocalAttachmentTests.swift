import Foundation
import GRDB
import MusterCore
import MusterKit
import MusterReplication
import Testing

/// What attachments leave in the file of a local store.
@Suite struct LocalAttachmentTests {
    @Test func `an attachment that is cut off leaves neither a document nor a byte`() async throws {
        let path = temporaryPath()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let store = try LocalStore(path: path)
        await #expect(throws: ReplicationError.unreachable("cut")) {
            try await write(length: 900_000, to: store) { continuation in
                continuation.yield([UInt8](repeating: 1, count: 500_000))
                continuation.finish(throwing: ReplicationError.unreachable("cut"))
            }
        }
        let refused = try await write(length: 900_000, to: store) { continuation in
            continuation.yield([UInt8](repeating: 1, count: 500_000))
            continuation.finish()
        }
        #expect(refused.map(\.error) == ["damaged_attachment"])
        #expect(try await store.count() == 0)
        try store.close()
        let left = try DatabaseQueue(path: path)
        // One that came whole, and shorter than was promised, is whole: nobody names it, and so it goes in an hour.
        #expect(try await left.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM blobs WHERE key IS NULL") } == 0)
        #expect(try await left.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM blobs") } == 1)
        try left.close()
    }

    @Test func `an attachment left by a dead process is dropped an hour after it was seen`() async throws {
        let path = temporaryPath()
        defer { try? FileManager.default.removeItem(atPath: path) }
        try LocalStore(path: path).close()
        let file = try DatabaseQueue(path: path)
        try await file.write { database in
            try database.execute(
                sql: """
                    INSERT INTO blobs (number, length, uses) VALUES (99, 3, 0);
                    INSERT INTO blob_chunks (number, bytes) VALUES (99 << 36, x'010203');
                    """)
        }
        // It may be that it still grows, in another process: opened twice within the hour, it stays.
        for _ in 0..<2 { try LocalStore(path: path).close() }
        #expect(try await file.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM blob_chunks") } == 1)
        try await file.write { try $0.execute(sql: "UPDATE blobs SET touched_at = touched_at - 3600001") }
        try LocalStore(path: path).close()
        #expect(try await file.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM blob_chunks") } == 0)
        #expect(try await file.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM blobs") } == 0)
        try file.close()
    }

    @Test func `documents with attachments received before a cut are kept`() async throws {
        let store = try LocalStore(path: nil)
        let photo = [UInt8](repeating: 1, count: 900_000)
        let attachment = ReplicatedAttachment(
            name: "photo", contentType: "image/jpeg", digest: "md5-", length: Int64(photo.count), revisionPosition: 1)
        let revision = try #require(Revision("1-967a00dff5e02add41819138abb3284d"))
        let documents = (0..<10).map {
            ReplicatedRevision(id: "d\($0)", path: [revision], json: Array("{}".utf8), attachments: [attachment])
        }
        await #expect(throws: ReplicationError.unreachable("cut")) {
            _ = try await store.write(documents) { reference in
                AttachmentBytes { continuation in
                    if reference.id != "d7" { continuation.yield(photo) }
                    continuation.finish(throwing: reference.id == "d7" ? ReplicationError.unreachable("cut") : nil)
                }
            }
        }
        #expect(try await store.count() == 6)
    }

    private func write(
        length: Int64, to store: LocalStore,
        _ fill: @escaping @Sendable (AttachmentBytes.Continuation) -> Void
    ) async throws -> [WriteRefusal] {
        let attachment = ReplicatedAttachment(
            name: "photo", contentType: "image/jpeg", digest: "md5-", length: length, revisionPosition: 1)
        let revision = try #require(Revision("1-967a00dff5e02add41819138abb3284d"))
        let document = ReplicatedRevision(id: "d", path: [revision], json: Array("{}".utf8), attachments: [attachment])
        return try await store.write([document]) { _ in AttachmentBytes { fill($0) } }
    }
}
