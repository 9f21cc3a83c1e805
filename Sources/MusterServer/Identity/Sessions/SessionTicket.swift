import MusterCoding

/// The content of a refresh token: the name of a session, and the secret that proves it. A session of the native API
/// and one of the user pool differ only in the kind of token, so that neither can be used as the other.
struct SessionTicket {
    let name: [UInt8]
    let secret: [UInt8]

    private static let nameBytes = 16
    private static let secretBytes = 32

    /// Makes the ticket of a new session.
    init() { self.init(continuing: SecretToken.randomBytes(Self.nameBytes)) }

    /// Makes the next ticket of a session.
    init(continuing name: [UInt8]) {
        self.name = name
        secret = SecretToken.randomBytes(Self.secretBytes)
    }

    /// Reads a refresh token; nil for any text that is not a refresh token of this kind.
    init?(_ refreshToken: String, of kind: SecretToken.Kind) {
        guard refreshToken.hasPrefix(kind.rawValue), refreshToken.utf8.count < 100,
            let bytes = Base64.decodeUnpadded(refreshToken.dropFirst(kind.rawValue.count), .forURLs),
            bytes.count == Self.nameBytes + Self.secretBytes
        else { return nil }
        name = Array(bytes.prefix(Self.nameBytes))
        secret = Array(bytes.suffix(Self.secretBytes))
    }

    func refreshToken(of kind: SecretToken.Kind) -> String {
        kind.rawValue + Base64.encodeUnpadded(name + secret, .forURLs)
    }

    var secretDigest: [UInt8] { TokenDigest(bytes: secret).bytes }
}
