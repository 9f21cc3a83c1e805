import HTTPTypes
import NIOHTTP1
import NIOHTTPTypesHTTP1

extension HTTPRequest {
    /// What NIO read, in the types that Hummingbird answers.
    ///
    /// - Throws: for a method that is no token.
    init(reading head: HTTPRequestHead) throws {
        guard head.uri.utf8.first == UInt8(ascii: "/") else {
            self = try HTTPRequest(head, secure: false, splitCookie: false)
            return
        }
        // A path as it is. The library's way would parse every one as the URL that proxies are sent.
        self.init(
            method: try Method(head.method), scheme: "http", authority: head.headers.first(name: "host"),
            path: head.uri, headerFields: HTTPFields(head.headers, splitCookie: false))
    }
}
