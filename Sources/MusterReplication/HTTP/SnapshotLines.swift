import Foundation
import MusterWire

/// Reads the lines of a snapshot: documents, now and then `{"last_seq":N}`, at the end the same with `"done":true`.
///
/// Its only reader is the stream that it feeds: that protects its state.
final class SnapshotLines: @unchecked Sendable {
    private var pieces: AttachmentBytes.Iterator
    private var rest: [UInt8] = []
    /// The number of its bytes that contain no line feed, so that a long line is not searched again for each piece.
    private var searched = 0
    /// The page that is being filled.
    private var page = SnapshotPage(revisions: [], last: nil, isLast: false)
    private var pageBytes = 0
    private var isDone = false
    /// The error that ended the stream; thrown after the revisions before it were returned.
    private var streamError: (any Error)?

    /// The longest line.
    static let lineLimitBytes = 64 << 20
    /// The largest number of revisions of a page, and the number of bytes, with attachments, after which a page is
    /// full: a page is stored whole or not at all.
    private static let (pageLimit, pageLimitBytes) = (1_000, 2 << 20)

    init(_ bytes: AttachmentBytes) { pieces = bytes.makeAsyncIterator() }

    /// Returns the next page, up to a mark or up to the limits; nil after the last.
    ///
    /// - Throws: `ReplicationError.malformed` for a stream that ends without its last line, after returning the
    ///   revisions before that.
    func next() async throws -> SnapshotPage? {
        if isDone { return nil }
        do {
            while streamError == nil, try !fill() {
                guard let piece = try await pieces.next() else {
                    throw ReplicationError.malformed("the snapshot was cut off")
                }
                rest += piece
                guard rest.count <= Self.lineLimitBytes else {
                    throw ReplicationError.tooLarge(limitBytes: Self.lineLimitBytes)
                }
            }
        } catch {
            streamError = error
        }
        defer { (page, pageBytes) = (SnapshotPage(revisions: [], last: nil, isLast: false), 0) }
        if let streamError, page.revisions.isEmpty { throw streamError }
        isDone = page.isLast
        return page
    }

    /// Parses the complete lines into the page.
    ///
    /// - Returns: whether the page is full.
    private func fill() throws -> Bool {
        var start = 0
        defer {
            rest.removeFirst(start)
            searched = start == 0 ? rest.count : 0
        }
        do {
            return try rest.withUnsafeBytes { bytes in
                while page.last == nil {
                    let isFull = page.revisions.count >= Self.pageLimit || pageBytes >= Self.pageLimitBytes
                    guard let end = Self.lineEnd(in: bytes, from: max(start, searched)) else { return isFull }
                    let line = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
                    // A mark is added to a full page too: alone it would be a page of its own, read ahead of its time.
                    if isFull, !line.starts(with: Self.mark) { break }
                    try Self.read(line, into: &page)
                    pageBytes += end - start + Self.attachmentBytes(of: page.revisions.last)
                    start = end + 1
                }
                return true
            }
        } catch let error as JSONError {
            throw ReplicationError.malformed("snapshot: \(error)")
        }
    }

    /// The announced bytes of a revision's attachments, capped so that the sum cannot overflow.
    private static func attachmentBytes(of revision: ReplicatedRevision?) -> Int {
        revision?.attachments.reduce(0) { min(pageLimitBytes, $0 + Int(clamping: max(0, $1.length))) } ?? 0
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

    /// The beginning of a line that is not a document.
    private static let mark = Array("{\"last_seq\"".utf8)
}
