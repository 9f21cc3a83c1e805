import MusterCoding

/// The 32 random bytes from which a device's range tag is computed. Peers learn only the tag; the server registers a
/// tag only for a client that sends its secret. So a peer that knows a tag cannot register it as its own, not even
/// after the owner withdrew it.
///
/// Only its owner stores a secret. Its printed forms show none of its digits.
public struct RangeSecret: Equatable, Sendable {
    private static let count = 32
    /// The bytes that are hashed before the secret, so that no other digest of the secret equals its tag.
    private static let prefix = Array("muster range tag\0".utf8)

    private let bytes: [UInt8]

    /// Makes a new secret.
    ///
    /// - Parameter generator: a source of cryptographically random numbers, such as `SystemRandomNumberGenerator`.
    public init(using generator: inout some RandomNumberGenerator) {
        bytes = (0..<Self.count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    /// Reads a secret: 64 hexadecimal digits of either case. Nil for any other text.
    public init?(_ text: some StringProtocol) {
        guard text.utf8.count == Self.count * 2, let bytes = Hexadecimal.decode(text.utf8) else { return nil }
        self.bytes = bytes
    }

    /// 64 hexadecimal digits in lower case, for the owner's storage and for the request that registers the tag.
    public var digits: String { bytes.hexadecimal }

    /// Returns the secret's tag: the first 16 bytes of a SHA-256 digest.
    ///
    /// - Parameter digest: computes the SHA-256 of bytes; this module contains no cryptography.
    package func tag(digest: ([UInt8]) -> some Sequence<UInt8>) -> RangeTag {
        guard let tag = RangeTag(bytes: Array(digest(Self.prefix + bytes).prefix(16))) else {
            preconditionFailure("a SHA-256 digest has 32 bytes")
        }
        return tag
    }
}

extension RangeSecret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A description without the digits.
    public var description: String { "a range secret" }
    /// A description without the digits.
    public var debugDescription: String { description }
    /// Shows no members.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
