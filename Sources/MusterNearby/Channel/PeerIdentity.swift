package import Crypto
import Foundation
import NIOCore
import NIOSSL
import SwiftASN1
import X509

extension KeyFingerprint {
    init(of certificate: NIOSSLCertificate) throws {
        self.init(bytes: Array(SHA256.hash(data: try certificate.extractPublicKey().toSPKIBytes())))
    }
}

/// The key of this device, in a self-signed certificate. Peers read nothing but the key from the certificate, which
/// contains nothing else about the device.
package struct PeerIdentity: Sendable {
    /// The fingerprint by which peers know this device.
    package let fingerprint: KeyFingerprint
    let certificate: NIOSSLCertificate
    let privateKey: NIOSSLPrivateKey

    /// Makes the certificate of a key.
    package init(_ key: P256.Signing.PrivateKey) throws {
        let name = try DistinguishedName { CommonName("muster-nearby") }
        let certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: .init(key.publicKey),
            // The certificate is valid at all times, so that a wrong clock refuses nobody. The key decides.
            notValidBefore: Date(timeIntervalSince1970: 0), notValidAfter: Date(timeIntervalSince1970: 4_102_444_800),
            issuer: name, subject: name, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: Certificate.Extensions(), issuerPrivateKey: .init(key))
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        self.certificate = try NIOSSLCertificate(bytes: serializer.serializedBytes, format: .der)
        privateKey = try NIOSSLPrivateKey(bytes: Array(key.pemRepresentation.utf8), format: .pem)
        fingerprint = try KeyFingerprint(of: self.certificate)
    }

    /// Creates the TLS 1.3 settings with this key, for a client or a server. `PeerVerification` alone checks the peer's
    /// certificate.
    func tlsContext(isServer: Bool) throws -> NIOSSLContext {
        var configuration =
            isServer
            ? TLSConfiguration.makeServerConfiguration(
                certificateChain: [.certificate(certificate)], privateKey: .privateKey(privateKey))
            : TLSConfiguration.makeClientConfiguration()
        configuration.certificateChain = [.certificate(certificate)]
        configuration.privateKey = .privateKey(privateKey)
        configuration.minimumTLSVersion = .tlsv13
        configuration.certificateVerification = .noHostnameVerification
        configuration.shutdownTimeout = .seconds(1)
        configuration.trustRoots = .certificates([])
        configuration.applicationProtocols = ["muster-nearby/1"]
        return try NIOSSLContext(configuration: configuration)
    }
}

/// Proves that a peer knows the team's secret: a message authentication code over both keys. A device in the middle has
/// other keys, so it cannot use the proof.
struct TeamSecret: Sendable {
    private let key: SymmetricKey

    /// The fewest bytes of a secret. A shorter one, such as a word, could be guessed from a proof.
    static let fewestBytes = 16

    /// Derives the key of proofs from a secret; nil when the secret is too short.
    init?(_ secret: [UInt8]) {
        guard secret.count >= Self.fewestBytes else { return nil }
        key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: secret), info: Data("muster-nearby team 1".utf8), outputByteCount: 32)
    }

    /// The proof that one device sends to another.
    func proof(of sender: KeyFingerprint, to receiver: KeyFingerprint) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: sender.bytes + receiver.bytes, using: key))
    }

    /// Whether a proof is right, in constant time.
    func isProof(_ proof: [UInt8], of sender: KeyFingerprint, to receiver: KeyFingerprint) -> Bool {
        HMAC<SHA256>.isValidAuthenticationCode(proof, authenticating: sender.bytes + receiver.bytes, using: key)
    }
}
