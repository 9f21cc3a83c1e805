import MusterCoding

/// The number by which devices that measure distances to a device name it to the server. It is computed from a
/// `RangeSecret`, with which the owner registers the tag at the server; the device sends the tag to those with whom it
/// ranges. So the tag stands for its owner's consent. A device without the secret learns nothing from a tag.
public struct RangeTag: Hashable, Sendable {
    /// The first 8 bytes, big-endian.
    public let high: UInt64
    /// The last 8 bytes, big-endian.
    public let low: UInt64

    /// Creates a tag from its two halves.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Reads a tag: 32 hexadecimal digits of either case. Nil for any other text.
    public init?(_ text: some StringProtocol) {
        guard let bytes = Hexadecimal.decode(text.utf8) else { return nil }
        self.init(bytes: bytes)
    }

    /// Creates a tag from its 16 bytes; nil for any other number of bytes.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        self.init(
            high: bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) },
            low: bytes.dropFirst(8).reduce(0) { $0 << 8 | UInt64($1) })
    }

    /// The tag's 16 bytes.
    public var bytes: [UInt8] {
        [high, low].flatMap { half in (0..<8).map { UInt8(truncatingIfNeeded: half >> (56 - 8 * $0)) } }
    }
}

extension RangeTag: CustomStringConvertible {
    /// 32 hexadecimal digits in lower case.
    public var description: String {
        var digits: [UInt8] = []
        digits.append(hexadecimal: high)
        digits.append(hexadecimal: low)
        return String(decoding: digits, as: UTF8.self)
    }
}
