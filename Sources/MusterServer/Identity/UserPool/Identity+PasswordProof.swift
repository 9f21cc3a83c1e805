import BigInt
import Logging
package import MusterCore
import MusterHTTP
package import MusterStore
import MusterWire

/// A password as it is stored: its hash, and the verifier by which its user can prove it.
package struct StoredPassword: Sendable {
    let hash: String
    let verifier: PasswordVerifier
    /// The name that was hashed with the password into the verifier.
    let user: String
}

/// Sign-ins in which the password stays with the client (SRP).
extension Identity {
    /// Computes the hash and the verifier of a new password.
    ///
    /// - Parameter name: the user's name.
    /// - Throws: `IdentityError.unusablePassword`, `.busy`.
    package func prepare(_ password: String, ofUserNamed name: String) async throws -> StoredPassword {
        let hash = try await passwordHash(of: password)
        return StoredPassword(hash: hash, verifier: try await verifier(of: password, user: name), user: name)
    }

    /// The credentials that store a password.
    package func credentials(
        for password: StoredPassword, of user: UserNumber, at now: Instant
    ) -> [Credential] {
        let hash = Credential.password(password.hash, of: user, at: now)
        return [hash, credential(for: password.verifier, of: user, named: password.user, hash: hash, at: now)]
    }

    private func verifier(of password: String, user: String) async throws -> PasswordVerifier {
        let pool = coordinator.origin.userPoolName
        let address = AddressPrefix.of(RequestWork.current?.address ?? "")
        return try await hasher.run(address, PasswordHasher.urgencyOfNewPasswords) {
            PasswordVerifier(of: password, pool: pool, user: user)
        }
    }

    private func credential(
        for verifier: PasswordVerifier, of user: UserNumber, named name: String, hash: Credential, at now: Instant
    ) -> Credential {
        Credential(
            kind: .passwordVerifier, key: Credential.passwordKey(of: user), user: user,
            secret: vault.seal(
                verifier.contents(mark: Self.passwordMark(hash), user: name), for: Self.purpose(ofVerifier: user)),
            createdAt: now)
    }

    private static func purpose(ofVerifier user: UserNumber) -> String { "password verifier \(user.rawValue)" }

    /// Stores the verifier of a password that was just verified, where the store has none: an earlier version stored
    /// only the hash. After a failure, the next sign-in tries again.
    func addVerifier(of password: String, to user: User, hash: Credential) async {
        do {
            let stored = try await coordinator.readCredentials { store in
                try store.credential(.passwordVerifier, key: Credential.passwordKey(of: user.number))
            }
            guard opened(stored, of: user, hash: hash) == nil else { return }
            let fresh = credential(
                for: try await verifier(of: password, user: user.name), of: user.number, named: user.name,
                hash: hash, at: now())
            try await coordinator.edit(by: nil) { directory, draft in
                guard directory.users[user.number] != nil else { return }
                // A verifier of an older password must not take the place of a newer one's.
                try Self.require(Self.passwordMark(hash), of: user.number, in: draft.transaction)
                draft.credentials.append(fresh)
            }
        } catch {
            logger.debug("A password verifier was not stored", metadata: ["user": "\(user.name)", "error": "\(error)"])
        }
    }

    /// Opens a stored verifier; nil when it is of another password than the hash, or of another name.
    private func opened(_ stored: Credential?, of user: User, hash: Credential?) -> PasswordVerifier? {
        guard let stored, let hash,
            let contents = try? vault.open(stored.secret, for: Self.purpose(ofVerifier: user.number))
        else { return nil }
        return PasswordVerifier(contents: contents, mark: Self.passwordMark(hash), user: user.name)
    }

    /// What the store has for the proof of a password: nothing for an unknown name.
    private struct StoredProof: Sendable {
        let user: User?
        let verifier: Credential?
        let hash: Credential?
    }

    private func storedProof(ofUserNamed name: String) async throws -> StoredProof {
        let user = coordinator.directory.users[name]
        return try await coordinator.readCredentials { store in
            let key = user.map { Credential.passwordKey(of: $0.number) } ?? []
            return StoredProof(
                user: user, verifier: try store.credential(.passwordVerifier, key: key),
                hash: try store.credential(.password, key: key))
        }
    }

    /// Returns the verifier of a user. For a user who has none, and for an unknown name, returns one that no password
    /// fits. It is always the same for a name, so that its salt does not reveal whether the user exists. Both are
    /// computed each time, so that the time does not either. Call it on the hashing threads.
    private func passwordVerifier(
        ofUserNamed name: String, _ stored: StoredProof
    ) -> (user: User?, verifier: PasswordVerifier, mark: [UInt8]) {
        let decoy = PasswordVerifier(
            salt: PasswordVerifier.salt(vault.mark(of: name, for: "password salt")),
            verifier: (0..<12).flatMap { vault.mark(of: name, for: "password verifier \($0)") })
        guard let user = stored.user, let found = opened(stored.verifier, of: user, hash: stored.hash) else {
            return (nil, decoy, [])
        }
        return (user, found, Self.passwordMark(stored.hash))
    }

