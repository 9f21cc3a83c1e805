import HTTPTypes
package import Hummingbird
import MusterHTTP

extension Request {
    /// The address of the server: the configured one, otherwise the one that the client calls. Tokens name it as their
    /// issuer, and the URLs of links begin with it. A client that states another address gets tokens that a server
    /// which expects the right issuer refuses.
    package func serverAddress(in configuration: Configuration) -> String {
        if let address = configuration.publicURL { return address }
        let isEncrypted = configuration.tls != nil
        let isBehindTLS = headers[.xForwardedProto]?.lowercased() == "https"
        let host = head.authority ?? headers[.host] ?? "localhost"
        return "\(isEncrypted || isBehindTLS ? "https" : "http")://\(host.prefix(253))"
    }
}
