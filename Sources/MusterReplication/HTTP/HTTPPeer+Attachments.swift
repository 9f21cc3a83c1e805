import Crypto
import MusterCoding
import MusterCore

/// Reads attachments from a peer over HTTP.
extension HTTPPeer {
    /// Reads `DOCUMENT/NAME?rev=`. If the response states a digest, the bytes must have it. The digest in the document
    /// cannot be used, because CouchDB's is that of the compressed form.
    ///
    /// A response that is cut off is continued at that byte (`Range`), as long as each attempt brings more bytes. After
    /// two attempts without a byte the attachment counts as damaged, because a server ends the response so if it cannot
    /// read its disk.
    public func attachment(_ reference: AttachmentReference) async throws -> AttachmentBytes {
        let path =
            DatabaseAddress.path(ofDocument: reference.id) + "/"
            + reference.name.split(separator: "/", omittingEmptySubsequences: false)
            .map { PercentEncoding.encode($0) }.joined(separator: "/")
        var request = exchange.makeRequest(.GET, path, query: "rev=\(PercentEncoding.encode(reference.revision.text))")
        request.accept = "*/*"
        request.deadlineSeconds = nil
        let response = try await exchange.open(request, admitting: [404, 500])
        // The revision was replaced since it was read, and the next attempt reads its successor; or the server fails at
        // this attachment alone.
        guard (200..<300).contains(response.status) else { throw ReplicationError.damagedAttachment(reference) }
        // The digest and the offsets of a compressed response are not those of the decompressed bytes.
        if response.header("Content-Encoding") != nil { return PulledBody(response).pieces }
        let md5 = response.header("Content-MD5").flatMap { Base64.decode($0) }
        let (exchange, whole) = (exchange, request)
        return PulledBody(response, promise: PulledBody.Promise(md5: md5, reference: reference)) { offset in
            var request = whole
            request.range = "bytes=\(offset)-"
            let rest = try await exchange.open(request, admitting: [404, 416, 500])
            if rest.status >= 400 { throw ReplicationError.damagedAttachment(reference) }
            let range = rest.header("Content-Range")
            return rest.status == 206 && range?.hasPrefix("bytes \(offset)-") == true ? rest : nil
        }.pieces
    }
}

/// The body of a response. Its only reader is the stream that it feeds, which requests one piece after the other: that
/// protects its state.
final class PulledBody: @unchecked Sendable {
    private var response: HTTPTransportResponse
    private var digest = Insecure.MD5()
    private let promise: Promise?
    private let rest: @Sendable (_ offset: Int) async throws -> HTTPTransportResponse?
    /// The number of bytes that arrived.
    private var offset = 0
    /// The number of bytes that had arrived when the present response began.
    private var start = 0
    /// The number of consecutive responses without a byte.
    private var barren = 0

    /// The digest that the response announced, and the attachment that it belongs to.
    struct Promise: Sendable {
        /// The MD5 digest; nil if the response states none.
        var md5: [UInt8]?
        /// The attachment that is damaged if the digest of the bytes differs.
        var reference: AttachmentReference
    }

    /// - Parameters:
    ///   - promise: the announced digest and the attachment; nil for a body that is neither verified nor continued.
    ///   - rest: requests the bytes from an offset; returns nil if the server cannot send a part.
    init(
        _ response: HTTPTransportResponse, promise: Promise? = nil,
        rest: @escaping @Sendable (_ offset: Int) async throws -> HTTPTransportResponse? = { _ in nil }
    ) {
        self.response = response
        self.promise = promise
        self.rest = rest
    }

    /// The body in pieces, each read on demand.
    var pieces: AttachmentBytes { AttachmentBytes { try await self.next() } }

    private func next() async throws -> [UInt8]? {
        while true {
            do {
                guard let piece = try await response.nextPiece() else { break }
                offset += piece.count
                if promise?.md5 != nil { digest.update(data: piece) }
                return piece
            } catch {
                guard case ReplicationError.unreachable = error, let promise else { throw error }
                barren = offset > start ? 0 : barren + 1
                if barren > 1 { throw ReplicationError.damagedAttachment(promise.reference) }
                guard let response = try await rest(offset) else { throw error }
                self.response = response
                start = offset
            }
        }
        if let promise, let md5 = promise.md5, Array(digest.finalize()) != md5 {
            throw ReplicationError.damagedAttachment(promise.reference)
        }
        return nil
    }
}
