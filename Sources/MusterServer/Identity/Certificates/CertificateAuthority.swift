import CryptoExtras
import Foundation
import Logging
package import MusterCore
import MusterStore
import SwiftASN1
import X509

/// Signs the certificates of devices, and of the port on which they connect. Its key is sealed in the store, so that
/// neither a copy of the database nor a file of the data folder alone gives it away.
///
/// A signature of the authority lets nobody in: the server admits a certificate only while its digest is among the
/// credentials of a device (`Identity.authenticate(certificate:)`).
package struct CertificateAuthority: Sendable {
    /// The keys are RSA, because each TAK client takes RSA.
    private let key: _RSA.Signing.PrivateKey
    private let certificate: Certificate

    /// The authority's own certificate, as DER.
    package let der: [UInt8]

    private static let credentialKey = Array("devices".utf8)
    private static let purpose = "certificate authority"
    private static let keySize = _RSA.Signing.KeySize.bits2048
    private static let yearSeconds: Double = 365.25 * 86_400
    /// How long the authority's certificate is valid.
    private static let lifetimeSeconds = 20 * yearSeconds
    /// How long the port's certificate is valid. A new one is made at each start.
    private static let portSeconds = 2 * yearSeconds
    /// Certificates are valid from so long before they are made, because clocks differ.
    private static let earlierSeconds: Double = 86_400

    /// A certificate and its private key.
    package struct PortIdentity: Sendable {
        /// The certificate as DER.
        package let certificate: [UInt8]
        /// The private key, in the form of PKCS #8.
        package let privateKey: [UInt8]
    }

    /// Opens the authority of a store, and makes it where there is none, or where it was sealed with a key that is
    /// lost.
    ///
    /// - Throws: `CoordinatorError`, `StoreError`.
    package static func open(by identity: Identity) async throws -> CertificateAuthority {
        let (coordinator, vault) = (identity.coordinator, identity.vault)
        let stored = try await coordinator.read { try $0.credential(.certificateAuthority, key: credentialKey) }
        if let authority = stored.flatMap({ CertificateAuthority($0, vault) }) { return authority }
        let made = try CertificateAuthority(at: coordinator.now())
        return try await coordinator.edit(by: nil) { _, draft in
            // Another request may have made it meanwhile.
            let stored = try draft.transaction.credential(.certificateAuthority, key: credentialKey)
            if let authority = stored.flatMap({ CertificateAuthority($0, vault) }) { return authority }
            if stored != nil {
                identity.logger.error(
                    """
                    The authority of devices' certificates cannot be read with secrets.key, so a new one is made: \
                    enroll every device again
                    """)
            }
            let key = Array(made.key.derRepresentation)
            let length = [UInt8(key.count >> 8), UInt8(key.count & 0xFF)]
            draft.credentials.append(
                Credential(
                    kind: .certificateAuthority, key: credentialKey,
                    secret: vault.seal(length + key + made.der, for: purpose), createdAt: coordinator.now()))
            return made
        }
    }

    private init?(_ credential: Credential, _ vault: SecretVault) {
        guard let bytes = try? vault.open(credential.secret, for: Self.purpose), bytes.count > 2 else { return nil }
        let length = Int(bytes[0]) << 8 | Int(bytes[1])
        guard bytes.count > 2 + length,
            let key = try? _RSA.Signing.PrivateKey(derRepresentation: Data(bytes[2..<2 + length])),
            let certificate = try? Certificate(derEncoded: Array(bytes[(2 + length)...]))
        else { return nil }
        self.key = key
        self.certificate = certificate
        der = Array(bytes[(2 + length)...])
    }

    /// Makes a new authority.
    private init(at now: Instant) throws {
        key = try _RSA.Signing.PrivateKey(keySize: Self.keySize)
        let serial = Certificate.SerialNumber()
        // The serial number in the name keeps authorities of several servers apart in one client.
        let mark = serial.bytes.suffix(4).map { String($0, radix: 16) }.joined()
        let name = try DistinguishedName {
            OrganizationName("Muster")
            CommonName("Muster devices \(mark)")
        }
        let publicKey = Certificate.PublicKey(key.publicKey)
        certificate = try Certificate(
            version: .v3, serialNumber: serial, publicKey: publicKey,
            notValidBefore: now.date(after: -Self.earlierSeconds), notValidAfter: now.date(after: Self.lifetimeSeconds),
            issuer: name, subject: name, signatureAlgorithm: .sha256WithRSAEncryption,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(KeyUsage(keyCertSign: true, cRLSign: true))
                SubjectKeyIdentifier(hash: publicKey)
            }, issuerPrivateKey: Certificate.PrivateKey(key))
        der = try certificate.der
    }

    /// Makes the certificate of a port, with a new key.
    ///
    /// - Parameter hosts: the names and addresses by which clients reach the port.
    package func makePortIdentity(for hosts: [String], at now: Instant) throws -> PortIdentity {
        let portKey = try _RSA.Signing.PrivateKey(keySize: Self.keySize)
        let name = try DistinguishedName {
            OrganizationName("Muster")
            CommonName(String((hosts.first ?? "muster").prefix(64)))
        }
        let signed = try sign(
            Certificate.PublicKey(portKey.publicKey), subject: name, usage: .serverAuth,
            until: now.date(after: Self.portSeconds), hosts: hosts, at: now)
        return PortIdentity(certificate: try signed.der, privateKey: Array(portKey.pkcs8DERRepresentation))
    }

    /// Signs the certificate of a device.
    ///
    /// - Parameters:
    ///   - request: a request for a certificate (PKCS #10), as PEM. Only its key is taken from it.
    ///   - name: the name of the device, for people.
    ///   - end: when the certificate ends.
    /// - Throws: `UnusableCertificateRequest` where the text is no such request, is not signed by its own key, or has a
    ///   key that is neither RSA of 2,048 bits or more nor on P-256.
    func sign(request: String, named name: String, until end: Instant, at now: Instant) throws -> Certificate {
        guard request.utf8.count <= 8 << 10,
            let asked = try? CertificateSigningRequest(pemEncoded: request),
            asked.publicKey.isValidSignature(asked.signature, for: asked),
            P256.Signing.PublicKey(asked.publicKey) != nil
                || (_RSA.Signing.PublicKey(asked.publicKey).map { (2_048...8_192).contains($0.keySizeInBits) } ?? false)
        else { throw UnusableCertificateRequest() }
        let subject = try DistinguishedName {
            OrganizationName("Muster")
            CommonName(String(name.prefix(64)))
        }
        return try sign(
            asked.publicKey, subject: subject, usage: .clientAuth, until: end.date(after: 0), hosts: [], at: now)
    }

    private func sign(
        _ publicKey: Certificate.PublicKey, subject: DistinguishedName, usage: ExtendedKeyUsage.Usage, until end: Date,
        hosts: [String], at now: Instant
    ) throws -> Certificate {
        try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: publicKey,
            notValidBefore: now.date(after: -Self.earlierSeconds),
            notValidAfter: min(end, certificate.notValidAfter), issuer: certificate.subject, subject: subject,
            signatureAlgorithm: .sha256WithRSAEncryption,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true, keyEncipherment: true))
                try ExtendedKeyUsage([usage])
                SubjectKeyIdentifier(hash: publicKey)
                AuthorityKeyIdentifier(keyIdentifier: SubjectKeyIdentifier(hash: certificate.publicKey).keyIdentifier)
                if !hosts.isEmpty { SubjectAlternativeNames(hosts.map(Self.generalName)) }
            }, issuerPrivateKey: Certificate.PrivateKey(key))
    }

    private static func generalName(of host: String) -> GeneralName {
        var four = [UInt8](repeating: 0, count: 4)
        if inet_pton(AF_INET, host, &four) == 1 { return .ipAddress(ASN1OctetString(contentBytes: four[...])) }
        var all = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET6, host, &all) == 1 { return .ipAddress(ASN1OctetString(contentBytes: all[...])) }
        return .dnsName(host)
    }
}

/// A text is no usable request for a certificate.
package struct UnusableCertificateRequest: Error {}

extension Certificate {
    /// The certificate as DER.
    var der: [UInt8] {
        get throws {
            var serializer = DER.Serializer()
            try serializer.serialize(self)
            return serializer.serializedBytes
        }
    }
}

extension Instant {
    fileprivate func date(after seconds: Double) -> Date { Date(timeIntervalSince1970: self.seconds + seconds) }
}
