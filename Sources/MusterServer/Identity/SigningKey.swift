import Crypto
package import MusterWire

/// What signs and verifies for one access key, day, region and service (AWS's Signature Version 4): the secret, hashed
/// along that chain. Dear to derive, so it is kept for a while; it is worth nothing outside its scope.
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

    /// SHA-256 of some bytes, hexadecimal, as the texts that are signed hold it.
    package static func digest(of bytes: [UInt8]) -> String { SHA256.hash(data: bytes).hexadecimal }

    /// The signature of a text, hexadecimal.
    package func signature(of stringToSign: [UInt8]) -> String {
        HMAC<SHA256>.authenticationCode(for: stringToSign, using: key).hexadecimal
    }

    /// Whether a signature is this text's; takes as long whatever the answer.
    func accepts(_ signature: String, of stringToSign: [UInt8]) -> Bool {
        Array(self.signature(of: stringToSign).utf8).isEqualInConstantTime(to: Array(signature.utf8))
    }
}

/// A request as far as its signature tells whose it is.
package struct SignedRequest: Sendable {
    /// What its `Authorization` header says.
    package let shown: SignatureV4
    /// What was signed.
    package let stringToSign: [UInt8]
    /// When it was signed, as its `X-Amz-Date` says, `YYYYMMDDTHHMMSSZ`.
    package let time: String
    /// What temporary credentials show beside the signature.
    package let sessionToken: String?

    /// A signed request.
    package init(shown: SignatureV4, stringToSign: [UInt8], time: String, sessionToken: String?) {
        self.shown = shown
        self.stringToSign = stringToSign
        self.time = time
        self.sessionToken = sessionToken
    }
}

/// Why a signature proves nothing.
package enum SignatureError: Error, Hashable, Sendable {
    /// The request shows none.
    case missing
    /// Its header cannot be read, or leaves out what must be signed; in words.
    case malformed(String)
    /// It is for another service or day than it was sent to and at; in words.
    case otherScope(String)
    /// It was made too long ago, or will be; in words.
    case otherTime(String)
    /// The access key, or the token beside it, is none that is known.
    case unknownKey
    /// The temporary credentials are over.
    case expiredToken
    /// It is not what this request's would be.
    case mismatch
}

extension Sequence<UInt8> {
    /// The bytes as hexadecimal digits, lower-case.
    var hexadecimal: String {
        var digits: [UInt8] = []
        digits.reserveCapacity(64)
        for byte in self {
            for digit in [byte >> 4, byte & 15] { digits.append(digit + (digit < 10 ? 0x30 : 0x57)) }
        }
        return String(decoding: digits, as: UTF8.self)
    }
}