    /// Begins a sign-in by proof. It counts as a tried password until it has succeeded.
    ///
    /// - Parameter clientNumber: the client's public number, A, in hexadecimal.
    /// - Throws: `UserPoolError.invalidNumber`; `IdentityError.tooManyTries`, `.busy`; `StoreError`,
    ///   `CoordinatorError`.
    package func beginProof(
        ofUserNamed name: String, clientNumber: String, from address: String
    ) async throws -> PasswordChallenge {
        guard clientNumber.utf8.count <= 2 * PasswordProof.byteCount, !clientNumber.isEmpty else {
            throw UserPoolError.invalidNumber
        }
        let now = now()
        let isSuspected: Bool
        do {
            isSuspected = try attempts.spendAttempt(
                name: EntityName.isValid(name) ? name : "", address: address, at: now)
        } catch {
            signIns.count(.throttled)
            throw error
        }
        let stored = try await storedProof(ofUserNamed: name)
        let urgency = urgency(of: stored.user, from: address, isSuspected: isSuspected, at: now)
        // Everything with numbers of 3,072 bits is slow: to open the verifier, to parse, compute, print and seal. On
        // the threads that serve requests it would delay everyone, so it runs on the hashing threads.
        let challenge = try await hasher.run(AddressPrefix.of(address), urgency) { [self] () -> PasswordChallenge? in
            guard let number = BigUInt(clientNumber, radix: 16), number % PasswordProof.modulus != 0 else {
                return nil
            }
            let verifier = passwordVerifier(ofUserNamed: name, stored).verifier
            let secret = PasswordProof.number(SecretToken.randomBytes(OpenChallenge.secretBytes))
            let publicNumber = PasswordProof.publicNumber(
                ofSecret: secret, verifier: PasswordProof.number(verifier.verifier))
            let open = OpenChallenge(
                user: name, clientNumber: number, publicNumber: publicNumber, secret: secret,
                expiresAt: now.advanced(bySeconds: PasswordChallenges.lifetimeSeconds))
            return PasswordChallenge(
                user: name, salt: verifier.salt, publicNumber: String(publicNumber, radix: 16),
                secretBlock: challenges.seal(open))
        }
        guard let challenge else {
            // An invalid number is no guess at the password, so it costs no attempt.
            attempts.giveBack(name: EntityName.isValid(name) ? name : "", address: address, at: now)
            throw UserPoolError.invalidNumber
        }
        return challenge
    }

    /// Ends a sign-in by proof.
    ///
    /// - Parameters:
    ///   - time: the client's time, which its signature holds.
    ///   - issuer: the user pool's address, as the client calls it.
    /// - Throws: `UserPoolError.invalidChallenge`; `IdentityError.refused` for an unknown name and for a wrong password
    ///   alike; `.busy`; `StoreError`, `CoordinatorError`.
    package func finishProof(
        ofUserNamed name: String, secretBlock: [UInt8], signature: [UInt8], time: String, issuer: String,
        from address: String
    ) async throws -> UserPoolSession {
        let now = now()
        guard let challenge = challenges.redeem(secretBlock, at: now), challenge.user == name,
            let stated = PasswordProof.time(time),
            abs(stated.seconds(since: now)) <= Self.signatureToleranceSeconds
        else { throw UserPoolError.invalidChallenge }
        let stored = try await storedProof(ofUserNamed: name)
        let pool = coordinator.origin.userPoolName
        let urgency = urgency(
            of: stored.user, from: address, isSuspected: attempts.isSuspected(name, at: now), at: now)
        let proven = try await hasher.run(AddressPrefix.of(address), urgency) {
            [self] () -> (user: User, mark: [UInt8])? in
            let (user, verifier, mark) = passwordVerifier(ofUserNamed: name, stored)
            let key = PasswordProof.sharedKey(
                clientNumber: challenge.clientNumber, publicNumber: challenge.publicNumber, secret: challenge.secret,
                verifier: PasswordProof.number(verifier.verifier))
            guard let key else { return nil }
            let expected = PasswordProof.signature(
                pool: pool, user: name, secretBlock: secretBlock, time: time, key: key)
            guard expected.isEqualInConstantTime(to: signature), let user else { return nil }
            return (user, mark)
        }
        guard let (user, mark) = proven else {
            signIns.count(.failed)
            logFailedSignIn(of: coordinator.directory.users[name], from: address)
            throw IdentityError.refused
        }
        attempts.giveBack(name: name, address: address, at: now)
        recentSignIns.record(user.number, from: address, at: now)
        signIns.count(.succeeded)
        return try await openUserPoolSession(for: user, provenBy: mark, issuer: issuer)
    }
}
