import BigInt
import Crypto
import Foundation
import MusterCore
import MusterStore
import MusterWire
import Testing

@testable import MusterServer

/// Sign-ins by SRP; Tests/Endpoints/cognito/test_cognito_idp.py has pycognito's side.
@Suite struct PasswordProofTests {
    /// A client of SRP, written from RFC 5054 and apart from the server's code.
    struct Client {
        let secret = BigUInt(987_654_321)
        let modulus = PasswordProof.modulus
        var publicNumber: BigUInt { PasswordProof.power(BigUInt(2), secret) }

        func signature(of challenge: PasswordChallenge, password: String, pool: String, time: String) throws -> [UInt8]
        {
            let serverNumber = try #require(BigUInt(challenge.publicNumber, radix: 16))
            let verifier = PasswordProof.verifier(
                of: password, pool: pool, user: challenge.user, salt: challenge.salt)
            // S = (B - k·v)^(a + u·x) is what the server has as (A·v^u)^b.
            let multiplier = PasswordProof.number(SHA256.hash(data: PasswordProof.padded(modulus) + [2]))
            let scrambler = PasswordProof.number(
                SHA256.hash(data: PasswordProof.padded(publicNumber) + PasswordProof.padded(serverNumber)))
            let identity = SHA256.hash(data: Array("\(pool)\(challenge.user):\(password)".utf8))
            let exponent = PasswordProof.number(SHA256.hash(data: challenge.salt + identity))
            let base = (serverNumber + modulus - multiplier * verifier % modulus) % modulus
            let shared = PasswordProof.power(base, secret + scrambler * exponent)
            let extracted = HMAC<SHA256>.authenticationCode(
                for: PasswordProof.padded(shared), using: SymmetricKey(data: PasswordProof.padded(scrambler)))
            let key = HMAC<SHA256>.authenticationCode(
                for: Array("Caldera Derived Key".utf8) + [1], using: SymmetricKey(data: Array(extracted)))
            return PasswordProof.signature(
                pool: pool, user: challenge.user, secretBlock: challenge.secretBlock, time: time,
                key: SymmetricKey(data: Array(key.prefix(16))))
        }
    }

    private let client = Client()

    private func signIn(_ office: Office, _ name: String, _ password: String) async throws -> UserPoolSession {
        let challenge = try await office.identity.beginProof(
            ofUserNamed: name, clientNumber: String(client.publicNumber, radix: 16), from: "192.0.2.1")
        let time = clientTime(office.clock.now)
        let signature = try client.signature(
            of: challenge, password: password, pool: office.coordinator.origin.userPoolName, time: time)
        return try await office.identity.finishProof(
            ofUserNamed: name, secretBlock: challenge.secretBlock, signature: signature, time: time,
            issuer: "http://localhost", from: "192.0.2.1")
    }

    private func clientTime(_ now: Instant) -> String {
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let text = now.rfc3339
        let day = Int(text.dropFirst(8).prefix(2)) ?? 0
        let month = months[(Int(text.dropFirst(5).prefix(2)) ?? 1) - 1]
        // The day of the week is read leniently: no client's clock is judged by it.
        return "Mon \(month) \(day) \(text.dropFirst(11).prefix(8)) UTC \(text.prefix(4))"
    }

    @Test func `modular powers equal those of another library`() {
        let base = PasswordProof.modulus / 3
        for exponent in [BigUInt(1), 2, 987_654_321, (BigUInt(1) << 64) + 5] {
            let expected = base.power(exponent, modulus: PasswordProof.modulus)
            #expect(PasswordProof.power(base, exponent) == expected)
        }
        #expect(PasswordProof.power(PasswordProof.modulus, 7) == 0)
    }

    @Test func `a password that an earlier version stored proves itself after one sign-in by password`() async throws {
        let office = try await Office()
        let password = Office.password(of: "mia")
        await #expect(throws: IdentityError.refused) { try await signIn(office, "mia", password) }
        _ = try await office.identity.signIn(name: "mia", password: password, from: "192.0.2.1")
        let session = try await signIn(office, "mia", password)
        #expect(try await office.identity.user(ofAccessToken: session.accessToken).name == "mia")
        await #expect(throws: IdentityError.refused) { try await signIn(office, "mia", "another password") }
        try await office.coordinator.close()
    }

    @Test func `a verifier of an older password proves nothing`() async throws {
        let office = try await Office()
        let mia = try office.user("mia")
        try await office.identity.setPassword("the first password", of: mia.number, by: nil)
        _ = try await signIn(office, "mia", "the first password")
        let hash = try await office.identity.passwordHash(of: "the second password")
        let now = office.clock.now
        try await office.coordinator.edit { _, draft in
            draft.credentials.append(.password(hash, of: mia.number, at: now))
        }
        await #expect(throws: IdentityError.refused) { try await signIn(office, "mia", "the first password") }
        try await office.coordinator.close()
    }

