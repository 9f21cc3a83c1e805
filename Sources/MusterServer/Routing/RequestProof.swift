package import HTTPTypes
package import Hummingbird

/// The proof in a request of who sends it. A response that stays open, such as a feed, verifies the proof again before
/// it sends anything.
package protocol RequestProof: Sendable {
    /// Whether browsers send the proof by themselves, as they do with cookies. Where a route admits anyone, an invalid
    /// proof of this kind counts as none: otherwise a person with an expired cookie could neither sign in nor sign out.
    var isSentByBrowsers: Bool { get }

    /// Verifies the proof against the credentials and the directory as they are now.
    ///
    /// - Parameter isOpening: whether a request begins; false to continue a response that began while the proof was
    ///   valid.
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
    /// The address that the request came from. The server slows down guessing by address.
    let address: String
    /// Whether the proof may be a key that opens one location database. The route's handler must then check the
    /// principal's proof.
    let admitsLocationKeys: Bool

    package init(_ authorization: String, from address: String, admitsLocationKeys: Bool = false) {
        self.authorization = authorization
        self.address = address
        self.admitsLocationKeys = admitsLocationKeys
    }

    package func verify(by identity: Identity, atOpening isOpening: Bool) async throws -> Principal {
        try await identity.authenticate(authorization, from: address, admitsLocationKeys: admitsLocationKeys)
    }
}

/// How requests of one protocol prove who sends them, and how errors are sent to its clients.
package protocol RouteProtocol: Sendable {
    /// Returns the proof in a request; nil when there is none.
    ///
    /// An implementation that reads the body, to verify a signature, must leave it in the request for the handler.
    func proof(in request: inout Request, _ context: AppRequestContext) async throws -> (any RequestProof)?

    /// The header fields, besides `Authorization`, that proofs of this protocol are in. Pages at other origins that may
    /// send credentials may send these.
    var proofFields: [HTTPField.Name] { get }

    /// The answer to an error of the authorizer or of the handler; nil to answer with a problem (RFC 9457).
    func response(to error: any Error, _ context: AppRequestContext) -> Response?
}

extension RouteProtocol {
    package var proofFields: [HTTPField.Name] { [] }
}

/// Credentials in the `Authorization` header, and errors as problems.
package struct StandardProtocol: RouteProtocol {
    let admitsLocationKeys: Bool

    /// - Parameter admitsLocationKeys: whether to accept keys that open one location database.
    package init(admitsLocationKeys: Bool = false) { self.admitsLocationKeys = admitsLocationKeys }

    package func proof(in request: inout Request, _ context: AppRequestContext) -> (any RequestProof)? {
        request.headers[.authorization].map {
            HeaderProof($0, from: context.remoteAddress, admitsLocationKeys: admitsLocationKeys)
        }
    }

    package func response(to error: any Error, _ context: AppRequestContext) -> Response? { nil }
}

/// An authenticated principal whose role, or device token, the route does not admit.
package struct RoleRefusal: Error {
    package let principal: Principal
}
