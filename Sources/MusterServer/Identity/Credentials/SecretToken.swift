import Crypto
import MusterCoding

/// A secret of 32 random bytes, shown once as a text whose prefix names its kind, and stored as its SHA-256.
///
/// 256 random bits need neither salt nor a slow hash, because nobody can guess them.
package struct SecretToken: Sendable {
    /// The kind of a token: its first three characters.
    package enum Kind: String, CaseIterable, Sendable {
        case apiKey = "mk_"
        case device = "md_"
        case refresh = "mr_"
        case code = "mc_"
        case location = "ml_"
        case userPool = "mu_"
        case link = "ms_"
    }

    /// The number of characters of a token: the prefix, and 32 bytes in base 64.
    static let length = 3 + 43

    /// The text that the server shows once.
    package let text: String
    /// The digest that the server stores.
    package var digest: TokenDigest { TokenDigest(of: text) }

    /// Makes a token of 32 random bytes.
    package init(_ kind: Kind) { text = kind.rawValue + Base64.encodeUnpadded(Self.randomBytes(32), .forURLs) }

    /// Returns cryptographically random bytes.
    package static func randomBytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}

/// A SHA-256 digest, stored in a form that is fast to look up.
package struct TokenDigest: Hashable, Sendable {
    private let words: SIMD4<UInt64>

    /// The digest of a token's text.
    package init(of text: some StringProtocol) {
        var text = String(text)
        self.init(text.withUTF8 { SHA256.hash(data: UnsafeRawBufferPointer($0)) })
    }

    /// Makes the SHA-256 digest of some bytes.
    package init(bytes: [UInt8]) { self.init(SHA256.hash(data: bytes)) }

    /// Makes a digest from its 32 bytes.
    package init(_ digest: some Sequence<UInt8>) {
        var words = SIMD4<UInt64>()
        for (index, byte) in digest.prefix(32).enumerated() {
            words[index >> 3] = words[index >> 3] << 8 | UInt64(byte)
        }
        self.words = words
    }

    /// The 32 bytes of the digest.
    package var bytes: [UInt8] {
        (0..<32).map { UInt8(truncatingIfNeeded: words[$0 >> 3] >> UInt64(56 - ($0 & 7) * 8)) }
    }
}
