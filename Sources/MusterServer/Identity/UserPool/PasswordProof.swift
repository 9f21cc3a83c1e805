import BigInt
import CGMP
import CSodium
import Crypto
import Foundation
import MusterCore
import MusterWire

/// The numbers of SRP-6a as Cognito's clients compute them: a group of 3072 bits with the generator 2, SHA-256, and
/// numbers hashed as the shortest bytes whose first bit is 0.
///
/// GMP computes powers, whose exponents are secret, in constant time. BigInt's few multiplications are not in constant
/// time: the verifier stands in for the password, and only the time of one multiplication depends on it.
enum PasswordProof {
    static let generator = BigUInt(2)
    /// 2^3072 − 2^3008 − 1 + 2^64 · (⌊2^2942 · π⌋ + 1690314), RFC 3526.
    static let modulus = BigUInt(
        """
        FFFFFFFFFFFFFFFFC90FDAA22168C234C4C6628B80DC1CD129024E088A67CC74020BBEA63B139B22514A08798E3404DD\
        EF9519B3CD3A431B302B0A6DF25F14374FE1356D6D51C245E485B576625E7EC6F44C42E9A637ED6B0BFF5CB6F406B7ED\
        EE386BFB5A899FA5AE9F24117C4B1FE649286651ECE45B3DC2007CB8A163BF0598DA48361C55D39A69163FA8FD24CF5F\
        83655D23DCA3AD961C62F356208552BB9ED529077096966D670C354E4ABC9804F1746C08CA18217C32905E462E36CE3B\
        E39E772C180E86039B2783A2EC07A28FB5C55DF06F4C52C9DE2BCBF6955817183995497CEA956AE515D2261898FA0510\
        15728E5A8AAAC42DAD33170D04507A33A85521ABDF1CBA64ECFB850458DBEF0A8AEA71575D060C7DB3970F85A6E1E4C7\
        ABF5AE8CDB0933D71E8C94E04A25619DCEE3D2261AD2EE6BF12FFA06D98A0864D87602733EC86A64521F2B18177B200C\
        BBE117577A615D6C770988C0BAD946E208E24FA074E5AB3143DB5BFCE0FD108E4B82D120A93AD2CAFFFFFFFFFFFFFFFF
        """, radix: 16)!
    /// The length of the group's numbers, in bytes.
    static let byteCount = 384
    private static let multiplier = number(SHA256.hash(data: padded(modulus) + [2]))

    /// A number from big-endian bytes.
    static func number(_ bytes: some Sequence<UInt8>) -> BigUInt { BigUInt(Data(bytes)) }

    /// The shortest big-endian bytes of a number whose first bit is 0.
    static func padded(_ number: BigUInt) -> [UInt8] {
        let bytes = Array(number.serialize())
        return (bytes.first ?? 0xFF) >= 0x80 ? [0] + bytes : bytes
    }

    /// A power in the group. Its time depends on the lengths of the numbers alone.
    ///
    /// The memory that GMP allocated is wiped, and so are its copies on the stack and the bytes that were passed to it.
    /// The numbers of BigInt are not: they live as long as a sign-in, and cannot be wiped.
    ///
    /// - Parameter exponent: greater than 0.
    static func power(_ base: BigUInt, _ exponent: BigUInt) -> BigUInt {
        precondition(exponent > 0, "GMP's power in constant time takes no exponent of 0")
        precondition(WipingMemory.isSet)
        var numbers = (
            base: __mpz_struct(), exponent: __mpz_struct(), modulus: __mpz_struct(), result: __mpz_struct()
        )
        func read(_ number: BigUInt, into variable: inout __mpz_struct) {
            var bytes = Array(number.serialize())
            defer { bytes.wipe() }
            __gmpz_init(&variable)
            __gmpz_import(&variable, bytes.count, 1, 1, 1, 0, bytes)
        }
        read(base, into: &numbers.base)
        read(exponent, into: &numbers.exponent)
        read(modulus, into: &numbers.modulus)
        __gmpz_init(&numbers.result)
        defer {
            __gmpz_clear(&numbers.base)
            __gmpz_clear(&numbers.exponent)
            __gmpz_clear(&numbers.modulus)
            __gmpz_clear(&numbers.result)
            sodium_stackzero(stackBytes)
        }
        __gmpz_powm_sec(&numbers.result, &numbers.base, &numbers.exponent, &numbers.modulus)
        var bytes = [UInt8](repeating: 0, count: byteCount)
        defer { bytes.wipe() }
        var count = 0
        __gmpz_export(&bytes, &count, 1, 1, 1, 0, &numbers.result)
        return number(bytes.prefix(count))
    }

    /// GMP keeps blocks of up to 64 KiB on the stack.
    private static let stackBytes = 64 << 10

