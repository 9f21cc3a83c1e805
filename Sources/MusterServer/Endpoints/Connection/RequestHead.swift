import HTTPTypes
import NIOHTTP1
import NIOHTTPTypesHTTP1

/// A request names no host, or more than one.
struct AmbiguousHost: Error {}

extension HTTPRequest {
    /// What NIO read, in the types that Hummingbird answers.
    ///
    /// - Throws: for a method that is no token, and where it is not said, or said twice, which host is meant (RFC 9112,
    ///   section 3.2). HTTP/1.0 knows no host.
    init(reading head: HTTPRequestHead) throws {
        let hosts = head.headers["host"].count
        guard hosts == 1 || (hosts == 0 && head.version == .http1_0) else { throw AmbiguousHost() }
        guard head.uri.utf8.first == UInt8(ascii: "/") else {
            self = try HTTPRequest(head, secure: false, splitCookie: false)
            return
        }
        // A path as it is. The library's way would parse every one as the URL that proxies are sent.
        self.init(
            method: try Self.method(of: head), scheme: "http", authority: head.headers.first(name: "host"),
            path: head.uri, headerFields: HTTPFields(head.headers, splitCookie: false))
    }

    /// The method that is meant: what `X-HTTP-Method-Override` says, where a CouchDB client that can only send POST
    /// asks for one of CouchDB's paths. Beside any other method the field says nothing.
    private static func method(of head: HTTPRequestHead) throws -> Method {
        let sent = try Method(head.method)
        guard sent == .post, let name = head.headers.first(name: "X-HTTP-Method-Override"),
            let meant = overriding.first(where: { $0.rawValue == name }),
            ReservedPaths.isCouchDB(String(head.uri.prefix { $0 != "?" }))
        else { return sent }
        return meant
    }

    private static let overriding: [Method] = [.get, .put, .delete, .copy]
}
