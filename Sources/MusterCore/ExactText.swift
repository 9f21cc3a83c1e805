/// A text that compares by its UTF-8 bytes. `String` instead treats `é` as equal whether it is one code point or two.
///
/// It stores a hash of its bytes (SipHash with a per-process seed), so that a look-up does not hash them again.
public struct ExactText: Hashable, Sendable {
    /// The text as it came, not normalized.
    public let text: String
    private let fingerprint: Int

    /// Creates a text, and hashes its bytes.
    ///
    /// - Complexity: O(its bytes).
    public init(_ text: String) {
        self.text = text
        var hasher = Hasher()
        var copy = text
        copy.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        fingerprint = hasher.finalize()
    }

    /// Whether both have the same UTF-8 bytes. Texts that only `String` considers equal have different bytes, and so
    /// with a probability of 1 − 2⁻⁶⁴ different fingerprints.
    public static func == (one: ExactText, other: ExactText) -> Bool {
        one.fingerprint == other.fingerprint && one.text == other.text
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(fingerprint) }

    /// Calls `body` with the UTF-8 bytes. The buffer is valid only during the call.
    public func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        if let result = text.utf8.withContiguousStorageIfAvailable(body) { return result }
        var copy = text
        return copy.withUTF8(body)
    }
}
