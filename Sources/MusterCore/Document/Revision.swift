/// One revision of a document: `generation-hash`, as in `2-7a7e4b29f3af401e69b6f86e4c26b727`.
///
/// CouchDB's order: by generation, then by the bytes of the hash.
public struct Revision: Hashable, Sendable {
    /// How many edits led here, from 1.
    public let generation: Int32
    /// What tells revisions of one generation apart.
    public let hash: Hash

    /// What comes after the dash. Nearly always 32 hexadecimal digits, which are kept as 16 bytes; any other text is
    /// taken from clients that make their own.
    public enum Hash: Hashable, Sendable {
        /// 32 hexadecimal digits, the first sixteen and the last, big-endian; written in lower case.
        case digest(UInt64, UInt64)
        /// Any other text.
        case text(String)
    }

    /// The longest hash that is taken, in bytes.
    public static let hashLimitBytes = 128

    /// The highest generation there may be: nine digits, as they are read.
    public static let generationLimit: Int32 = 999_999_999

    /// A revision and its ancestors, newest first, as `_revisions` tells them.
    ///
    /// - Parameters:
    ///   - start: the generation of the first.
    ///   - hashes: one at the least.
    /// - Returns: nil when the generations would not all be from 1 to `generationLimit`.
    public static func path(from start: Int64, _ hashes: [Hash]) -> [Revision]? {
        guard !hashes.isEmpty, start >= Int64(hashes.count), start <= Int64(generationLimit) else { return nil }
        return hashes.enumerated().map { Revision(generation: Int32(start) - Int32($0.offset), hash: $0.element) }
    }

    /// A revision.
    public init(generation: Int32, hash: Hash) {
        self.generation = generation
        self.hash = hash
    }

    /// A revision with a digest of 16 bytes.
    ///
    /// - Precondition: there are 16.
    public init(generation: Int32, digest: some Collection<UInt8>) {
        precondition(digest.count == 16, "a digest has 16 bytes")
        func word(_ bytes: some Collection<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        self.init(generation: generation, hash: .digest(word(digest.prefix(8)), word(digest.dropFirst(8))))
    }

    /// Reads `generation-hash`; nil when it is none: the generation is a positive number without a leading zero, the
    /// hash 1 to 128 bytes of letters, digits and `_+/=.-`.
    public init?(_ text: some StringProtocol) {
        // Bytes in one piece: what is generic over the text would be looked up for every byte.
        var text = String(text)
        guard let revision = text.withUTF8({ Self(parsing: $0) }) else { return nil }
        self = revision
    }

    /// Reads `generation-hash`, as above.
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
    /// Reads what stands behind the dash; nil when it may not stand there.
    public init?(_ text: String) {
        var text = text
        guard let hash = text.withUTF8({ Self(parsing: $0) }) else { return nil }
        self = hash
    }

    /// Reads what stands behind the dash, as above.
    public init?(parsing bytes: UnsafeBufferPointer<UInt8>) {
        guard !bytes.isEmpty, bytes.count <= Revision.hashLimitBytes else { return nil }
        if bytes.count == 32, let (high, low) = Self.words(bytes) {
            self = .digest(high, low)
            return
        }
        guard bytes.allSatisfy(Self.isAdmitted) else { return nil }
        self = .text(String(decoding: bytes, as: UTF8.self))
    }

    /// The hash as it is written.
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

    /// The bytes that order it.
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
            // A CouchDB takes these for the same, and tells them in lower case.
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
    /// By bytes.
    public static func < (left: Self, right: Self) -> Bool {
        if case .digest(let high, let low) = left, case .digest(let otherHigh, let otherLow) = right {
            return high == otherHigh ? low < otherLow : high < otherHigh
        }
        return left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}
