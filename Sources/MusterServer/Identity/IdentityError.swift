/// Why a request was not authenticated, or a credential not made.
package enum IdentityError: Error, Hashable, Sendable {
    /// The request has no credential.
    case missing
    /// The credential is unknown, wrong, expired or revoked. The error does not say which.
    case refused
    /// The client has made too many attempts, and must wait that long.
    case tooManyTries(retryAfterSeconds: Int)
    /// Too many sign-ins wait at once.
    case busy
    /// The limit for this kind of credential is reached. `kind` says of what and whose: "keys of mia".
    case tooMany(_ kind: String, limit: Int)
    /// The password is too short or too long.
    case unusablePassword
    /// The user, device or key does not exist, or not any more.
    case unknown

    /// Whether the credential is no longer valid. Any other error means that the server could not verify it now.
    package var endsCredential: Bool { self == .refused || self == .missing }
}
