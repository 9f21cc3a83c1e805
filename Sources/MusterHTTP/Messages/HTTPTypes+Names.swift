package import HTTPTypes

/// Names of methods and header fields that HTTPTypes lacks.
extension HTTPRequest.Method {
    /// WebDAV's method, which CouchDB has, too (RFC 4918, section 9.8).
    package static let copy = HTTPRequest.Method("COPY")!
}

extension HTTPField.Name {
    /// `Host` (RFC 9110, section 7.2).
    package static let host = HTTPField.Name("Host")!
    /// The `Last-Event-ID` field of the HTML standard: the id of the last event that a browser has received.
    package static let lastEventID = HTTPField.Name("Last-Event-ID")!
    /// The scheme that the client used to reach the proxy. The server only uses it in answers to that client.
    package static let xForwardedProto = HTTPField.Name("X-Forwarded-Proto")!
}