    /// The verifier of a password, v = 2^x.
    ///
    /// - Parameters:
    ///   - pool: the user pool's name, without the region.
    ///   - user: the user's name.
    static func verifier(of password: String, pool: String, user: String, salt: [UInt8]) -> BigUInt {
        var text = Array("\(pool)\(user):\(password)".utf8)
        defer { text.wipe() }
        let identity = SHA256.hash(data: text)
        let exponent = number(SHA256.hash(data: padded(number(salt)) + identity))
        return power(generator, exponent)
    }

    /// The server's public number, B = k·v + 2^b.
    static func publicNumber(ofSecret secret: BigUInt, verifier: BigUInt) -> BigUInt {
        (multiplier * verifier + power(generator, secret)) % modulus
    }

    /// The key that both sides share: 16 bytes.
    ///
    /// - Returns: nil for a client's number that SRP forbids, because the key would not depend on the password.
    static func sharedKey(
        clientNumber: BigUInt, publicNumber: BigUInt, secret: BigUInt, verifier: BigUInt
    ) -> SymmetricKey? {
        let scrambler = number(SHA256.hash(data: padded(clientNumber) + padded(publicNumber)))
        guard clientNumber % modulus != 0, scrambler != 0 else { return nil }
        let base = clientNumber * power(verifier, scrambler) % modulus
        var shared = padded(power(base, secret))
        defer { shared.wipe() }
        let pseudorandom = HMAC<SHA256>.authenticationCode(
            for: shared, using: SymmetricKey(data: padded(scrambler)))
        let key = HMAC<SHA256>.authenticationCode(
            for: Array("Caldera Derived Key".utf8) + [1], using: SymmetricKey(data: Array(pseudorandom)))
        return SymmetricKey(data: Array(key.prefix(16)))
    }

    /// The client's proof that it knows the key, and therefore the password.
    static func signature(
        pool: String, user: String, secretBlock: [UInt8], time: String, key: SymmetricKey
    ) -> [UInt8] {
        Array(
            HMAC<SHA256>.authenticationCode(
                for: Array(pool.utf8) + Array(user.utf8) + secretBlock + Array(time.utf8), using: key))
    }

    /// The time that a client states, such as `Tue Nov 24 20:52:55 UTC 2026`; nil for any other text.
    static func time(_ text: String) -> Instant? {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 6, weekdays.contains(parts[0]), let month = months.firstIndex(of: parts[1]),
            let day = UInt8(parts[2]), parts[4] == "UTC"
        else { return nil }
        let date = [month + 1, Int(day)].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: "-")
        return try? Instant(rfc3339: "\(parts[5])-\(date)T\(parts[3])Z")
    }

    private static let weekdays: [Substring] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    private static let months: [Substring] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}

/// The salt and the verifier that a user's password is proved with, sealed beside its hash.
struct PasswordVerifier: Sendable {
    /// 16 bytes. The first is between 16 and 127, so that clients that read the salt as a number hash the same bytes.
    let salt: [UInt8]
    /// 384 bytes, big-endian.
    let verifier: [UInt8]

    static let saltBytes = 16

    /// Computes the verifier of a password with a new salt. Blocks the thread for tens of milliseconds.
    init(of password: String, pool: String, user: String) {
        salt = Self.salt(SecretToken.randomBytes(Self.saltBytes))
        verifier = Self.fullLength(PasswordProof.verifier(of: password, pool: pool, user: user, salt: salt))
    }

    init(salt: [UInt8], verifier: [UInt8]) {
        self.salt = salt
        self.verifier = verifier
    }

    /// Makes bytes into a salt.
    static func salt(_ bytes: [UInt8]) -> [UInt8] { [bytes[0] & 0x6F | 0x10] + bytes[1..<saltBytes] }

    /// The bytes of a number of the group, with zeros in front.
    static func fullLength(_ number: BigUInt) -> [UInt8] {
        let bytes = Array(number.serialize())
        return Array(repeating: 0, count: PasswordProof.byteCount - bytes.count) + bytes
    }

    /// The content before it is sealed: the salt, the verifier, the mark of the verifier's password, and the user's
    /// name.
    func contents(mark: [UInt8], user: String) -> [UInt8] { salt + verifier + mark + Array(user.utf8) }

    /// Reads `contents`; nil when they are of another password or another name, or damaged.
    init?(contents: [UInt8], mark: [UInt8], user: String) {
        let numbers = Self.saltBytes + PasswordProof.byteCount
        guard contents.count > numbers, Array(contents[numbers...]) == mark + Array(user.utf8) else { return nil }
        self.init(salt: Array(contents[..<Self.saltBytes]), verifier: Array(contents[Self.saltBytes..<numbers]))
    }
}
