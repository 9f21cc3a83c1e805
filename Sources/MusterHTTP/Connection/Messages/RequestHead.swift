import HTTPTypes
package import NIOHTTP1
import NIOHTTPTypesHTTP1

// How a request's head, as NIO parsed it, becomes an `HTTPRequest`.

/// The request names no host, or more than one.
struct AmbiguousHost: Error {}

extension HTTPRequest {
    /// Converts a head that NIO parsed to the type that Hummingbird uses.
    ///
    /// - Throws: an error for an invalid method, and `AmbiguousHost` for a request with no host or several (RFC 9112,
    ///   section 3.2). HTTP/1.0 requests need no host.
    ///
    /// - Parameter allowsMethodOverride: whether `X-HTTP-Method-Override` replaces POST at a path.
    package init(reading head: HTTPRequestHead, allowsMethodOverride: (String) -> Bool) throws {
        let hosts = head.headers["host"].count
        guard hosts == 1 || (hosts == 0 && head.version == .http1_0) else { throw AmbiguousHost() }
        guard head.uri.utf8.first == UInt8(ascii: "/") else {
            self = try HTTPRequest(head, secure: false, splitCookie: false)
            return
        }
        // Takes the path as it is. The library would parse every path as an absolute URL, as proxies receive it.
        self.init(
            method: try Self.method(of: head, allowsMethodOverride), scheme: "http",
            authority: head.headers.first(name: "host"), path: head.uri,
            headerFields: HTTPFields(head.headers, splitCookie: false))
    }

    /// The method of the request. Where the server allows it, `X-HTTP-Method-Override` replaces POST, because some
    /// clients can only send POST. With any other method the field is ignored.
    private static func method(
        of head: HTTPRequestHead, _ allowsMethodOverride: (String) -> Bool
    ) throws -> Method {
        let sent = try Method(head.method)
        guard sent == .post, let name = head.headers.first(name: "X-HTTP-Method-Override"),
            let meant = overriding.first(where: { $0.rawValue == name }),
            allowsMethodOverride(String(head.uri.prefix { $0 != "?" }))
        else { return sent }
        return meant
    }

    private static let overriding: [Method] = [.get, .put, .delete, .copy]
}
