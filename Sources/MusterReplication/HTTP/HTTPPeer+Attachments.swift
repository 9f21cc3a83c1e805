import Crypto
import MusterCoding
import MusterCore

extension HTTPPeer {
    /// Reads `DOCUMENT/NAME?rev=`. Where the answer says what digest its bytes have, they must have it: what a document
    /// says of that is no use, for CouchDB digests what it compressed.
    ///
    /// An answer that is cut off goes on at that byte (`Range`), as long as every attempt brings some more. One that
    /// begins twice and brings nothing is damaged: so a server ends what it cannot read.
    public func attachment(_ reference: AttachmentReference) async throws -> AttachmentBytes {
        let path =
            PeerAddress.path(ofDocument: reference.id) + "/"
            + reference.name.split(separator: "/", omittingEmptySubsequences: false)
            .map { PercentEncoding.encode($0) }.joined(separator: "/")
        var ask = exchange.ask(.GET, path, query: "rev=\(PercentEncoding.encode(reference.revision.text))")
        ask.accept = "*/*"
        ask.deadlineSeconds = nil
        let response = try await exchange.open(ask, admitting: [404, 500])
        // It went with its revision since that was read, and the next attempt reads what stands there now; or it alone
        // is what the server fails at.
        guard (200..<300).contains(response.status) else { throw ReplicationError.damagedAttachment(reference) }
        // Of what is packed on the way, neither the digest nor the place is that of the bytes that come out.
        if response.header("Content-Encoding") != nil { return PulledBody(response).pieces }
        let md5 = response.header("Content-MD5").flatMap { Base64.decode($0) }
        let (exchange, whole) = (exchange, ask)
        return PulledBody(response, promise: PulledBody.Promise(md5: md5, reference: reference)) { offset in
            var ask = whole
            ask.range = "bytes=\(offset)-"
            let rest = try await exchange.open(ask, admitting: [404, 416, 500])
            if rest.status >= 400 { throw ReplicationError.damagedAttachment(reference) }
            let range = rest.header("Content-Range")
            return rest.status == 206 && range?.hasPrefix("bytes \(offset)-") == true ? rest : nil
        }.pieces
    }
}

/// The body of an answer, read by one reader. The stream that it feeds asks for one piece after the other, and nobody
/// else has it: that is what protects its state.
final class PulledBody: @unchecked Sendable {
    private var response: HTTPTransportResponse
    private var digest = Insecure.MD5()
    private let promise: Promise?
    private let rest: @Sendable (_ offset: Int) async throws -> HTTPTransportResponse?
    /// How many bytes came.
    private var offset = 0
    /// How many had come when the answer that is read was begun.
    private var start = 0
    /// How many answers in a row began and brought nothing.
    private var barren = 0

    /// What the bytes must be.
    struct Promise: Sendable {
        /// Nil where that was not said.
        var md5: [UInt8]?
        /// What is damaged where they are not.
        var reference: AttachmentReference
    }

    /// - Parameters:
    ///   - promise: what the bytes must be; nil for any.
    ///   - rest: asks for what is behind so many bytes; nil where that cannot be had.
    init(
        _ response: HTTPTransportResponse, promise: Promise? = nil,
        rest: @escaping @Sendable (_ offset: Int) async throws -> HTTPTransportResponse? = { _ in nil }
    ) {
        self.response = response
        self.promise = promise
        self.rest = rest
    }

    /// The body, piece by piece as it is asked for.
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
