import MusterCore
import MusterStore
import MusterWire
import Testing

@testable import MusterServer

/// What a password, and a session of the user pool, take with them when they end.
@Suite struct UserPoolEndsTests {
    private static let issuer = "http://localhost"
    private static let address = "192.0.2.1"

    private func signIn(_ office: Office) async throws -> UserPoolSession {
        try await office.identity.signInToUserPool(
            name: "mia", password: Office.password(of: "mia"), issuer: Self.issuer, from: Self.address)
    }

    /// Whether the server knows a key; its signature is not looked at.
    private func isKnown(_ key: AmazonKey, _ office: Office) async throws -> Bool {
        let shown = SignatureV4(
            accessKeyID: key.key.id, scope: .init(date: "20260101", region: "eu-west-2", service: "geo"),
            signedHeaders: [], signature: "")
        do {
            try await office.identity.requireAmazonKey(shown)
            return true
        } catch SignatureError.unknownKey {
            return false
        }
    }

    @Test func `a token that was verified before a new password makes no credentials after it`() async throws {
        let office = try await Office()
        let mia = try office.user("mia").number
        let proof = try await office.identity.proof(ofIDToken: try await signIn(office).idToken)
        let key = try await office.identity.makeIdentityKey(by: proof)
        #expect(try await isKnown(key, office))
        try await office.identity.setPassword("another password", of: mia, by: nil)
        await #expect(throws: UserPoolError.invalidToken) { try await office.identity.makeIdentityKey(by: proof) }
        #expect(try await !isKnown(key, office))
        try await office.coordinator.close()
    }

    @Test func `credentials left in the store are invalid once the password has changed`() async throws {
        let office = try await Office()
        let mia = try office.user("mia").number
        let proof = try await office.identity.proof(ofIDToken: try await signIn(office).idToken)
        let key = try await office.identity.makeIdentityKey(by: proof)
        let hash = try await office.identity.passwordHash(of: "another password")
        let now = office.clock.now
        try await office.coordinator.edit { _, draft in
            draft.credentials.append(.password(hash, of: mia, at: now))
        }
        #expect(try await !isKnown(key, office))
        try await office.coordinator.close()
    }

    @Test func `credentials end with the session that made them, and other sessions' do not`() async throws {
        let office = try await Office()
        let (one, other) = (try await signIn(office), try await signIn(office))
        var keys: [AmazonKey] = []
        for session in [one, other] {
            let proof = try await office.identity.proof(ofIDToken: session.idToken)
            keys.append(try await office.identity.makeIdentityKey(by: proof))
        }
        let proof = try await office.identity.proof(ofIDToken: one.idToken)
        try await office.identity.revokeUserPool(try #require(one.refreshToken))
        #expect(try await !isKnown(keys[0], office))
        #expect(try await isKnown(keys[1], office))
        await #expect(throws: UserPoolError.invalidToken) { try await office.identity.makeIdentityKey(by: proof) }
        try await office.coordinator.close()
    }

    @Test func `a user's sessions of the user pool are limited, and the oldest ends with its keys`() async throws {
        let office = try await Office()
        let mia = try office.user("mia")
        let oldest = try await signIn(office)
        let key = try await office.identity.makeIdentityKey(
            by: try await office.identity.proof(ofIDToken: oldest.idToken))
        var second: UserPoolSession?
        for _ in 1..<Identity.userPoolSessionLimit {
            office.clock.advance(bySeconds: 0.001)
            let session = try await office.identity.openUserPoolSession(
                for: mia, provenBy: try await office.identity.passwordMark(of: mia.number), issuer: Self.issuer)
            second = second ?? session
        }
        #expect(try await office.identity.user(ofAccessToken: oldest.accessToken).number == mia.number)
        #expect(try await isKnown(key, office))
        office.clock.advance(bySeconds: 0.001)
        _ = try await signIn(office)
        await #expect(throws: UserPoolError.invalidToken) {
            try await office.identity.user(ofAccessToken: oldest.accessToken)
        }
        #expect(try await !isKnown(key, office))
        let next = try #require(second)
        #expect(try await office.identity.user(ofAccessToken: next.accessToken).number == mia.number)
        try await office.coordinator.close()
    }

    @Test func `a proof of an old password opens no session and sets no password`() async throws {
        let office = try await Office()
        let identity = office.identity
        let (mia, mark) = try await identity.provePassword(
            Office.password(of: "mia"), ofUserNamed: "mia", from: Self.address)
        try await identity.setPassword("another password", of: mia.number, by: nil)
        await #expect(throws: IdentityError.refused) {
            try await identity.openUserPoolSession(for: mia, provenBy: mark, issuer: Self.issuer)
        }
        await #expect(throws: IdentityError.refused) { try await identity.openSession(for: mia, provenBy: mark) }
        await #expect(throws: IdentityError.refused) {
            try await identity.setPassword("a thief's password", of: mia.number, by: nil, replacing: mark)
        }
        _ = try await identity.signIn(name: "mia", password: "another password", from: Self.address)
        try await office.coordinator.close()
    }

    @Test func `strangers make no key for the user pool, and all who sign in at once get the same`() async throws {
        let office = try await Office()
        let identity = office.identity
        await #expect(throws: UserPoolError.invalidToken) { try await identity.user(ofAccessToken: "a.b.c") }
        await #expect(throws: UserPoolError.invalidToken) { try await identity.proof(ofIDToken: "a.b.c") }
        let empty = try await identity.userPoolKeySet()
        #expect(!empty.hasKey && empty.text == #"{"keys":[]}"#)
        let stored = try await office.coordinator.read { try $0.credentials(.userPoolKey) }
        #expect(stored.isEmpty)
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<3 { group.addTask { try await signIn(office).accessToken } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        for token in tokens { #expect(try await identity.user(ofAccessToken: token).name == "mia") }
        #expect(try await identity.userPoolKeySet().hasKey)
        try await office.coordinator.close()
    }
}
