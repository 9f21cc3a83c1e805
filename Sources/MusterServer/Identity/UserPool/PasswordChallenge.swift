import BigInt
import MusterCore
import Synchronization

/// A challenge that a client answers to prove that it knows a password, without sending it.
package struct PasswordChallenge: Sendable {
    /// The name that the client hashes with the password.
    package let user: String
    package let salt: [UInt8]
    /// The server's public number, in hexadecimal.
    package let publicNumber: String
    /// The sealed text that the client returns with its proof. Only this process can open it.
    package let secretBlock: [UInt8]
}

/// The content of a challenge that the server needs when the client answers it.
struct OpenChallenge: Sendable {
    let user: String
    let clientNumber: BigUInt
    let publicNumber: BigUInt
    let secret: BigUInt
    let expiresAt: Instant
    let nonce: [UInt8]

    static let secretBytes = 32
    private static let nonceBytes = 16

    init(user: String, clientNumber: BigUInt, publicNumber: BigUInt, secret: BigUInt, expiresAt: Instant) {
        self.user = user
        self.clientNumber = clientNumber
        self.publicNumber = publicNumber
        self.secret = secret
        self.expiresAt = expiresAt
        nonce = SecretToken.randomBytes(Self.nonceBytes)
    }

    /// The challenge as bytes, for sealing.
    var contents: [UInt8] {
        var time = UInt64(bitPattern: expiresAt.milliseconds)
        let moment = (0..<8).map { _ in
            time = time << 8 | time >> 56
            return UInt8(truncatingIfNeeded: time)
        }
        let secret = Array(self.secret.serialize())
        return nonce + moment + PasswordVerifier.fullLength(clientNumber) + PasswordVerifier.fullLength(publicNumber)
            + Array(repeating: 0, count: Self.secretBytes - secret.count) + secret + Array(user.utf8)
    }

    init?(contents: [UInt8]) {
        var rest = contents[...]
        func next(_ count: Int) -> [UInt8] {
            defer { rest = rest.dropFirst(count) }
            return Array(rest.prefix(count))
        }
        nonce = next(Self.nonceBytes)
        let moment = next(8)
        clientNumber = PasswordProof.number(next(PasswordProof.byteCount))
        publicNumber = PasswordProof.number(next(PasswordProof.byteCount))
        secret = PasswordProof.number(next(Self.secretBytes))
        guard moment.count == 8, !rest.isEmpty, let user = String(validating: rest, as: UTF8.self) else { return nil }
        expiresAt = Instant(milliseconds: Int64(bitPattern: moment.reduce(0) { $0 << 8 | UInt64($1) }))
        self.user = user
    }
}

/// The challenges of this process. Each is sealed into a text that the client returns, so that open ones take no
/// memory. An answered challenge is remembered until it expires, so that it is accepted only once. A restart ends all
/// challenges.
final class PasswordChallenges: Sendable {
    private let vault = SecretVault()
    private let answered = Mutex<[[UInt8]: Instant]>([:])

    /// How long a challenge may be answered, in seconds.
    static let lifetimeSeconds: Double = 180
    /// The largest number of answered challenges that are remembered. Answers beyond it are refused.
    private static let capacity = 100_000
    private static let purpose = "challenge"

    func seal(_ challenge: OpenChallenge) -> [UInt8] { vault.seal(challenge.contents, for: Self.purpose) }

    /// Opens a secret block the first time that a client returns it; nil afterwards, after expiry, and for any other
    /// bytes.
    func redeem(_ secretBlock: [UInt8], at now: Instant) -> OpenChallenge? {
        guard let contents = try? vault.open(secretBlock, for: Self.purpose),
            let challenge = OpenChallenge(contents: contents), now < challenge.expiresAt
        else { return nil }
        let isFirst = answered.withLock { answered in
            if answered.count >= Self.capacity { answered = answered.filter { now < $0.value } }
            guard answered.count < Self.capacity else { return false }
            return answered.updateValue(challenge.expiresAt, forKey: challenge.nonce) == nil
        }
        return isFirst ? challenge : nil
    }
}
