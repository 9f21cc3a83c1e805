import CZlib
import MusterCore
import MusterDocuments
import MusterHTTP
import MusterReplication
import NIOCore

/// All leaves of all documents in the order of their changes, as lines of JSON. After each page follows the line
/// `{"last_seq":N}`, after the last page with `"done":true`. A client that was interrupted has every change up to the
/// last such sequence.
struct SnapshotAnswer: PagedAnswer {
    private let home: StoredDatabaseHome
    private var since: MusterCore.LogSequence
    private var size = PageSize()
    private(set) var isComplete = false

    init(_ home: StoredDatabaseHome, since: MusterCore.LogSequence) {
        self.home = home
        self.since = since
    }

    mutating func next(_ reader: any DocumentReader) throws -> [UInt8] {
        var bytes: [UInt8] = []
        let documents = try reader.changes(
            in: home.scope, since: since, isDescending: false, withBodies: true, limit: size.count)
        for document in documents {
            let leaves = document.tree.leaves.map(\.revision)
            for revision in try DocumentPeer.revisions(leaves, of: document, reader, home) {
                DocumentText.append(revision, to: &bytes)
                bytes.append(UInt8(ascii: "\n"))
            }
            since = document.sequence
        }
        isComplete = documents.count < size.count
        size.adjust(documents.count, bytes: bytes.count)
        let end = isComplete ? max(since, reader.lastSequence) : since
        bytes += Array("{\"last_seq\":\(end.rawValue)\(isComplete ? ",\"done\":true" : "")}\n".utf8)
        return bytes
    }
}

/// Compresses a stream with gzip, piece by piece. It prefers speed to size.
final class GzipStream {
    private var stream = z_stream()

    /// - Throws: `InflateError.damaged` if zlib has no memory.
    init() throws(InflateError) {
        let size = Int32(MemoryLayout<z_stream>.size)
        guard deflateInit2_(&stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size) == Z_OK else {
            throw .damaged
        }
    }

    deinit { deflateEnd(&stream) }

    /// Compresses the next bytes. The receiver can decompress all bytes passed so far from the bytes returned so far.
    func pack(_ bytes: [UInt8], isLast: Bool) throws(InflateError) -> ByteBuffer {
        var result = ByteBuffer()
        var status = Z_OK
        bytes.withUnsafeBytes { input in
            // zlib does not write through `next_in`, although its type is mutable.
            stream.next_in = UnsafeMutablePointer(mutating: input.bindMemory(to: UInt8.self).baseAddress)
            stream.avail_in = UInt32(input.count)
            repeat {
                result.writeWithUnsafeMutableBytes(minimumWritableBytes: 64 << 10) { space in
                    stream.next_out = space.bindMemory(to: UInt8.self).baseAddress
                    stream.avail_out = UInt32(space.count)
                    status = deflate(&stream, isLast ? Z_FINISH : Z_SYNC_FLUSH)
                    return space.count - Int(stream.avail_out)
                }
            } while stream.avail_out == 0
        }
        guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else { throw .damaged }
        return result
    }
}
