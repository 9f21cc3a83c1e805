import HTTPTypes
package import Hummingbird
import MusterHTTP

/// What a request shows to prove who sends it. Whatever stays open, such as a feed, verifies it again before it sends
/// anything.
package protocol RequestProof: Sendable {
    /// Whether browsers send it without being asked, as they do with cookies. Where nobody has to prove anything, one
    /// that is no longer good counts as none: a person could otherwise neither sign in nor sign out.
    var isSentByBrowsers: Bool { get }

    /// Verifies the proof against the credentials and the directory of this moment.
    ///
    /// - Parameter isOpening: whether a request begins; false to continue what began while the proof was valid.
    /// - Throws: `IdentityError`, or an error of the protocol; `CoordinatorError` and `StoreError` when the store
    ///   cannot answer now.
    func verify(by identity: Identity, atOpening isOpening: Bool) async throws -> Principal
}

extension RequestProof {
    package var isSentByBrowsers: Bool { false }
}

/// The value of an `Authorization` header: a password, a token or a key.
package struct HeaderProof: RequestProof {
    let authorization: String
    /// The address that the request came from, to slow down guessing.
    let address: String
    /// Whether a key that opens one location database counts. The route's handler then looks at the principal's proof.
    let admitsLocationKeys: Bool

    /// Makes a proof of a header's value.
    package init(_ authorization: String, from address: String, admitsLocationKeys: Bool = false) {
        self.authorization = authorization
        self.address = address
        self.admitsLocationKeys = admitsLocationKeys
    }

    package func verify(by identity: Identity, atOpening isOpening: Bool) async throws -> Principal {
        try await identity.authenticate(authorization, from: address, admitsLocationKeys: admitsLocationKeys)
    }
}

/// How the requests of one protocol prove who sends them, and how its clients are told of errors.
package protocol RouteProtocol: Sendable {
    /// Returns what a request shows; nil when it shows nothing.
    ///
    /// A signature covers the body: who reads it here leaves it in the request for the handler.
    func proof(in request: inout Request, _ context: AppRequestContext) async throws -> (any RequestProof)?

    /// The answer to an error, of the authorizer or of the handler; nil to have it answered as a problem (RFC 9457).
    func response(to error: any Error, _ context: AppRequestContext) -> Response?
}

/// Credentials in the `Authorization` header, and errors as problems.
package struct StandardProtocol: RouteProtocol {
    let admitsLocationKeys: Bool

    /// - Parameter admitsLocationKeys: whether keys that open one location database count.
    package init(admitsLocationKeys: Bool = false) { self.admitsLocationKeys = admitsLocationKeys }

    package func proof(in request: inout Request, _ context: AppRequestContext) -> (any RequestProof)? {
        request.headers[.authorization].map {
            HeaderProof($0, from: context.remoteAddress, admitsLocationKeys: admitsLocationKeys)
        }
    }

    package func response(to error: any Error, _ context: AppRequestContext) -> Response? { nil }
}

/// The route does not admit the sender's role.
package struct RoleRefusal: Error {
    /// Who sent the request.
    package let principal: Principal
}
