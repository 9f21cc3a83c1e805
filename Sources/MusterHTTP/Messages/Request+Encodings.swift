import HTTPTypes
package import Hummingbird

extension Request {
    /// Whether the client accepts this content encoding (RFC 9110, section 12.5.3).
    package func accepts(_ encoding: String) -> Bool {
        (headers[.acceptEncoding] ?? "").split(separator: ",").contains { offer in
            let parts = offer.split(separator: ";").map { $0.filter { $0 != " " }.lowercased() }
            return parts.first == encoding
                && !parts.dropFirst().contains { $0.hasPrefix("q=") && Double($0.dropFirst(2)) == 0 }
        }
    }
}
