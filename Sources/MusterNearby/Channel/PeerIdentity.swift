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

/// The key of this device, with the self-signed certificate that carries it. Nobody looks at the certificate but for
/// its key, and it says nothing of the device.
package struct PeerIdentity: Sendable {
    /// Who this device is to its peers.
    package let fingerprint: KeyFingerprint
    let certificate: NIOSSLCertificate
    let privateKey: NIOSSLPrivateKey

    /// Makes the certificate of a key.
    package init(_ key: P256.Signing.PrivateKey) throws {
        let name = try DistinguishedName { CommonName("muster-nearby") }
        let certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: .init(key.publicKey),
            // A clock that is off refuses nobody: the key decides.
            notValidBefore: Date(timeIntervalSince1970: 0), notValidAfter: Date(timeIntervalSince1970: 4_102_444_800),
            issuer: name, subject: name, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: Certificate.Extensions(), issuerPrivateKey: .init(key))
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        self.certificate = try NIOSSLCertificate(bytes: serializer.serializedBytes, format: .der)
        privateKey = try NIOSSLPrivateKey(bytes: Array(key.pemRepresentation.utf8), format: .pem)
        fingerprint = try KeyFingerprint(of: self.certificate)
    }

    /// TLS 1.3 with this key, for either end. The other end's certificate is looked at by `PeerVerification` alone.
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

/// What proves that a peer knows the team's secret: a code over both keys, so that it is worth nothing to anyone in the
/// middle, who has other keys.
struct TeamSecret: Sendable {
    private let key: SymmetricKey

    /// The fewest bytes of a secret. A word could be guessed from a proof.
    static let fewestBytes = 16

    /// Takes a secret; nil when it is too short.
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
