import MusterCore
import MusterStore
import MusterWire
import Testing

@testable import MusterServer

/// The keys that sign tokens for Cognito's clients, and what becomes of tokens when they are renewed.
@Suite struct SigningKeyTests {
    private func signIn(_ identity: Identity) async throws -> UserPoolSession {
        try await identity.signInToUserPool(
            name: "mia", password: Office.password(of: "mia"), issuer: "http://localhost", from: "192.0.2.1")
    }

    private func isGood(_ session: UserPoolSession, at identity: Identity) async throws -> Bool {
        do {
            return try await identity.user(ofAccessToken: session.accessToken).name == "mia"
        } catch UserPoolError.invalidToken, UserPoolError.expiredToken {
            return false
        }
    }

    /// The ids in the JWKS, newest first.
    private func published(by identity: Identity) async throws -> [String] {
        let set = try JSONValue(parsing: Array(try await identity.userPoolKeySet().text.utf8))
        return set["keys"]?.elements?.compactMap { $0["kid"]?.string } ?? []
    }

    /// The same store after a restart.
    private func restarted(_ office: Office) throws -> Identity {
        Identity(
            coordinator: office.coordinator, issuer: "test", hasher: .quick(), attempts: AttemptLimiter(),
            vault: office.identity.vault, now: { office.clock.now })
    }

    @Test func `tokens of a former key verify until they end, and both keys are published until then`() async throws {
        let office = try await Office()
        let identity = office.identity
        let before = try await signIn(identity)
        let first = try #require(try await published(by: identity).first)
        office.clock.advance(bySeconds: 1)
        let key = try await identity.rotateSigningKey(for: .userPool)
        let after = try await signIn(identity)
        #expect(try await published(by: identity) == [key.id, first])
        #expect(key.formerGoodUntil == office.clock.now.advanced(bySeconds: UserPoolTokens.formerKeySeconds))
        for server in [identity, try restarted(office)] {
            for session in [before, after] { #expect(try await isGood(session, at: server)) }
            #expect(try await published(by: server) == [key.id, first])
        }
        // The refresh token is of no key.
        let refresh = try #require(before.refreshToken)
        _ = try await identity.refreshUserPool(refresh, issuer: "http://localhost")
        office.clock.advance(bySeconds: Double(UserPoolTokens.lifetimeSeconds) - 2)
        #expect(try await isGood(before, at: identity))
        office.clock.advance(bySeconds: 63)
        for server in [identity, try restarted(office)] {
            #expect(try await !isGood(before, at: server))
            #expect(try await published(by: server) == [key.id])
        }
        try await office.coordinator.close()
    }

    @Test func `several keys in a row are good at once, and outdated ones leave the store`() async throws {
        let office = try await Office()
        let identity = office.identity
        var sessions = [try await signIn(identity)]
        for _ in 0..<2 {
            // The clock stands still, or is set back.
            office.clock.advance(bySeconds: -1)
            _ = try await identity.rotateSigningKey(for: .userPool)
            sessions.append(try await signIn(identity))
        }
        #expect(try await published(by: identity).count == 3)
        for server in [identity, try restarted(office)] {
            for session in sessions { #expect(try await isGood(session, at: server)) }
        }
        office.clock.advance(bySeconds: 3_600)
        let key = try await identity.rotateSigningKey(for: .userPool)
        let stored = try await office.coordinator.read { try $0.credentials(.userPoolKey) }
        #expect(stored.count == 2)
        #expect(try await published(by: identity).first == key.id)
        try await office.coordinator.close()
    }

    @Test func `after a key theft former tokens are invalid, and a refresh token brings new ones`() async throws {
        let office = try await Office()
        let identity = office.identity
        let before = try await signIn(identity)
        let key = try await identity.rotateSigningKey(for: .userPool, endsTokens: true)
        #expect(key.formerGoodUntil == nil)
        for server in [identity, try restarted(office)] {
            #expect(try await !isGood(before, at: server))
            #expect(try await published(by: server) == [key.id])
        }
        let refresh = try #require(before.refreshToken)
        let fresh = try await identity.refreshUserPool(refresh, issuer: "http://localhost")
        #expect(try await isGood(fresh, at: identity))
        try await office.coordinator.close()
    }

    @Test func `before the first sign-in a new key is the first`() async throws {
        let office = try await Office()
        let key = try await office.identity.rotateSigningKey(for: .userPool)
        #expect(key.formerGoodUntil == nil)
        let session = try await signIn(office.identity)
        #expect(try await published(by: office.identity) == [key.id])
        #expect(try await isGood(session, at: office.identity))
        try await office.coordinator.close()
    }

    @Test func `access tokens end at once where the key was stolen`() async throws {
        let office = try await Office()
        let session = try await office.identity.signIn(name: "mia", password: Office.password(of: "mia"), from: "")
        let header = "Bearer \(session.accessToken)"
        #expect(try await office.identity.authenticate(header, from: "").name == "mia")
        office.clock.advance(bySeconds: 1)
        _ = try await office.identity.rotateSigningKey(for: .accessTokens, endsTokens: true)
        await #expect(throws: IdentityError.refused) { try await office.identity.authenticate(header, from: "") }
        try await office.coordinator.close()
    }
}
