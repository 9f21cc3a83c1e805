import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL

/// The reason why a call received no answer.
package enum CallError: Error, Hashable, Sendable {
    /// The target could not be reached, or the connection broke; with a reason for people.
    case unreachable(String)
    /// The policy forbids an address of the target; with a reason for people.
    case forbidden(String)

    /// The body is longer than the caller wants.
    package static let tooLong = CallError.unreachable("the answer is too long")

    /// The reason, for people.
    package var reason: String {
        switch self {
        case .unreachable(let reason), .forbidden(let reason): reason
        }
    }

    /// Describes an error for people, without the parts of a URL that may be secret.
    package init(_ error: any Error) {
        switch error {
        case let fault as CallError: self = fault
        case let fault as HTTPClientError: self = .unreachable(Self.reason(fault))
        case let error as IOError: self = .unreachable(String(cString: strerror(error.errnoCode)))
        case ChannelError.connectTimeout: self = .unreachable("it did not accept in time")
        case is NIOSSLError, is NIOSSLExtraError:
            self = .unreachable("TLS failed: \(String("\(error)".prefix(160)))")
        case is HTTPParserError: self = .unreachable("it did not speak HTTP")
        case is ChannelError: self = .unreachable("the connection broke off")
        default: self = .unreachable(String("\(error)".prefix(160)))
        }
    }

    private static func reason(_ fault: HTTPClientError) -> String {
        switch fault {
        case .connectTimeout, .tlsHandshakeTimeout: "it did not accept in time"
        case .deadlineExceeded, .readTimeout: "it did not answer in time"
        case .remoteConnectionClosed, .cancelled: "the connection broke off"
        default: fault.shortDescription
        }
    }
}

/// The part of another server's response that this server needs.
package struct CallAnswer: Hashable, Sendable {
    package let status: Int
    /// The seconds that `Retry-After` asks for, whether given in seconds or as a date.
    package let retryAfterSeconds: Double?
    /// The body where the caller gave a limit for it; otherwise its beginning, at most `bodyLimitBytes`.
    package let body: [UInt8]
    /// The fields that a caller who follows redirects, or asks again later, needs.
    package var fields = Fields()

    /// Some header fields of an answer, each nil where it has none.
    package struct Fields: Hashable, Sendable {
        package var location: String?
        package var entityTag: String?
        package var lastModified: String?

        package init() {}
    }

    /// The largest part of a body that an answer holds where the caller gave no limit for it, in bytes.
    package static let bodyLimitBytes = 8 << 10

    package init(status: Int, retryAfterSeconds: Double?, body: [UInt8] = []) {
        self.status = status
        self.retryAfterSeconds = retryAfterSeconds
        self.body = body
    }
}

/// The field `Retry-After` (RFC 9110, section 10.2.3).
enum RetryAfter {
    /// The seconds from now; nil when the text is neither a number nor a date.
    static func seconds(_ text: String) -> Double? { seconds(text, now: Date()) }

    static func seconds(_ text: String, now: Date) -> Double? {
        if let seconds = UInt32(text) { return Double(seconds) }
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.date(from: text).map { max(0, $0.timeIntervalSince(now)) }
    }
}
