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
    /// What has come since the last page.
    private var page = SnapshotPage(revisions: [], last: nil, isLast: false)
    private var pageBytes = 0
    private var isDone = false
    /// What ended the stream; told once what came before it was.
    private var fault: (any Error)?

    /// The longest line.
    static let lineLimitBytes = 64 << 20
    /// Revisions of a page at most, and bytes behind which it takes no more, those of attachments too: who stores a
    /// page stores all of it or nothing.
    private static let (pageLimit, pageLimitBytes) = (1_000, 2 << 20)

    init(_ bytes: AttachmentBytes) { pieces = bytes.makeAsyncIterator() }

    /// The next page, up to a mark or as large as it may be; nil behind the end.
    ///
    /// - Throws: `ReplicationError.malformed` for a stream that ends without having said so. What came whole before was
    ///   a page.
    func next() async throws -> SnapshotPage? {
        if isDone { return nil }
        do {
            while fault == nil, try !fill() {
                guard let piece = try await pieces.next() else {
                    throw ReplicationError.malformed("the snapshot was cut off")
                }
                rest += piece
                guard rest.count <= Self.lineLimitBytes else {
                    throw ReplicationError.tooLarge(limitBytes: Self.lineLimitBytes)
                }
            }
        } catch {
            fault = error
        }
        defer { (page, pageBytes) = (SnapshotPage(revisions: [], last: nil, isLast: false), 0) }
        if let fault, page.revisions.isEmpty { throw fault }
        isDone = page.isLast
        return page
    }

    /// Reads the whole lines that have come into the page.
    ///
    /// - Returns: whether it takes no more.
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
                    // A mark has room always: alone it would be a page, and the one that is read ahead.
                    if isFull, !line.starts(with: Self.mark) { break }
                    try Self.read(line, into: &page)
                    pageBytes += end - start + Self.attachmentBytes(of: page.revisions.last)
                    start = end + 1
                }
                return true
            }
        } catch let fault as JSONError {
            throw ReplicationError.malformed("snapshot: \(fault)")
        }
    }

    /// How many bytes the attachments of a revision are said to have, as far as it matters.
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

    /// How a line begins that is no document.
    private static let mark = Array("{\"last_seq\"".utf8)
}
