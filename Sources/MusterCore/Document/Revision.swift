/// One revision of a document: `generation-hash`, as in `2-7a7e4b29f3af401e69b6f86e4c26b727`.
///
/// CouchDB's order: by generation, then by the bytes of the hash.
public struct Revision: Hashable, Sendable {
    /// The number of edits up to this revision, itself included.
    public let generation: Int32
    /// The part that distinguishes revisions of one generation.
    public let hash: Hash

    /// The part after the dash. Nearly always it is 32 hexadecimal digits, kept as 16 bytes. Clients that make their
    /// own revisions may send any other text.
    public enum Hash: Hashable, Sendable {
        /// 32 hexadecimal digits, the first sixteen and the last, big-endian; written in lower case.
        case digest(UInt64, UInt64)
        /// Any other text.
        case text(String)
    }

    /// The longest hash that is accepted, in bytes.
    public static let hashLimitBytes = 128

    /// The highest generation that is accepted: nine digits.
    public static let generationLimit: Int32 = 999_999_999

    /// Returns a revision and its ancestors, newest first, as the member `_revisions` describes them.
    ///
    /// - Parameters:
    ///   - start: the generation of the first hash.
    ///   - hashes: the hashes, newest first.
    /// - Returns: nil without hashes, or when the generations would not all be from 1 to `generationLimit`.
    public static func path(from start: Int64, _ hashes: [Hash]) -> [Revision]? {
        guard !hashes.isEmpty, start >= Int64(hashes.count), start <= Int64(generationLimit) else { return nil }
        return hashes.enumerated().map { Revision(generation: Int32(start) - Int32($0.offset), hash: $0.element) }
    }

    /// Creates a revision from its two parts.
    public init(generation: Int32, hash: Hash) {
        self.generation = generation
        self.hash = hash
    }

    /// Creates a revision whose hash is a digest of 16 bytes.
    ///
    /// - Precondition: `digest` has 16 bytes.
    public init(generation: Int32, digest: some Collection<UInt8>) {
        precondition(digest.count == 16, "a digest has 16 bytes")
        func word(_ bytes: some Collection<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        self.init(generation: generation, hash: .digest(word(digest.prefix(8)), word(digest.dropFirst(8))))
    }

    /// Reads `generation-hash`; nil for any other text. The generation is a positive number of up to nine digits
    /// without a leading zero, the hash 1 to 128 bytes of letters, digits and `_+/=.-`.
    public init?(_ text: some StringProtocol) {
        // Contiguous bytes: code that is generic over the text would dispatch for every byte.
        var text = String(text)
        guard let revision = text.withUTF8({ Self(parsing: $0) }) else { return nil }
        self = revision
    }

    /// Reads `generation-hash` from bytes of UTF-8, as `init(_:)` does.
    public init?(parsing bytes: UnsafeBufferPointer<UInt8>) {
        guard let dash = bytes.firstIndex(of: UInt8(ascii: "-")), (1...9).contains(dash), bytes[0] != 0x30 else {
            return nil
        }
        var generation: Int32 = 0
        for digit in bytes[..<dash] {
            guard (0x30...0x39).contains(digit) else { return nil }
            generation = generation * 10 + Int32(digit - 0x30)
        }
        guard let hash = Hash(parsing: UnsafeBufferPointer(rebasing: bytes[(dash + 1)...])) else { return nil }
        self.init(generation: generation, hash: hash)
    }

    /// `generation-hash`.
    public var text: String { "\(generation)-\(hash.text)" }
}

extension Revision: Comparable {
    /// CouchDB's order: by generation, then by the bytes of the hash.
    public static func < (left: Revision, right: Revision) -> Bool {
        left.generation == right.generation ? left.hash < right.hash : left.generation < right.generation
    }
}

extension Revision.Hash {
    /// Reads the part after the dash; nil for a text that may not stand there.
    public init?(_ text: String) {
        var text = text
        guard let hash = text.withUTF8({ Self(parsing: $0) }) else { return nil }
        self = hash
    }

    /// Reads the part after the dash from bytes of UTF-8, as `init(_:)` does.
    public init?(parsing bytes: UnsafeBufferPointer<UInt8>) {
        guard !bytes.isEmpty, bytes.count <= Revision.hashLimitBytes else { return nil }
        if bytes.count == 32, let (high, low) = Self.words(bytes) {
            self = .digest(high, low)
            return
        }
        guard bytes.allSatisfy(Self.isAdmitted) else { return nil }
        self = .text(String(decoding: bytes, as: UTF8.self))
    }

    /// The hash as a text; digits are in lower case.
    public var text: String {
        switch self {
        case .digest(let high, let low):
            String(unsafeUninitializedCapacity: 32) { bytes in
                Self.write(high, low, to: bytes)
                return 32
            }
        case .text(let text): text
        }
    }

    /// Writes the 32 digits of two words.
    package static func write(_ high: UInt64, _ low: UInt64, to bytes: UnsafeMutableBufferPointer<UInt8>) {
        for place in 0..<32 {
            let word = place < 16 ? high : low
            let digit = UInt8(truncatingIfNeeded: word >> UInt64(60 - 4 * (place & 15))) & 15
            bytes[place] = digit + (digit < 10 ? 0x30 : 0x57)
        }
    }

    /// The bytes that hashes are ordered by: the 16 of a digest, or the text's.
    public var bytes: [UInt8] {
        switch self {
        case .digest(let high, let low):
            (0..<8).map { UInt8(truncatingIfNeeded: high >> (56 - 8 * $0)) }
                + (0..<8).map { UInt8(truncatingIfNeeded: low >> (56 - 8 * $0)) }
        case .text(let text): Array(text.utf8)
        }
    }

    private static func words(_ bytes: UnsafeBufferPointer<UInt8>) -> (UInt64, UInt64)? {
        var words: (UInt64, UInt64) = (0, 0)
        for index in 0..<32 {
            let byte = bytes[index]
            let digit: UInt8
            switch byte {
            case 0x30...0x39: digit = byte - 0x30
            case 0x61...0x66: digit = byte - 0x61 + 10
            // CouchDB accepts upper case as the same digits, and writes lower case.
            case 0x41...0x46: digit = byte - 0x41 + 10
            default: return nil
            }
            if index < 16 { words.0 = words.0 << 4 | UInt64(digit) } else { words.1 = words.1 << 4 | UInt64(digit) }
        }
        return words
    }

    private static func isAdmitted(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x2B, 0x2F, 0x3D, 0x2E, 0x2D: true
        default: false
        }
    }
}

extension Revision.Hash: Comparable {
    /// Orders hashes by their bytes.
    public static func < (left: Self, right: Self) -> Bool {
        if case .digest(let high, let low) = left, case .digest(let otherHigh, let otherLow) = right {
            return high == otherHigh ? low < otherLow : high < otherHigh
        }
        return left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}
