import Crypto
import Foundation
import GRDB
import MusterCore
import MusterReplication
import Testing

@testable import MusterKit

/// A sealed document whose bytes have changed on the disk: it is counted, and everything beside it goes on.
@Suite struct DamagedDocumentTests {
    @Test func `one damaged document stops neither the others, nor the questions about the newest`() async throws {
        let path = temporaryPath()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let key = SymmetricKey(size: .bits256)
        let store = try LocalStore(path: path, key: key)
        for number in 1...5 {
            let note = LocalStoreTests.Note(text: "note \(number)", created_at: Int64(number))
            try await store.save(note, id: "note-\(number)")
        }
        try store.close()
        let file = try DatabaseQueue(path: path)
        try await file.write { database in
            for id in ["note-5", "note-2"] {
                let found = try Data.fetchOne(database, sql: "SELECT body FROM documents WHERE id = ?", arguments: [id])
                var bytes = try #require(found)
                let middle = bytes.startIndex + bytes.count / 2
                bytes[middle] = UInt8(ascii: bytes[middle] == UInt8(ascii: "A") ? "B" : "A")
                try database.execute(sql: "UPDATE documents SET body = ? WHERE id = ?", arguments: [bytes, id])
            }
        }
        try file.close()

        let again = try LocalStore(path: path, key: key)
        let texts = try await again.documents(.newest(9), as: LocalStoreTests.Note.self).map(\.value.text)
        #expect(texts == ["note 4", "note 3", "note 1"])
        await #expect(throws: LocalStoreError.unreadable(id: "note-5")) {
            try await again.document("note-5", as: LocalStoreTests.Note.self)
        }
        let target = try LocalStore(path: nil)
        let done = try await Replication(from: again, to: target).run()
        #expect(done.counts.written == 3)
        #expect(Set(done.refusals.map(\.id)) == ["note-2", "note-5"])
        #expect(try await target.count() == 3)
        try again.close()
    }
}
