import CSodium
import MusterCoding

/// A stored password: its scrypt hash (RFC 7914) with salt and cost, in the text form
/// `$scrypt$ln=15,r=8,p=1$<salt>$<key>`. Salt and key are base64 without padding.
struct PasswordHash: Hashable, Sendable {
    /// The cost of computing one hash.
    struct Cost: Hashable, Sendable {
        /// The binary logarithm of scrypt's N.
        var logarithm: Int
        /// scrypt's r.
        var blockSize: Int
        /// scrypt's p.
        var parallelism: Int

        /// 32 MiB of memory and about 60 ms on a server core of 2020.
        static let standard = Cost(logarithm: 15, blockSize: 8, parallelism: 1)

        /// Whether the server accepts this stored cost: at most 256 MiB.
        var isBearable: Bool {
            (1...20).contains(logarithm) && (1...32).contains(blockSize) && (1...4).contains(parallelism)
                && (128 * blockSize) << logarithm <= 256 << 20
        }
    }

    let cost: Cost
    let salt: [UInt8]
    let key: [UInt8]

    static let saltBytes = 16
    static let keyBytes = 32

    /// Hashes a password. Blocks the thread for tens of milliseconds and takes `cost`'s memory.
    init(of password: String, salt: [UInt8], cost: Cost) throws {
        self.cost = cost
        self.salt = salt
        key = try Self.derive(password, salt: salt, cost: cost)
    }

    /// Makes a hash that no password is known for: its key consists of zeros, and is not a result of scrypt. Comparing
    /// a password with it takes as long as with a real hash, and making it takes no time.
    static func decoy(cost: Cost) -> PasswordHash {
        PasswordHash(
            cost: cost, salt: Array(repeating: 0, count: saltBytes), key: Array(repeating: 0, count: keyBytes))
    }

    private init(cost: Cost, salt: [UInt8], key: [UInt8]) {
        self.cost = cost
        self.salt = salt
        self.key = key
    }

    /// Parses the text form; nil when it is malformed or would cost too much.
    init?(text: some StringProtocol) {
        let parts = text.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0].isEmpty, parts[1] == "scrypt",
            let cost = Cost(text: parts[2]), cost.isBearable,
            let salt = Base64.decodeUnpadded(parts[3], .standard), salt.count == Self.saltBytes,
            let key = Base64.decodeUnpadded(parts[4], .standard), key.count == Self.keyBytes
        else { return nil }
        self.cost = cost
        self.salt = salt
        self.key = key
    }

    var text: String {
        "$scrypt$ln=\(cost.logarithm),r=\(cost.blockSize),p=\(cost.parallelism)"
            + "$\(Base64.encodeUnpadded(salt, .standard))$\(Base64.encodeUnpadded(key, .standard))"
    }

    /// Whether the hash is this password's. Blocks as long as hashing does, whatever the result.
    func matches(_ password: String) throws -> Bool {
        var candidate = try Self.derive(password, salt: salt, cost: cost)
        defer { candidate.wipe() }
        return candidate.isEqualInConstantTime(to: key)
    }

    /// Computes a key with libsodium, which is fast in a debug build, too.
    ///
    /// - Throws: `IdentityError.busy` when the system has not the memory that `cost` takes.
    private static func derive(_ password: String, salt: [UInt8], cost: Cost) throws -> [UInt8] {
        guard isLibraryReady else { throw IdentityError.busy }
        var password = Array(password.utf8)
        defer { password.wipe() }
        var key = [UInt8](repeating: 0, count: keyBytes)
        let status = crypto_pwhash_scryptsalsa208sha256_ll(
            password, password.count, salt, salt.count, 1 << cost.logarithm, UInt32(cost.blockSize),
            UInt32(cost.parallelism), &key, key.count)
        guard status == 0 else { throw IdentityError.busy }
        return key
    }

    /// Whether libsodium has looked up what the processor can do. Without that it computes, but slowly.
    private static let isLibraryReady = sodium_init() >= 0
}

extension PasswordHash.Cost {
    fileprivate init?(text: some StringProtocol) {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].hasPrefix("ln="), parts[1].hasPrefix("r="), parts[2].hasPrefix("p="),
            let logarithm = Int(parts[0].dropFirst(3)), let blockSize = Int(parts[1].dropFirst(2)),
            let parallelism = Int(parts[2].dropFirst(2))
        else { return nil }
        self.init(logarithm: logarithm, blockSize: blockSize, parallelism: parallelism)
    }
}

extension [UInt8] {
    /// Whether both hold the same bytes. The time depends only on their lengths.
    func isEqualInConstantTime(to other: [UInt8]) -> Bool {
        guard count == other.count else { return false }
        var difference: UInt8 = 0
        for index in indices { difference |= self[index] ^ other[index] }
        return difference == 0
    }
}
