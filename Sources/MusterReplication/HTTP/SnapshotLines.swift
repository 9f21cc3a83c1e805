import Foundation
import MusterCore
import MusterWire

/// Reads the lines of a snapshot: documents, now and then `{"last_seq":N}`, at the end the same with `"done":true`.
///
/// Asked by one reader, the stream that it feeds: that is what protects its state.
final class SnapshotLines: @unchecked Sendable {
    private var pieces: AttachmentBytes.Iterator
    private var rest: [UInt8] = []
    /// How many bytes of it hold no end of a line, so that a long one is not looked through again and again.
    private var searched = 0
    private var isDone = false

    /// The longest line.
    static let lineLimitBytes = 64 << 20
    /// Revisions of a page at most.
    static let pageLimit = 1_000

    init(_ bytes: AttachmentBytes) { pieces = bytes.makeAsyncIterator() }

    /// The next page; nil behind the end.
    ///
    /// - Throws: `ReplicationFault.malformed` for a stream that ends without having said so.
    func next() async throws -> SnapshotPage? {
        if isDone { return nil }
        while true {
            if let page = try page() { return page }
            guard let piece = try await pieces.next() else {
                throw ReplicationFault.malformed("the snapshot was cut off")
            }
            rest += piece
            guard rest.count <= Self.lineLimitBytes else {
                throw ReplicationFault.tooLarge(limitBytes: Self.lineLimitBytes)
            }
        }
    }

    /// All whole lines that have come, up to a mark; nil when there are none.
    private func page() throws -> SnapshotPage? {
        var page = SnapshotPage(revisions: [], last: nil, isLast: false)
        var start = 0
        do {
            try rest.withUnsafeBytes { bytes in
                while page.last == nil, page.revisions.count < Self.pageLimit,
                    let end = Self.lineEnd(in: bytes, from: max(start, searched))
                {
                    try Self.read(UnsafeRawBufferPointer(rebasing: bytes[start..<end]), into: &page)
                    start = end + 1
                }
            }
        } catch let fault as JSONFault {
            throw ReplicationFault.malformed("snapshot: \(fault)")
        }
        rest.removeFirst(start)
        searched = start == 0 ? rest.count : 0
        isDone = page.isLast
        return page.revisions.isEmpty && page.last == nil ? nil : page
    }

    private static func lineEnd(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard start < bytes.count, let base = bytes.baseAddress,
            let found = memchr(base + start, Int32(UInt8(ascii: "\n")), bytes.count - start)
        else { return nil }
        return UnsafeRawPointer(found) - base
    }

    private static func read(_ line: UnsafeRawBufferPointer, into page: inout SnapshotPage) throws {
        var reader = JSONReader(line, depthLimit: DocumentText.depthLimit)
        if line.starts(with: Self.mark) {
            let value = try reader.tree()
            page.last = value["last_seq"].map { PeerSequence($0) }
            page.isLast = value["done"]?.boolean ?? false
            return
        }
        if let revision = try DocumentText.readOne(of: &reader) { page.revisions.append(revision) }
        try reader.finish()
    }

    /// How a line begins that is no document.
    private static let mark = Array("{\"last_seq\"".utf8)
}
