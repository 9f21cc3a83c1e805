import Crypto
import MusterCoding
package import MusterWire

/// The key that signs and verifies for one access key, day, region and service (AWS Signature Version 4), derived from
/// the secret. Deriving it is slow, so the server caches it. It is useless outside its scope.
package struct SigningKey: Sendable {
    private let key: SymmetricKey

    /// Derives the key of a scope from a secret access key.
    package init(secret: String, scope: SignatureV4.Scope) {
        var key = SymmetricKey(data: Array("AWS4\(secret)".utf8))
        for part in [scope.date, scope.region, scope.service, "aws4_request"] {
            key = SymmetricKey(data: HMAC<SHA256>.authenticationCode(for: Array(part.utf8), using: key))
        }
        self.key = key
    }

    /// SHA-256 of some bytes in hexadecimal, as the signed texts contain it.
    package static func digest(of bytes: [UInt8]) -> String { SHA256.hash(data: bytes).hexadecimal }

    /// The signature of a text, in hexadecimal.
    package func signature(of stringToSign: [UInt8]) -> String {
        HMAC<SHA256>.authenticationCode(for: stringToSign, using: key).hexadecimal
    }

    /// Whether a signature is this text's. Takes the same time whatever the result.
    package func accepts(_ signature: String, of stringToSign: [UInt8]) -> Bool {
        Array(self.signature(of: stringToSign).utf8).isEqualInConstantTime(to: Array(signature.utf8))
    }
}

/// The parts of a request that its signature is verified with.
package struct SignedRequest: Sendable {
    /// The content of its `Authorization` header.
    package let shown: SignatureV4
    /// The text that was signed.
    package let stringToSign: [UInt8]
    /// The time of signing from `X-Amz-Date`, as `YYYYMMDDTHHMMSSZ`.
    package let time: String
    /// The session token that comes with temporary credentials.
    package let sessionToken: String?

    package init(shown: SignatureV4, stringToSign: [UInt8], time: String, sessionToken: String?) {
        self.shown = shown
        self.stringToSign = stringToSign
        self.time = time
        self.sessionToken = sessionToken
    }
}

/// Why a signature was refused.
package enum SignatureError: Error, Hashable, Sendable {
    /// The request has no signature.
    case missing
    /// The header is malformed, or its signature leaves out a required part; with an explanation.
    case malformed(String)
    /// The signature is for another service or day than the request; with an explanation.
    case otherScope(String)
    /// The time of signing is too far in the past or future; with an explanation.
    case otherTime(String)
    /// The access key, or the session token, is unknown.
    case unknownKey
    /// The temporary credentials have expired.
    case expiredToken
    /// The signature does not match the request.
    case mismatch
}
