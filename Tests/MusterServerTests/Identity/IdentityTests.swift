import Foundation
import HTTPTypes
import MusterCoding
import MusterCore
import MusterStore
import MusterTestSupport
import MusterWire
import Testing

@testable import MusterHTTP
@testable import MusterServer

@Suite struct IdentityTests {
    private static func empty() throws -> (StoreCoordinator, Identity, MemoryStore, Town.Clock) {
        let store = MemoryStore()
        let clock = Town.Clock()
        let coordinator = try StoreCoordinator(store: store, now: { clock.now })
        let identity = Identity(
            coordinator: coordinator, issuer: "test", hasher: .quick(), attempts: AttemptLimiter(),
            now: { clock.now })
        return (coordinator, identity, store, clock)
    }

    @Test func `a deferred admin password is made once, at the first call that can show it`() async throws {
        let (coordinator, identity, _, _) = try Self.empty()
        try await identity.load()
        for _ in 0..<2 { #expect(try await identity.bootstrap(adminPassword: nil, isForLater: true) == nil) }
        #expect(coordinator.directory.users["admin"]?.role == .admin)
        await #expect(throws: IdentityError.refused) {
            try await identity.signIn(name: "admin", password: "anything at all", from: "")
        }
        let password = try #require(try await identity.bootstrap(adminPassword: nil))
        #expect(try await identity.bootstrap(adminPassword: nil) == nil)
        _ = try await identity.signIn(name: "admin", password: password, from: "")
        #expect(coordinator.directory.users.count == 1)
        try await coordinator.close()
    }

    @Test func `the first start creates an admin, and the second no user`() async throws {
        let (coordinator, identity, _, _) = try Self.empty()
        try await identity.load()
        let password = try #require(try await identity.bootstrap(adminPassword: nil))
        #expect(password.count == 20)
        #expect(try await identity.bootstrap(adminPassword: nil) == nil)
        let session = try await identity.signIn(name: "admin", password: password, from: "")
        #expect(session.user.role == .admin)
        #expect(coordinator.directory.users.count == 1)
        try await coordinator.close()
    }

