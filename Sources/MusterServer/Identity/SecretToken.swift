import Crypto

/// A secret made of 32 random bytes, shown once as a text with a telling prefix and stored as its SHA-256.
///
/// 256 random bits need no salt and no slow hash: nobody guesses them.
struct SecretToken: Sendable {
    /// What a token is for, by its first three characters.
    enum Kind: String, CaseIterable, Sendable {
        case apiKey = "mk_"
        case device = "md_"
        case refresh = "mr_"
        case code = "mc_"
        case location = "ml_"
    }

    /// What is shown.
    let text: String
    /// What is stored.
    var digest: TokenDigest { TokenDigest(of: text) }

    /// A fresh one.
    init(_ kind: Kind) { text = kind.rawValue + UnpaddedBase64.encode(Self.randomBytes(32), .forURLs) }

    /// Bytes that nobody can foresee.
    static func randomBytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}

/// A SHA-256, in the form that looks up fastest.
struct TokenDigest: Hashable, Sendable {
    private let words: SIMD4<UInt64>

    /// The digest of a token's text.
    init(of text: some StringProtocol) {
        var text = String(text)
        self.init(text.withUTF8 { SHA256.hash(data: UnsafeRawBufferPointer($0)) })
    }

    /// The digest of some bytes.
    init(bytes: [UInt8]) { self.init(SHA256.hash(data: bytes)) }

    /// The digest that 32 bytes are.
    init(_ digest: some Sequence<UInt8>) {
        var words = SIMD4<UInt64>()
        for (index, byte) in digest.prefix(32).enumerated() {
            words[index >> 3] = words[index >> 3] << 8 | UInt64(byte)
        }
        self.words = words
    }

    /// Its 32 bytes.
    var bytes: [UInt8] {
        (0..<32).map { UInt8(truncatingIfNeeded: words[$0 >> 3] >> UInt64(56 - ($0 & 7) * 8)) }
    }
}