    @Test func `begun sign-ins count as tries until they succeed`() async throws {
        let office = try await Office(attempts: AttemptLimiter(name: .init(tries: 2, perSecond: 1)))
        try await office.identity.setPassword("the password", of: try office.user("mia").number, by: nil)
        for _ in 0..<3 { _ = try await signIn(office, "mia", "the password") }
        for name in ["mia", "nobody"] {
            for _ in 0..<2 {
                await #expect(throws: IdentityError.refused) { try await signIn(office, name, "a wrong one") }
            }
            await #expect {
                try await signIn(office, name, "a wrong one")
            } throws: { error in
                if case .tooManyTries = error as? IdentityError { true } else { false }
            }
        }
        try await office.coordinator.close()
    }

    @Test(.enabled(if: FileManager.default.isReadableFile(atPath: "/proc/self/mem"), "needs Linux's view of memory"))
    func `memory that GMP frees is wiped, also when a number grows or shrinks`() throws {
        #expect(WipingMemory.isSet)
        let count = 1 << 12
        // The mark is neither 0xA5 nor 0x5A, with which the C library fills freed and new memory in `make test`
        // (`MALLOC_PERTURB_`). That filling also hides a block that was not wiped, so only plain `swift test`, which
        // does not set the variable, finds such a block.
        let mark: UInt8 = 0x3C
        // The kernel searches for the marks, because a program may not read memory that it has freed.
        func marks(at address: UInt64) throws -> Int {
            let memory = try FileHandle(forReadingFrom: URL(filePath: "/proc/self/mem"))
            defer { try? memory.close() }
            try memory.seek(toOffset: address)
            // Memory that was returned to the operating system cannot be read.
            let found = try? memory.read(upToCount: count)
            return found?.count { $0 == mark } ?? 0
        }
        func block() throws -> UnsafeMutableRawPointer {
            let block = try #require(WipingMemory.allocate(count))
            memset(block, Int32(mark), count)
            return block
        }
        // Other threads may reuse a block at once, so each way is tried some times, and the fewest marks count.
        let rounds = 0..<5
        let released = try rounds.map { _ in
            let block = try block()
            let place = UInt64(UInt(bitPattern: block))
            #expect(try marks(at: place) == count)
            WipingMemory.release(block, count)
            return try marks(at: place)
        }
        #expect(released.min() ?? count < count / 2)
        for newCount in [count / 2, count * 64] {
            let left = try rounds.map { _ in
                let old = try block()
                let oldPlace = UInt64(UInt(bitPattern: old))
                let new = try #require(WipingMemory.reallocate(old, count, newCount))
                defer { WipingMemory.release(new, newCount) }
                let kept = UnsafeRawBufferPointer(start: new, count: min(count, newCount))
                #expect(kept.allSatisfy { $0 == mark })
                return new == old ? 0 : try marks(at: oldPlace)
            }
            #expect(left.min() ?? count < count / 2)
        }
    }

    @Test func `a challenge and a session expire`() async throws {
        let office = try await Office()
        try await office.identity.setPassword("the password", of: try office.user("mia").number, by: nil)
        let challenge = try await office.identity.beginProof(
            ofUserNamed: "mia", clientNumber: String(client.publicNumber, radix: 16), from: "192.0.2.1")
        office.clock.advance(bySeconds: PasswordChallenges.lifetimeSeconds)
        let time = clientTime(office.clock.now)
        let signature = try client.signature(
            of: challenge, password: "the password", pool: office.coordinator.origin.userPoolName, time: time)
        await #expect(throws: UserPoolError.invalidChallenge) {
            try await office.identity.finishProof(
                ofUserNamed: "mia", secretBlock: challenge.secretBlock, signature: signature, time: time,
                issuer: "http://localhost", from: "192.0.2.1")
        }
        let session = try await signIn(office, "mia", "the password")
        office.clock.advance(bySeconds: Double(session.expiresIn))
        await #expect(throws: UserPoolError.expiredToken) {
            try await office.identity.user(ofAccessToken: session.accessToken)
        }
        let token = try #require(session.refreshToken)
        _ = try await office.identity.refreshUserPool(token, issuer: "http://localhost")
        office.clock.advance(bySeconds: Identity.sessionSeconds)
        await #expect(throws: UserPoolError.invalidToken) {
            try await office.identity.refreshUserPool(token, issuer: "http://localhost")
        }
        try await office.coordinator.close()
    }
}
