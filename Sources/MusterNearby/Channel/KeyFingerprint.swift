import MusterCoding

/// The SHA-256 of a public key (its SubjectPublicKeyInfo). It identifies a peer, whatever name the peer gives itself.
public struct KeyFingerprint: Hashable, Sendable, CustomStringConvertible {
    /// The digest's 32 bytes.
    public let bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// Reads 64 hexadecimal digits; nil for anything else.
    public init?(_ text: some StringProtocol) {
        guard text.utf8.count == 64, let bytes = Hexadecimal.decode(text.utf8) else { return nil }
        self.bytes = bytes
    }

    /// Hashes the bytes at once, and not one by one as an array does.
    public func hash(into hasher: inout Hasher) { bytes.withUnsafeBytes { hasher.combine(bytes: $0) } }

    /// 64 hexadecimal digits.
    public var description: String { Self.digits(bytes) }
    /// The first eight digits, to distinguish peers. An attacker can generate a key with the same digits, so they prove
    /// nothing.
    public var short: String { Self.digits(bytes.prefix(4)) }
    /// The first 128 bits as 32 digits in groups of four, for people to compare on both screens.
    public var compared: String {
        stride(from: 0, to: 16, by: 2).map { Self.digits(bytes[$0..<$0 + 2]) }.joined(separator: " ")
    }

    private static func digits(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: bytes.flatMap { [Hexadecimal.digit($0 >> 4), Hexadecimal.digit($0 & 15)] }, as: UTF8.self)
    }
}