    @Test func `a password that could not be shown is not stored, and the next call makes another`() async throws {
        struct Unreadable: Error {}
        let (coordinator, identity, _, _) = try Self.empty()
        try await identity.load()
        var lost = ""
        let first = try await identity.bootstrap(adminPassword: nil) { password in
            lost = password
            throw Unreadable()
        }
        #expect(first == nil)
        await #expect(throws: IdentityError.refused) {
            try await identity.signIn(name: "admin", password: lost, from: "")
        }
        let password = try #require(try await identity.bootstrap(adminPassword: nil))
        _ = try await identity.signIn(name: "admin", password: password, from: "")
        try await coordinator.close()
    }

    @Test func `a configured password is not shown, and a short one is refused`() async throws {
        let (coordinator, identity, _, _) = try Self.empty()
        try await identity.load()
        await #expect(throws: IdentityError.unusablePassword) { try await identity.bootstrap(adminPassword: "short") }
        #expect(try await identity.bootstrap(adminPassword: "long enough") == nil)
        _ = try await identity.signIn(name: "admin", password: "long enough", from: "")
        try await coordinator.close()
    }

    @Test func `no key's id can be taken for an option of a command`() {
        let ids = (UInt8.min ... .max).flatMap { first in
            [0, 1].map { APIKey.id(ofKey: [first, $0] + [UInt8](repeating: 0xFB, count: 30)) }
        }
        #expect(Set(ids).count == 512)
        for id in ids { #expect(!id.hasPrefix("-") && id == PercentEncoding.encode(id)) }
    }

    @Test func `no secret is in the store as it was shown`() async throws {
        let office = try await Office()
        let token = try await office.identity.makeDeviceToken(for: try office.phone(of: "mia").number)
        let session = try await office.identity.signIn(
            name: "mia", password: Office.password(of: "mia"), from: "")
        let shown = [token, session.refreshToken, Office.password(of: "mia"), office.keys["mia"] ?? ""].map {
            Array($0.utf8)
        }
        for kind in Credential.Kind.allCases where kind != .signingKey {
            for credential in try office.store.credentials(kind) {
                for secret in shown {
                    #expect(!credential.secret.contains(secret) && !credential.key.contains(secret))
                }
            }
        }
        try await office.coordinator.close()
    }

    @Test func `a token survives a restart and a rotation of the signing key, and not two`() async throws {
        let office = try await Office()
        let session = try await office.identity.signIn(name: "mia", password: Office.password(of: "mia"), from: "")
        let header = "Bearer \(session.accessToken)"
        let again = Identity(
            coordinator: office.coordinator, issuer: "test", hasher: .quick(), attempts: AttemptLimiter(),
            now: { office.clock.now })
        try await again.load()
        #expect(try await again.authenticate(header, from: "").name == "mia")
        office.clock.advance(bySeconds: 1)
        _ = try await again.rotateSigningKey(for: .accessTokens)
        #expect(try await again.authenticate(header, from: "").name == "mia")
        #expect(again.keySet.components(separatedBy: "\"kid\"").count == 3)
        office.clock.advance(bySeconds: 1)
        _ = try await again.rotateSigningKey(for: .accessTokens)
        await #expect(throws: IdentityError.refused) { try await again.authenticate(header, from: "") }
        try await office.coordinator.close()
    }

    @Test func `a token of another issuer or a changed one is refused`() async throws {
        let office = try await Office()
        let session = try await office.identity.signIn(name: "mia", password: Office.password(of: "mia"), from: "")
        let elsewhere = Identity(
            coordinator: office.coordinator, issuer: "elsewhere", hasher: .quick(), attempts: AttemptLimiter(),
            now: { office.clock.now })
        try await elsewhere.load()
        await #expect(throws: IdentityError.refused) {
            try await elsewhere.authenticate("Bearer \(session.accessToken)", from: "")
        }
        let parts = session.accessToken.split(separator: ".").map(String.init)
        let claims = try #require(Base64.decodeUnpadded(parts[1], .forURLs))
        let forged = String(decoding: claims, as: UTF8.self).replacing("\"mia\"", with: "\"admin\"")
        let none = Base64.encodeUnpadded(Array(#"{"alg":"none","typ":"JWT"}"#.utf8), .forURLs)
        for token in [
            "\(parts[0]).\(Base64.encodeUnpadded(Array(forged.utf8), .forURLs)).\(parts[2])", "\(none).\(parts[1]).",
            "\(parts[0]).\(parts[1])", "", "...", String(repeating: "a", count: 5000),
        ] {
            await #expect(throws: IdentityError.refused) {
                try await office.identity.authenticate("Bearer \(token)", from: "")
            }
        }
        try await office.coordinator.close()
    }

    @Test func `two refreshes at once with one token: the later one counts, and the other's tokens end the session`()
        async throws
    {
        let office = try await Office()
        let session = try await office.identity.signIn(name: "mia", password: Office.password(of: "mia"), from: "")
        let outcomes = await withTaskGroup { group in
            for _ in 0..<2 {
                group.addTask { (try? await office.identity.refresh(session.refreshToken))?.refreshToken }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let next = outcomes.compactMap { $0 }
        #expect(next.count == 2)
        // Only the server knows which refresh came later. Its token is good; the other token ends the session.
        var refused = 0
        for token in next {
            do { _ = try await office.identity.refresh(token) } catch IdentityError.refused { refused += 1 }
        }
        #expect(refused >= 1)
        #expect(try office.store.credentials(.refreshToken).isEmpty)
        try await office.coordinator.close()
    }

    @Test func `a session outlasts lost answers, and ends with a token that is older than that`() async throws {
        let office = try await Office()
        let first = try await office.identity.signIn(name: "mia", password: Office.password(of: "mia"), from: "")
        // The first two answers are lost, so the client still has only its first refresh token.
        _ = try await office.identity.refresh(first.refreshToken)
        _ = try await office.identity.refresh(first.refreshToken)
        let second = try await office.identity.refresh(first.refreshToken)
        let third = try await office.identity.refresh(second.refreshToken)
        _ = try await office.identity.authenticate("Bearer \(third.accessToken)", from: "")
        await #expect(throws: IdentityError.refused) { try await office.identity.refresh(first.refreshToken) }
        await #expect(throws: IdentityError.refused) { try await office.identity.refresh(third.refreshToken) }
        #expect(try office.store.credentials(.refreshToken).isEmpty)
        try await office.coordinator.close()
    }

    @Test func `a session as an earlier version stored it goes on`() {
        let (newest, mark, digest) = ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 32), [UInt8]())
        for stored in [newest, newest + mark] {
            let secret = SessionSecret(stored: stored)
            #expect(secret.newest == newest && secret.exchanged == nil && secret.bytes == stored)
            #expect(secret.admits(newest, passwordMark: Array(stored.dropFirst(32))))
            #expect(!secret.admits(digest, passwordMark: Array(stored.dropFirst(32))))
        }
        let later = SessionSecret(newest: mark, passwordMark: [], exchanged: newest)
        #expect(SessionSecret(stored: later.bytes).exchanged == newest)
        #expect(later.admits(newest, passwordMark: []) && !later.admits(newest, passwordMark: mark))
    }

    @Test func `expired sessions are swept`() async throws {
        let office = try await Office()
        _ = try await office.identity.signIn(name: "mia", password: Office.password(of: "mia"), from: "")
        #expect(try await office.identity.removeExpiredCredentials() == 0)
        office.clock.advance(bySeconds: Identity.sessionSeconds)
        #expect(try await office.identity.removeExpiredCredentials() == 1)
        #expect(try office.store.credentials(.refreshToken).isEmpty)
        try await office.coordinator.close()
    }

    @Test func `Basic takes a password or a token, and costs a hash only once`() async throws {
        let office = try await Office()
        func authenticate(_ text: String) async throws -> Principal {
            try await office.identity.authenticate("Basic \(MusterCoding.Base64.encode(Array(text.utf8)))", from: "x")
        }
        let password = Office.password(of: "mia")
        #expect(try await authenticate("mia:\(password)").proof == .password)
        // Were this a try each time, the bucket of sixty would be empty long before.
        for _ in 0..<200 { _ = try await authenticate("mia:\(password)") }
        #expect(try await authenticate("mia:\(office.keys["mia"] ?? "")").proof == .apiKey)
        await #expect(throws: IdentityError.refused) { try await authenticate("sue:\(office.keys["mia"] ?? "")") }
        for text in ["mia", "", ":", "mia:"] {
            await #expect(throws: IdentityError.refused) { try await authenticate(text) }
        }
        await #expect(throws: IdentityError.refused) {
            try await office.identity.authenticate("Basic ****", from: "x")
        }
        await #expect(throws: IdentityError.missing) { try await office.identity.authenticate(nil, from: "x") }
        try await office.coordinator.close()
    }

    @Test func `a new control key replaces the former, and no key with its label`() async throws {
        let office = try await Office()
        let admin = try office.user("admin").number
        let own = try await office.identity.makeKey(label: "control", for: admin).secret
        let first = try await office.identity.makeControlKey().secret
        let second = try await office.identity.makeControlKey().secret
        await #expect(throws: IdentityError.refused) {
            try await office.identity.authenticate("Bearer \(first)", from: "")
        }
        for key in [own, second] {
            #expect(try await office.identity.authenticate("Bearer \(key)", from: "").role == .admin)
        }
        try await office.coordinator.close()
    }
}
