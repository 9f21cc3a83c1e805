import GRDB
package import MusterCore

/// The bytes of attachments. They are stored in pieces in the file of the documents, so that a copy of the file has
/// them.
extension DocumentTables {
    /// The size of the largest piece, in bytes.
    private static let chunkLimitBytes = 256 * 1024
    /// The low bits of a piece's number, which hold its offset in the blob: up to 64 GiB.
    private static let offsetBits: Int64 = 36
    /// The time after which a blob to which no document refers is deleted, and an unfinished one that receives no
    /// bytes.
    private static let graceMilliseconds: Int64 = 3_600_000

    package func beginBlob() throws -> BlobNumber {
        try change {
            let number = try nextNumber(of: "blob")
            try database.cachedStatement(sql: "INSERT INTO blobs (number, length, uses) VALUES (?, 0, 0)")
                .execute(arguments: [number])
            return BlobNumber(number)
        }
    }

    package func append(_ bytes: [UInt8], to blob: BlobNumber) throws {
        try change {
            guard let length = try unfinishedLength(of: blob) else { throw BlobError.unknown(blob) }
            guard length + Int64(bytes.count) < 1 << Self.offsetBits else { throw BlobError.tooLarge }
            let statement = try statement("INSERT INTO blob_chunks (number, bytes) VALUES (?, ?)")
            var start = 0
            while start < bytes.count {
                let end = min(bytes.count, start + Self.chunkLimitBytes)
                statement.bind(1, Self.chunk(blob.rawValue, at: length + Int64(start)))
                try statement.binding(2, bytes[start..<end]) { try statement.run() }
                start = end
            }
            try database.cachedStatement(sql: "UPDATE blobs SET length = ?, touched_at = NULL WHERE number = ?")
                .execute(arguments: [length + Int64(bytes.count), blob.rawValue])
        }
    }

    package func finish(_ blob: BlobNumber, key: [UInt8], length: Int64, at moment: Instant) throws {
        guard let written = try unfinishedLength(of: blob) else { throw BlobError.unknown(blob) }
        guard written == length else { throw BlobError.length(written, expected: length) }
        try change {
            if try holdsBlob(key) {
                try abandon(blob)
                try database.cachedStatement(sql: "UPDATE blobs SET touched_at = ? WHERE key = ?")
                    .execute(arguments: [moment.milliseconds, Blob(key)])
            } else {
                try database.cachedStatement(sql: "UPDATE blobs SET key = ?, touched_at = ? WHERE number = ?")
                    .execute(arguments: [Blob(key), moment.milliseconds, blob.rawValue])
            }
        }
    }

    package func abandon(_ blob: BlobNumber) throws {
        try change {
            guard try unfinishedLength(of: blob) != nil else { return }
            while try dropChunks(of: blob.rawValue, limit: 1_000) == 1_000 {}
            try database.cachedStatement(sql: "DELETE FROM blobs WHERE number = ?").execute(arguments: [blob.rawValue])
        }
    }

    package func holdsBlob(_ key: [UInt8]) throws -> Bool { try number(of: key) != nil }

    package func bytes(of key: [UInt8], from offset: Int64, limit: Int) throws -> [UInt8]? {
        guard let number = try number(of: key) else { return nil }
        guard (0..<(1 << Self.offsetBits)).contains(offset), limit > 0 else { return [] }
        let statement = try statement(
            """
            SELECT number, bytes FROM blob_chunks
            WHERE number >= (SELECT max(number) FROM blob_chunks WHERE number <= ?1) AND number < ?2 ORDER BY number
            """)
        defer { statement.reset() }
        statement.bind(1, Self.chunk(number, at: offset))
        statement.bind(2, Self.chunk(number + 1, at: 0))
        var found: [UInt8] = []
        while found.count < limit, try statement.step() {
            let start = statement.integer(0)
            guard start >= Self.chunk(number, at: 0) else { continue }
            let skipped = max(0, Int(offset - (start - Self.chunk(number, at: 0))))
            statement.withBlob(1) { found.append(contentsOf: $0.dropFirst(skipped).prefix(limit - found.count)) }
        }
        return found
    }

    package func dropUnusedBlobs(at moment: Instant, limit: Int) throws -> Bool {
        try change {
            // A new blob has no time yet. Its hour begins when this function first sees it without a time.
            try database.cachedStatement(
                sql: "UPDATE blobs SET touched_at = ? WHERE uses = 0 AND touched_at IS NULL"
            ).execute(arguments: [moment.milliseconds])
            var left = max(1, limit)
            while left > 0 {
                let unused = try Int64.fetchOne(
                    database, sql: "SELECT number FROM blobs WHERE uses = 0 AND touched_at < ? ORDER BY touched_at",
                    arguments: [moment.milliseconds - Self.graceMilliseconds])
                guard let unused else { return false }
                let dropped = try dropChunks(of: unused, limit: left)
                left -= max(1, dropped)
                guard left > 0 else { break }
                try database.cachedStatement(sql: "DELETE FROM blobs WHERE number = ?").execute(arguments: [unused])
            }
            return true
        }
    }

    /// Counts one more revision that refers to these attachments.
    func use(_ attachments: [Attachment]) throws {
        for attachment in attachments { try changeUses(of: attachment.key, by: 1) }
    }

    /// Counts one revision fewer that refers to these attachments.
    func release(_ attachments: [Attachment]) throws {
        for attachment in attachments { try changeUses(of: attachment.key, by: -1) }
    }

    private func changeUses(of key: [UInt8], by change: Int) throws {
        try database.cachedStatement(sql: "UPDATE blobs SET uses = uses + ? WHERE key = ?")
            .execute(arguments: [change, Blob(key)])
    }

    private static func chunk(_ blob: Int64, at offset: Int64) -> Int64 { blob << offsetBits | offset }

    private func number(of key: [UInt8]) throws -> Int64? {
        let statement = try statement("SELECT number FROM blobs WHERE key = ?")
        defer { statement.reset() }
        return try statement.binding(1, key[...]) { try statement.step() ? statement.integer(0) : nil }
    }

    private func unfinishedLength(of blob: BlobNumber) throws -> Int64? {
        try Int64.fetchOne(
            database.cachedStatement(sql: "SELECT length FROM blobs WHERE number = ? AND key IS NULL"),
            arguments: [blob.rawValue])
    }

    /// Deletes at most `limit` pieces of a blob.
    ///
    /// - Returns: how many pieces it deleted.
    private func dropChunks(of blob: Int64, limit: Int) throws -> Int {
        try database.cachedStatement(
            sql: """
                DELETE FROM blob_chunks WHERE number IN (
                    SELECT number FROM blob_chunks WHERE number >= ? AND number < ? ORDER BY number LIMIT ?)
                """
        ).execute(arguments: [Self.chunk(blob, at: 0), Self.chunk(blob + 1, at: 0), limit])
        return database.changesCount
    }
}
