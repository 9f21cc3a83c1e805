import MusterCore

/// What a session's credential stores: the digest of its newest secret, the mark of the password at sign-in, and, after
/// the first refresh, the digest of the secret that was exchanged for the newest one.
///
/// The answer to a refresh may be lost on its way, and then the client has only the exchanged secret. So the server
/// admits that secret until a client shows the newest one. Theft still comes to light: once one of two clients has
/// refreshed and shown its new secret, the other client's secret is neither the newest nor the one exchanged for it
/// (https://www.rfc-editor.org/rfc/rfc9700#section-4.14.2).
struct SessionSecret {
    /// The digest of the newest secret, 32 bytes.
    let newest: [UInt8]
    /// The mark of the password, 32 bytes; empty for a user without one.
    let passwordMark: [UInt8]
    /// The digest of the secret that was exchanged for the newest one; nil before the first refresh.
    let exchanged: [UInt8]?

    private static let digestLength = 32
    /// The byte before the exchanged secret. It makes the stored length odd, which tells that there is such a secret.
    private static let separator: UInt8 = 1

    init(newest: [UInt8], passwordMark: [UInt8], exchanged: [UInt8]?) {
        self.newest = newest
        self.passwordMark = passwordMark
        self.exchanged = exchanged
    }

    /// Reads what a credential stores. Earlier versions stored no exchanged secret.
    init(stored: [UInt8]) {
        var rest = stored[...]
        exchanged = rest.count.isMultiple(of: 2) ? nil : Array(rest.suffix(Self.digestLength))
        if exchanged != nil { rest = rest.dropLast(Self.digestLength + 1) }
        newest = Array(rest.prefix(Self.digestLength))
        passwordMark = Array(rest.dropFirst(Self.digestLength))
    }

    /// The bytes that the credential stores.
    var bytes: [UInt8] { newest + passwordMark + (exchanged.map { [Self.separator] + $0 } ?? []) }

    /// Whether a client may refresh with the secret of this digest, while the user's password has this mark.
    func admits(_ digest: [UInt8], passwordMark mark: [UInt8]) -> Bool {
        let isNewest = newest.isEqualInConstantTime(to: digest)
        let isExchanged = exchanged?.isEqualInConstantTime(to: digest) ?? false
        return (isNewest || isExchanged) && passwordMark.isEqualInConstantTime(to: mark)
    }
}
