/// The reason that a replication failed. It never contains a password, a token or the user part of a URL.
public enum ReplicationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The connection could not be made, or it broke.
    case unreachable(String)
    /// The peer cannot answer now (408, 429, 5xx). It may state after how many seconds to retry.
    case busy(status: Int, retryAfterSeconds: Double?)
    /// The peer rejected the credentials (401).
    case unauthorized(String)
    /// The peer accepted the credentials but denied access (403).
    case forbidden(String)
    /// The database does not exist.
    case noDatabase(String)
    /// A response exceeds the limit of its size; a compressed one is counted decompressed.
    case tooLarge(limitBytes: Int)
    /// The peer, or a proxy before it, refused a request because of its size (413).
    case requestTooLarge
    /// The peer refused the request for another reason.
    case refused(status: Int, error: String, reason: String)
    /// The peer's response violates the protocol.
    case malformed(String)
    /// An attachment's bytes do not match what the peer announced.
    case damagedAttachment(AttachmentReference)
    /// The operation is not supported here.
    case unsupported(String)

    /// Whether a later attempt may succeed.
    public var isPassing: Bool {
        switch self {
        // A response that was cut off may be malformed JSON, and an attachment may be cut off too.
        case .unreachable, .busy, .malformed, .damagedAttachment: true
        case .unauthorized, .forbidden, .noDatabase, .tooLarge, .requestTooLarge, .refused, .unsupported: false
        }
    }

    /// Whether a smaller request may succeed.
    var isOfSize: Bool {
        switch self {
        case .tooLarge, .requestTooLarge: true
        default: false
        }
    }

    /// One sentence without a full stop.
    public var description: String {
        switch self {
        case .unreachable(let reason): "the peer cannot be reached: \(reason)"
        case .busy(let status, _): "the peer is busy (status \(status))"
        case .unauthorized(let reason): "the peer rejected the credentials: \(reason)"
        case .forbidden(let reason): "the peer does not permit this: \(reason)"
        case .noDatabase(let name): "there is no database \(name)"
        case .tooLarge(let limit): "the peer's answer exceeds \(limit) bytes after decompression"
        case .requestTooLarge: "the peer refused a request because of its size (status 413)"
        case .refused(let status, let error, let reason): "the peer says \(status) \(error): \(reason)"
        case .malformed(let what): "the peer does not speak the protocol: \(what)"
        case .damagedAttachment(let reference):
            "attachment \(reference.name) of \(reference.id) does not match its digest or length"
        case .unsupported(let what): "\(what)"
        }
    }
}
