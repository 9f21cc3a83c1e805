import Foundation
import HTTPTypes
import Hummingbird
import NIOHTTP1
import NIOHTTPTypesHTTP1
import Synchronization

/// The head of a response on the wire, and how its body ends (RFC 9112, section 6).
struct ResponseHead {
    /// The properties of a request that its response depends on.
    struct Question: Sendable {
        var isHead: Bool
        var isKeepAlive: Bool
        /// Whether the request is HTTP/1.1, which supports chunks.
        var isCurrent: Bool

        init(_ request: HTTPRequestHead) {
            isHead = request.method == .HEAD
            isCurrent = request.version == .http1_1
            // The parser reads nothing after a request to change the protocol. And a proxy that does not support chunks
            // may see another end of the body than this server (RFC 9112, section 6.1).
            isKeepAlive =
                request.isKeepAlive && request.method != .CONNECT && !request.headers.contains(name: "upgrade")
                && (isCurrent || !request.headers.contains(name: "transfer-encoding"))
        }
    }

    private(set) var onWire: HTTPResponseHead
    /// Whether the connection ends with the response.
    private(set) var isLast: Bool
    /// Whether the handler closes the connection with the response. Then the server reads little more of the request.
    let isRefusal: Bool

    init(_ response: HTTPResponse, to question: Question) {
        var response = response
        response.headerFields[.date] = HTTPDate.now
        response.headerFields[.server] = "muster"
        isRefusal = response.headerFields[.connection]?.lowercased() == "close"
        var isLast = !question.isKeepAlive || isRefusal
        if !question.isHead, response.mayHaveBody, response.headerFields[.contentLength] == nil {
            if question.isCurrent {
                response.headerFields[.transferEncoding] = "chunked"
            } else {
                // The end of the connection is the end of the body.
                isLast = true
            }
        }
        if isLast {
            response.headerFields[.connection] = "close"
        } else if !question.isCurrent {
            response.headerFields[.connection] = "keep-alive"
        }
        onWire = HTTPResponseHead(response)
        self.isLast = isLast
    }

    /// Whether it states the length of the body.
    var statesLength: Bool { onWire.headers.contains(name: "content-length") }

    /// Makes the connection end with the response.
    mutating func makeLast() {
        onWire.headers.replaceOrAdd(name: "connection", value: "close")
        isLast = true
    }
}

extension HTTPResponse {
    fileprivate var mayHaveBody: Bool {
        status.kind != .informational && status != .noContent && status != .notModified
    }
}

/// The current time in HTTP's format (RFC 9110, section 5.6.7), formatted once a second.
private enum HTTPDate {
    private static let latest = Mutex((second: -1, text: ""))

    static var now: String {
        let second = time(nil)
        return latest.withLock { latest in
            if latest.second != second { latest = (second, text(of: second)) }
            return latest.text
        }
    }

    private static func text(of second: time_t) -> String {
        var second = second
        var parts = tm()
        gmtime_r(&second, &parts)
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        return "\(days[Int(parts.tm_wday)]), \(two(parts.tm_mday)) \(months[Int(parts.tm_mon)]) \(parts.tm_year + 1900)"
            + " \(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) GMT"
    }
}
