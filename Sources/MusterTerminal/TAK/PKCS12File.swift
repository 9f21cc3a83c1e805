import Crypto
import CryptoExtras
import Foundation
import SwiftASN1

/// Makes files of PKCS #12 (RFC 7292), in which TAK clients take certificates and keys.
///
/// Certificates are in clear, a private key is encrypted by the file's password (PBES2: PBKDF2 with HMAC-SHA-256,
/// AES-256-CBC), and all of it is authenticated by the same password.
package struct PKCS12File {
    /// How often a password is hashed. TAK clients show no field for a slow start, and the passwords are random.
    private static let iterations = 10_000

    /// The bytes of the file.
    package let bytes: [UInt8]

    /// Makes a file with certificates that its reader may trust.
    ///
    /// - Parameter certificates: as DER.
    package init(trusting certificates: [[UInt8]], named name: String, password: String) throws {
        let bags = certificates.map { certificateBag($0, [Self.friendlyName(name), Self.trusted]) }
        bytes = try Self.file([Self.data(sequence(bags))], password)
    }

    /// Makes a file with a private key and its certificate.
    ///
    /// - Parameters:
    ///   - privateKey: in the form of PKCS #8.
    ///   - chain: the key's certificate, and those of its authorities, as DER.
    package init(privateKey: [UInt8], chain: [[UInt8]], named name: String, password: String) throws {
        let mark = Array(Insecure.SHA1.hash(data: chain.first ?? []))
        let attributes = [Self.friendlyName(name), Self.attribute(.localKeyID, octets(mark))]
        let certificates = chain.enumerated().map { certificateBag($1, $0 == 0 ? attributes : []) }
        let key = try bag(.shroudedKeyBag, Self.encrypted(privateKey, password), attributes)
        bytes = try Self.file([Self.data(sequence(certificates)), Self.data(sequence([key]))], password)
    }

    // MARK: The file

    private static func file(_ contents: [[UInt8]], _ password: String) throws -> [UInt8] {
        let safe = sequence(contents)
        let salt = random(16)
        let key = derivedKey(password, salt)
        let code = Array(HMAC<SHA256>.authenticationCode(for: safe, using: SymmetricKey(data: key)))
        let digest = sequence([sequence([try object(.sha256), [0x05, 0x00]]), octets(code)])
        return sequence([integer(3), data(safe), sequence([digest, octets(salt), integer(iterations)])])
    }

    private static func data(_ content: [UInt8]) -> [UInt8] {
        sequence([known(.data), tagged(0xA0, octets(content))])
    }

    private static func encrypted(_ key: [UInt8], _ password: String) throws -> [UInt8] {
        let (salt, vector) = (random(16), random(16))
        let secret = try KDF.Insecure.PBKDF2.deriveKey(
            from: Array(password.utf8), salt: salt, using: .sha256, outputByteCount: 32,
            unsafeUncheckedRounds: iterations)
        let sealed = try AES._CBC.encrypt(key, using: secret, iv: AES._CBC.IV(ivBytes: vector))
        let derivation = sequence([
            known(.pbkdf2),
            sequence([octets(salt), integer(iterations), sequence([known(.hmacSHA256), [0x05, 0x00]])]),
        ])
        let cipher = sequence([known(.aes256CBC), octets(vector)])
        return sequence([sequence([known(.pbes2), sequence([derivation, cipher])]), octets(Array(sealed))])
    }

    /// Derives the key of the message authentication code (RFC 7292, appendix B.2, with SHA-256 and the purpose 3).
    ///
    /// One block is enough: the key is as long as the digest, so nothing of the block after it is needed.
    private static func derivedKey(_ password: String, _ salt: [UInt8]) -> [UInt8] {
        let block = 64
        func filled(_ bytes: [UInt8]) -> [UInt8] {
            let length = (bytes.count + block - 1) / block * block
            return (0..<length).map { bytes[$0 % bytes.count] }
        }
        let text = (Array(password.utf16) + [0]).flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        var hash = Array(
            SHA256.hash(data: [UInt8](repeating: 3, count: block) + filled(salt) + filled(text)))
        for _ in 1..<iterations { hash = Array(SHA256.hash(data: hash)) }
        return hash
    }

    private static func random(_ count: Int) -> [UInt8] {
        SymmetricKey(size: SymmetricKeySize(bitCount: count * 8)).withUnsafeBytes { Array($0) }
    }

    // MARK: Attributes

    private static func friendlyName(_ name: String) -> [UInt8] {
        attribute(.friendlyName, tagged(0x1E, name.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }))
    }

    /// Java trusts a certificate without a key only with this attribute.
    private static var trusted: [UInt8] { attribute(.trustedKeyUsage, known(.anyKeyUsage)) }

    private static func attribute(_ name: Name, _ value: [UInt8]) -> [UInt8] {
        sequence([known(name), tagged(0x31, value)])
    }
}

/// The object identifiers of a file.
private enum Name: String {
    case data = "1.2.840.113549.1.7.1"
    case certificateBag = "1.2.840.113549.1.12.10.1.3"
    case shroudedKeyBag = "1.2.840.113549.1.12.10.1.2"
    case x509 = "1.2.840.113549.1.9.22.1"
    case friendlyName = "1.2.840.113549.1.9.20"
    case localKeyID = "1.2.840.113549.1.9.21"
    case trustedKeyUsage = "2.16.840.1.113894.746875.1.1"
    case anyKeyUsage = "2.5.29.37.0"
    case pbes2 = "1.2.840.113549.1.5.13"
    case pbkdf2 = "1.2.840.113549.1.5.12"
    case hmacSHA256 = "1.2.840.113549.2.9"
    case aes256CBC = "2.16.840.1.101.3.4.1.42"
    case sha256 = "2.16.840.1.101.3.4.2.1"
}

private func certificateBag(_ certificate: [UInt8], _ attributes: [[UInt8]]) -> [UInt8] {
    bag(.certificateBag, sequence([known(.x509), tagged(0xA0, octets(certificate))]), attributes)
}

private func bag(_ name: Name, _ content: [UInt8], _ attributes: [[UInt8]]) -> [UInt8] {
    let set = attributes.isEmpty ? [] : [tagged(0x31, attributes.flatMap { $0 })]
    return sequence([known(name), tagged(0xA0, content)] + set)
}

// MARK: DER

private func sequence(_ elements: [[UInt8]]) -> [UInt8] { tagged(0x30, elements.flatMap { $0 }) }

private func octets(_ bytes: [UInt8]) -> [UInt8] { tagged(0x04, bytes) }

private func tagged(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    var length: [UInt8] = []
    if content.count < 0x80 {
        length = [UInt8(content.count)]
    } else {
        var rest = content.count
        while rest > 0 {
            length.insert(UInt8(rest & 0xFF), at: 0)
            rest >>= 8
        }
        length.insert(0x80 | UInt8(length.count), at: 0)
    }
    return [tag] + length + content
}

private func integer(_ value: Int) -> [UInt8] {
    var serializer = DER.Serializer()
    do { try serializer.serialize(value) } catch { preconditionFailure("an integer has a form in DER: \(error)") }
    return serializer.serializedBytes
}

private func known(_ name: Name) -> [UInt8] {
    do { return try object(name) } catch { preconditionFailure("\(name) is an identifier: \(error)") }
}

private func object(_ name: Name) throws -> [UInt8] {
    var serializer = DER.Serializer()
    try serializer.serialize(try ASN1ObjectIdentifier(dotRepresentation: name.rawValue))
    return serializer.serializedBytes
}
