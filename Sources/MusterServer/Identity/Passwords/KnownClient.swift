import MusterCoding
package import MusterCore

/// The proof that a browser or another client signed in before as a user. With it the client's next sign-in passes the
/// queue that strangers fill, at any address. It grants nothing else: the server still checks the password.
///
/// The server seals it with the key of `secrets.key` and does not store it. It ends with the user's password.
package struct KnownClient: Sendable {
    /// The name of the cookie that holds the proof.
    package static let cookieName = "MusterKnown"
    /// How long a proof is accepted, in seconds: half a year.
    package static let lifetimeSeconds: Double = 180 * 86_400
    private static let purpose = "known client"
    private static let limitBytes = 256

    private let user: UserNumber
    /// Changes whenever the user's password changes.
    private let mark: [UInt8]
    private let expiresAt: Instant

    init(_ user: UserNumber, mark: [UInt8], at now: Instant) {
        self.user = user
        self.mark = mark
        expiresAt = now.advanced(bySeconds: Self.lifetimeSeconds)
    }

    /// Opens a proof; nil for a text that this server did not seal.
    init?(_ text: String, openedBy vault: SecretVault) {
        guard text.utf8.count <= Self.limitBytes, let sealed = Base64.decodeUnpadded(text, .forURLs),
            let bytes = try? vault.open(sealed, for: Self.purpose), bytes.count > 12
        else { return nil }
        func number(_ range: Range<Int>) -> UInt64 { bytes[range].reduce(0) { $0 << 8 | UInt64($1) } }
        user = UserNumber(Int32(truncatingIfNeeded: number(0..<4)))
        expiresAt = Instant(milliseconds: Int64(bitPattern: number(4..<12)))
        mark = Array(bytes[12...])
    }

    /// The proof as the client keeps it.
    func text(sealedBy vault: SecretVault) -> String {
        let number = UInt32(bitPattern: user.rawValue)
        let moment = UInt64(bitPattern: expiresAt.milliseconds)
        let bytes =
            (0..<4).map { UInt8(truncatingIfNeeded: number >> UInt32(24 - 8 * $0)) }
            + (0..<8).map { UInt8(truncatingIfNeeded: moment >> UInt64(56 - 8 * $0)) } + mark
        return Base64.encodeUnpadded(vault.seal(bytes, for: Self.purpose), .forURLs)
    }

    /// Whether the client signed in as this user, whose password is still the one that has the mark.
    func proves(_ user: UserNumber, mark: [UInt8], at now: Instant) -> Bool {
        !mark.isEmpty && self.user == user && now < expiresAt && self.mark.isEqualInConstantTime(to: mark)
    }
}

extension Identity {
    /// Makes the proof for a client that has just signed in as a user.
    ///
    /// - Throws: `CoordinatorError`, `StoreError`.
    package func makeKnownClient(of user: UserNumber) async throws -> String {
        KnownClient(user, mark: try await passwordMark(of: user), at: now()).text(sealedBy: vault)
    }

    /// Whether a client shows a proof that it signed in as this user before. Each user's proofs are accepted ten times
    /// at once and then six times an hour, so that a stolen proof cannot fill the queue.
    ///
    /// - Parameter mark: the mark of the user's password.
    func isKnownClient(_ proof: String?, of user: User?, mark: [UInt8], at now: Instant) -> Bool {
        guard let proof, let user, let known = KnownClient(proof, openedBy: vault),
            known.proves(user.number, mark: mark, at: now)
        else { return false }
        return knownClientRates.spendRequest("\(user.number.rawValue)", at: now) == 0
    }
}
