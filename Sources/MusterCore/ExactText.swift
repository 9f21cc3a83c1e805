/// A text that equals another only byte by byte: to `String`, `é` written as one code point or as two is the same.
///
/// It carries a hash of its bytes (SipHash with a seed of this process), so that looking it up costs next to nothing.
public struct ExactText: Hashable, Sendable {
    /// The text.
    public let text: String
    private let fingerprint: Int

    /// A text.
    ///
    /// - Complexity: O(its bytes).
    public init(_ text: String) {
        self.text = text
        var hasher = Hasher()
        var copy = text
        copy.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        fingerprint = hasher.finalize()
    }

    /// Whether both are the same bytes of UTF-8. Texts that only `String` takes for the same have other bytes, and so
    /// with a probability of 1 − 2⁻⁶⁴ another fingerprint.
    public static func == (one: ExactText, other: ExactText) -> Bool {
        one.fingerprint == other.fingerprint && one.text == other.text
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(fingerprint) }

    /// Calls `body` with the bytes of UTF-8, which are good only while it runs.
    public func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        if let result = text.utf8.withContiguousStorageIfAvailable(body) { return result }
        var copy = text
        return copy.withUTF8(body)
    }
}
