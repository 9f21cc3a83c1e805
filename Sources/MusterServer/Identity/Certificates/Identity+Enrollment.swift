import MusterCoding
package import MusterCore
import MusterStore

/// A token with which a TAK client gets a certificate for its device, once.
package struct EnrollmentToken: Sendable {
    /// The secret, which cannot be read again.
    package let text: String
    package let expiresAt: Instant
}

/// A client enrolls: it makes its own private key and asks for a certificate, as ATAK does with a QR code.
///
/// The token of an enrollment is stored as the device's tokens are, and ends as they end. It is of another kind, so it
/// opens no other route, and nobody reports with it.
extension Identity {
    /// How long such a token is valid.
    package static let enrollmentSeconds: Double = 3600
    private static let label = "enrollment"
    private static let readsMark = ", reads"

    /// Makes a token with which a client gets a certificate.
    ///
    /// - Parameters:
    ///   - days: how long the certificate will be valid, in whole days.
    ///   - readsAsUser: as for `makeCertificate`. The caller checks that the author may give that.
    /// - Throws: as `makeCertificate`.
    package func makeEnrollment(
        of device: DeviceNumber, days: Double, readsAsUser: Bool, by author: Author
    ) async throws -> EnrollmentToken {
        let directory = coordinator.directory
        guard let name = directory.qualifiedName(of: device) else { throw IdentityError.unknown }
        guard try await tokens(of: device).count < Self.deviceTokenLimit else {
            throw IdentityError.tooMany("tokens of \(name)", limit: Self.deviceTokenLimit)
        }
        let secret = SecretToken(.enrollment)
        let now = now()
        let end = now.advanced(bySeconds: Self.enrollmentSeconds)
        let credential = Credential(
            kind: .deviceToken, key: secret.digest.bytes, user: directory.devices[device]?.user, device: device,
            label: "\(Self.label) \(Int(days))" + (readsAsUser ? Self.readsMark : ""),
            secret: Credential.passwordKey(of: author.user), createdAt: now, expiresAt: end)
        try await coordinator.edit(by: author) { directory, draft in
            try draft.addDeviceCredential(credential, madeBy: author.user, in: directory)
        }
        return EnrollmentToken(text: secret.text, expiresAt: end)
    }

    /// Checks the token of an enrollment, in the password of Basic. Returns its digest, by which the store knows it.
    ///
    /// - Parameters:
    ///   - authorization: the header's value; its user name is not looked at.
    ///   - address: the address the request comes from, to slow down guessing.
    /// - Throws: `IdentityError.missing` without a header; `.refused` for an unknown, expired or used token alike;
    ///   `.tooManyTries` after many of those; `CoordinatorError` and `StoreError` when the store cannot answer now.
    @discardableResult
    package func checkEnrollment(_ authorization: String?, from address: String) async throws -> [UInt8] {
        guard let authorization else { throw IdentityError.missing }
        guard case .basic(_, let token)? = ShownCredential(header: authorization),
            token.hasPrefix(SecretToken.Kind.enrollment.rawValue)
        else { throw IdentityError.refused }
        let now = now()
        let key = TokenDigest(of: token).bytes
        let stored = try await coordinator.readCredentials { try $0.credential(.deviceToken, key: key) }
        guard let stored, stored.isGood(at: now) else {
            try attempts.spendAttempt(name: "enrollment from \(address)", address: address, at: now)
            throw IdentityError.refused
        }
        return key
    }

    /// Makes the certificate for which a token was made, and uses the token up.
    ///
    /// - Parameters:
    ///   - key: the digest of the token, which `checkEnrollment` has admitted.
    ///   - request: a request for a certificate (PKCS #10), as PEM.
    /// - Throws: `IdentityError.refused` when the token is over by now; `UnusableCertificateRequest`;
    ///   `CoordinatorError`, `StoreError`.
    package func enroll(by key: [UInt8], request: String) async throws -> DeviceCertificate {
        let stored = try await coordinator.readCredentials { try $0.credential(.deviceToken, key: key) }
        guard let stored, stored.isGood(at: now()), let device = stored.device, let maker = stored.maker,
            let terms = Self.terms(ofEnrollment: stored.label)
        else { throw IdentityError.refused }
        let made = try await signCertificate(
            for: device, request: request, days: terms.days, readsAsUser: terms.readsAsUser, madeBy: maker)
        let now = now()
        try await coordinator.edit(by: Author(user: maker)) { directory, draft in
            // Another request may have used it meanwhile.
            let used = try draft.transaction.credential(.deviceToken, key: key)
            guard let used, used.isGood(at: now), used.user == made.credential.user else { throw IdentityError.refused }
            draft.removedCredentials.append((kind: .deviceToken, key: key))
            try draft.addDeviceCredential(made.credential, madeBy: maker, in: directory)
        }
        return made.certificate
    }

    /// What the label of an enrollment says of the certificate; nil for any other label.
    static func terms(ofEnrollment label: String) -> (days: Double, readsAsUser: Bool)? {
        guard label.hasPrefix("\(Self.label) ") else { return nil }
        let readsAsUser = label.hasSuffix(readsMark)
        let days = label.dropFirst(Self.label.count + 1).dropLast(readsAsUser ? readsMark.count : 0)
        return Double(days).map { ($0, readsAsUser) }
    }
}
