import MusterCoding
package import MusterCore
import MusterStore
import SwiftASN1
import X509

/// A device's certificate as its maker gets it.
package struct DeviceCertificate: Sendable {
    /// The certificate, and that of the authority that signed it, as PEM.
    package let pem: String
    package let authorityPEM: String
    package let expiresAt: Instant
}

/// A certificate, and the credential by which the server will know it.
struct SignedCertificate: Sendable {
    let certificate: DeviceCertificate
    let credential: Credential
}

/// Who shows a certificate.
package struct CertificateHolder: Sendable {
    /// The device, which reports for its own user and has the rights of any device's token.
    package let device: Principal
    /// By whose rights the holder reads: the device's, or those of its user where the certificate was made to open
    /// them. It has no right to change anything.
    package let reader: Principal
}

/// Certificates of devices: a device's token whose secret is a private key that the server never has.
///
/// The digest of a certificate is stored as the digest of a token is, so it ends as a token ends: with the device, its
/// user, its maker's right, its time, and by `muster token revoke`.
extension Identity {
    /// The longest time for which a certificate is valid, in days.
    package static let certificateDays = 1.0...1_825.0
    /// The label of a certificate that opens what its user may read.
    private static let readerLabel = "certificate, reads"
    private static let deviceLabel = "certificate"

    /// What the label of a device's credential says of it.
    static func kind(ofLabel label: String) -> (kind: DeviceToken.Kind, readsAsUser: Bool) {
        if label == readerLabel { return (.certificate, true) }
        if label == deviceLabel { return (.certificate, false) }
        return terms(ofEnrollment: label).map { (.enrollment, $0.readsAsUser) } ?? (.token, false)
    }

    /// Makes a certificate for a device.
    ///
    /// - Parameters:
    ///   - request: a request for a certificate (PKCS #10), as PEM.
    ///   - days: how long the certificate is valid.
    ///   - readsAsUser: whether its holder may read what the device's user may. The caller checks that the author may
    ///     give that (`Access.mayChangeKeys`).
    /// - Throws: `UnusableCertificateRequest`; `IdentityError.tooMany`; `.unknown` when the device no longer exists, or
    ///   the author may not make tokens for it; `CoordinatorError`, `StoreError`.
    package func makeCertificate(
        for device: DeviceNumber, request: String, days: Double, readsAsUser: Bool, by author: Author
    ) async throws -> DeviceCertificate {
        guard let name = coordinator.directory.qualifiedName(of: device) else { throw IdentityError.unknown }
        guard try await tokens(of: device).count < Self.deviceTokenLimit else {
            throw IdentityError.tooMany("tokens of \(name)", limit: Self.deviceTokenLimit)
        }
        let made = try await signCertificate(
            for: device, request: request, days: days, readsAsUser: readsAsUser, madeBy: author.user)
        try await coordinator.edit(by: author) { directory, draft in
            try draft.addDeviceCredential(made.credential, madeBy: author.user, in: directory)
        }
        return made.certificate
    }

    /// Signs a certificate, and returns it with its credential, which is not stored yet.
    ///
    /// - Throws: as `makeCertificate`, but for the number of tokens and the maker's right.
    func signCertificate(
        for device: DeviceNumber, request: String, days: Double, readsAsUser: Bool, madeBy maker: UserNumber
    ) async throws -> SignedCertificate {
        let directory = coordinator.directory
        guard let name = directory.qualifiedName(of: device) else { throw IdentityError.unknown }
        let now = now()
        let end = now.advanced(bySeconds: days * 86_400)
        let authority = try await CertificateAuthority.open(by: self)
        let der = try authority.sign(request: request, named: name, until: end, at: now).der
        let credential = Credential(
            kind: .deviceToken, key: Self.digest(ofCertificate: der).bytes, user: directory.devices[device]?.user,
            device: device, label: readsAsUser ? Self.readerLabel : Self.deviceLabel,
            secret: Credential.passwordKey(of: maker), createdAt: now, expiresAt: end)
        let certificate = DeviceCertificate(
            pem: PEMDocument(type: "CERTIFICATE", derBytes: der).pemString,
            authorityPEM: PEMDocument(type: "CERTIFICATE", derBytes: authority.der).pemString, expiresAt: end)
        return SignedCertificate(certificate: certificate, credential: credential)
    }

    /// Authenticates the holder of a certificate. That the holder has its private key, and that the authority signed
    /// it, is the business of TLS.
    ///
    /// - Parameter der: the certificate as DER.
    /// - Throws: `IdentityError.refused`; `CoordinatorError` and `StoreError` when the store cannot answer now.
    package func authenticate(certificate der: [UInt8]) async throws -> CertificateHolder {
        let now = now()
        let digest = Self.digest(ofCertificate: der)
        var entry = verified.entry(for: digest, at: now)
        if let known = entry, known.maker != nil, known.endedRights != coordinator.endedRights { entry = nil }
        if let entry { return try holder(entry) }
        let generation = verified.generation
        let endedRights = coordinator.endedRights
        let stored = try await coordinator.readCredentials { try $0.credential(.deviceToken, key: digest.bytes) }
        guard let stored, stored.isGood(at: now), let device = stored.device,
            let owner = coordinator.directory.devices[device]?.user
        else { throw IdentityError.refused }
        var made = CredentialCache.Entry(
            user: owner, device: device, proof: .deviceToken, maker: stored.maker, endedRights: endedRights,
            expiresAt: stored.expiresAt)
        made.readsAsUser = stored.label == Self.readerLabel && stored.user == owner
        let holder = try holder(made)
        verified.storeEntry(made, for: digest, verifiedIn: generation, at: now)
        return holder
    }

    private func holder(_ entry: CredentialCache.Entry) throws(IdentityError) -> CertificateHolder {
        let device = try principal(entry)
        // A device that has come to another user since opens nothing of that user's.
        guard entry.readsAsUser, entry.user == device.user, let user = coordinator.directory.users[device.user] else {
            return CertificateHolder(device: device, reader: device)
        }
        return CertificateHolder(device: device, reader: Principal(user, proof: .deviceToken))
    }

    /// The digest by which the store knows a certificate. A byte that no text has in UTF-8 comes first: certificates
    /// are no secret, and no text that a client can send as a token may have the same digest.
    private static func digest(ofCertificate der: [UInt8]) -> TokenDigest { TokenDigest(bytes: [0xFF] + der) }
}

extension Draft {
    /// Adds a credential of a device.
    ///
    /// - Throws: `IdentityError.unknown` when the device has another owner by now, or its maker may not make tokens for
    ///   it.
    mutating func addDeviceCredential(
        _ credential: Credential, madeBy maker: UserNumber, in directory: Directory
    ) throws(IdentityError) {
        guard let owner = credential.device.flatMap({ directory.devices[$0]?.user }), owner == credential.user,
            directory.letsToken(madeBy: maker, standForDevicesOf: owner)
        else { throw .unknown }
        credentials.append(credential)
    }
}
