import Crypto
import HTTPTypes
import Hummingbird
import MusterCoding
import MusterCore
import MusterHTTP
import MusterServer
import MusterWire
import NIOCore
import Synchronization

/// What a link showed at one moment.
struct SharedAnswer: Sendable {
    /// Changes with what the answer shows, but not with the time at which it was made.
    let tag: String
    let plain: ByteBuffer
    /// The compressed answer, where that is smaller; made when it is first asked for.
    let packed: FirstUse<ByteBuffer?>

    /// Makes an answer whose every byte counts for its tag.
    init(_ bytes: [UInt8]) {
        tag = Self.tag(of: bytes)
        plain = ByteBuffer(bytes: bytes)
        packed = Self.packed(plain)
    }

    init(_ content: SharedContent, of link: Link, at now: Instant) {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("kind", link.kind.rawValue)
        writer.member("expiresTime", link.expiresAt)
        writer.members(of: content)
        // The tag is a digest of what is written so far.
        tag = Self.tag(of: writer.bytes)
        writer.member("asOf", now)
        writer.member("serverTime", now)
        writer.endObject()
        plain = ByteBuffer(bytes: writer.bytes)
        packed = Self.packed(plain)
    }

    private static func tag(of bytes: [UInt8]) -> String {
        "W/\"" + Base64.encodeUnpadded(Array(SHA256.hash(data: bytes)).prefix(15), .forURLs) + "\""
    }

    private static func packed(_ plain: ByteBuffer) -> FirstUse<ByteBuffer?> {
        FirstUse { plain.readableBytes < 1024 ? nil : Gzip.pack(plain) }
    }

    /// The response to a request: 304 where the request names this answer.
    func response(to request: Request, as type: String) -> Response {
        if request.headers[.ifNoneMatch]?.contains(tag) == true {
            return Response(status: .notModified, headers: [.eTag: tag])
        }
        var headers: HTTPFields = [.contentType: type, .eTag: tag, .vary: "Accept-Encoding"]
        var body = plain
        if request.accepts("gzip"), let packed = packed.value {
            body = packed
            headers[.contentEncoding] = "gzip"
        }
        headers[.contentLength] = "\(body.readableBytes)"
        return Response(status: .ok, headers: headers, body: .init(byteBuffer: body))
    }
}

/// The answers to links, each rendered at most once a second, or once for all viewers where nothing changes.
///
/// Viewers who ask while an answer is rendered wait for that one. The answers are bounded in number and bytes.
final class SharedAnswers: Sendable {
    private struct Entry {
        let rendering: Task<SharedAnswer, any Error>
        let sequence: LogSequence
        let startedAt: ContinuousClock.Instant
        var bytes = 0
    }

    private let entries = Mutex<[String: Entry]>([:])

    /// How long an answer is used while the log grows, and while it does not. An answer expires even then, because it
    /// says when the server last heard from a device, which the log does not record.
    private static let lifetime: Duration = .seconds(1)
    private static let unchangedLifetime: Duration = .seconds(10)
    private static let countLimit = 2_000
    private static let bytesLimit = 64 << 20

    /// Returns the answer to a link.
    ///
    /// - Parameters:
    ///   - sequence: the newest change of the log.
    ///   - render: renders the answer.
    /// - Throws: the errors of `render`; they are not kept.
    func answer(
        to link: Link, at sequence: LogSequence, _ render: @escaping @Sendable () async throws -> SharedAnswer
    ) async throws -> SharedAnswer {
        let now = ContinuousClock.now
        let (rendering, isNew) = entries.withLock { entries -> (Task<SharedAnswer, any Error>, Bool) in
            if let entry = entries[link.id] {
                let lifetime = entry.sequence == sequence ? Self.unchangedLifetime : Self.lifetime
                if now - entry.startedAt < lifetime { return (entry.rendering, false) }
            }
            Self.makeRoom(in: &entries, at: now)
            // Detached, because this request may be cancelled while others wait for the same answer.
            let rendering = Task.detached { try await render() }
            entries[link.id] = Entry(rendering: rendering, sequence: sequence, startedAt: now)
            return (rendering, true)
        }
        do {
            let answer = try await rendering.value
            if isNew { entries.withLock { $0[link.id]?.bytes = answer.plain.readableBytes } }
            return answer
        } catch {
            entries.withLock { entries in
                if entries[link.id]?.rendering == rendering { entries[link.id] = nil }
            }
            throw error
        }
    }

    /// Drops expired answers and, where that is not enough, all of them. A dropped answer costs one rendering when it
    /// is requested again.
    private static func makeRoom(in entries: inout [String: Entry], at now: ContinuousClock.Instant) {
        guard entries.count >= countLimit || entries.values.reduce(0, { $0 + $1.bytes }) > bytesLimit else { return }
        entries = entries.filter { now - $0.value.startedAt < unchangedLifetime }
        if entries.count >= countLimit || entries.values.reduce(0, { $0 + $1.bytes }) > bytesLimit {
            entries.removeAll()
        }
    }
}
