/// Why someone was not let in, or a credential not made.
package enum IdentityError: Error, Hashable, Sendable {
    /// The request names nobody.
    case missing
    /// What it shows proves nothing: unknown, wrong, expired, revoked. Which of these is not said.
    case refused
    /// Too many tries; how long to wait.
    case tooManyTries(retryAfterSeconds: Int)
    /// More sign-ins at once than are taken.
    case busy
    /// There are as many of these as there may be.
    case tooMany(limit: Int)
    /// A password that is too short or too long.
    case unusablePassword
    /// There is no such user, device or key (any more).
    case unknown
}
