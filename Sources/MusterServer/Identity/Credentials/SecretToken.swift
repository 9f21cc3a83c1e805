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
        case enrollment = "me_"
    }

    /// The number of characters of a token: the prefix, and 32 bytes in base 64.
    package static let length = 3 + 43

    /// Whether a byte may be in a token.
    package static func isLetter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

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
///
/// Its words are four numbers and no vector of four: a value that is aligned to more than 16 bytes, as a parameter or
/// result of an asynchronous function, can overwrite other memory (seen with Swift 6.3.1).
package struct TokenDigest: Hashable, Sendable {
    private var first: UInt64 = 0
    private var second: UInt64 = 0
    private var third: UInt64 = 0
    private var fourth: UInt64 = 0

    /// The digest of a token's text.
    package init(of text: some StringProtocol) {
        var text = String(text)
        self.init(text.withUTF8 { SHA256.hash(data: UnsafeRawBufferPointer($0)) })
    }

    /// Makes the SHA-256 digest of some bytes.
    package init(bytes: [UInt8]) { self.init(SHA256.hash(data: bytes)) }

    /// Makes a digest from its 32 bytes.
    package init(_ digest: some Sequence<UInt8>) {
        for (index, byte) in digest.prefix(32).enumerated() {
            switch index >> 3 {
            case 0: first = first << 8 | UInt64(byte)
            case 1: second = second << 8 | UInt64(byte)
            case 2: third = third << 8 | UInt64(byte)
            default: fourth = fourth << 8 | UInt64(byte)
            }
        }
    }

    /// The 32 bytes of the digest.
    package var bytes: [UInt8] {
        [first, second, third, fourth].flatMap { word in
            (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(56 - $0 * 8)) }
        }
    }
}
