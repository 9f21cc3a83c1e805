/// The signature of a request by AWS's Signature Version 4, and the texts that it is computed from.
///
/// The caller computes the digests: `canonicalRequest` needs that of the body, `stringToSign` that of the canonical
/// request. The rules are those of "Create a signed AWS API request" in AWS's IAM guide; the path is the raw one, its
/// segments encoded once more, as for every service but S3.
package struct SignatureV4: Hashable, Sendable {
    /// The scope in which a signature is valid: `20261121/eu-west-2/geo/aws4_request`.
    package struct Scope: Hashable, Sendable {
        /// The day, `YYYYMMDD`, UTC.
        package var date: String
        /// The AWS region; any that is well formed, because there is one Muster.
        package var region: String
        /// The service's signing name.
        package var service: String

        package init(date: String, region: String, service: String) {
            self.date = date
            self.region = region
            self.service = service
        }

        /// The scope as it is signed.
        package var text: String { "\(date)/\(region)/\(service)/\(Self.terminator)" }

        static let terminator = "aws4_request"
    }

    /// The access key that the client signs with.
    package var accessKeyID: String
    /// The scope in which it is valid.
    package var scope: Scope
    /// The names of the signed headers, in lower case and in order.
    package var signedHeaders: [String]
    /// The signature: 64 hexadecimal digits in lower case.
    package var signature: String

    /// The only algorithm that is supported.
    package static let algorithm = "AWS4-HMAC-SHA256"
    private static let headerLimitBytes = 4096
    private static let signedHeaderLimit = 64

    /// A fault in an `Authorization` header.
    package enum ParsingError: Error, Hashable, Sendable {
        /// The header is of another scheme.
        case otherScheme
        /// A part is missing or malformed; in words that follow "Authorization header" in a sentence.
        case malformed(String)
    }

    package init(accessKeyID: String, scope: Scope, signedHeaders: [String], signature: String) {
        self.accessKeyID = accessKeyID
        self.scope = scope
        self.signedHeaders = signedHeaders
        self.signature = signature
    }

    /// Reads an `Authorization` header: `AWS4-HMAC-SHA256 Credential=…/…, SignedHeaders=…;…, Signature=…`, with or
    /// without blanks after the commas.
    package init(authorization: String) throws(ParsingError) {
        guard authorization.hasPrefix(Self.algorithm + " ") else { throw .otherScheme }
        guard authorization.utf8.count <= Self.headerLimitBytes else { throw .malformed("is too long") }
        var parts: [Substring: Substring] = [:]
        for part in authorization.dropFirst(Self.algorithm.count + 1).split(separator: ",") {
            let text = part.drop { $0 == " " }
            guard let equals = text.firstIndex(of: "=") else { throw .malformed("is not a list of key=value") }
            parts[text[..<equals]] = text[text.index(after: equals)...]
        }
        guard let credential = parts["Credential"] else { throw .malformed("requires 'Credential' parameter") }
        guard let headers = parts["SignedHeaders"] else { throw .malformed("requires 'SignedHeaders' parameter") }
        guard let signature = parts["Signature"] else { throw .malformed("requires 'Signature' parameter") }
        (accessKeyID, scope) = try Self.credential(credential)
        signedHeaders = headers.split(separator: ";").map(String.init)
        guard (1...Self.signedHeaderLimit).contains(signedHeaders.count),
            signedHeaders.allSatisfy({ $0 == $0.lowercased() })
        else { throw .malformed("has SignedHeaders that are not lower-case names") }
        self.signature = String(signature)
    }

    private static func credential(_ text: Substring) throws(ParsingError) -> (accessKeyID: String, Scope) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 5, parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(isWordByte) }) else {
            throw .malformed("has a Credential that is not key/date/region/service/aws4_request")
        }
        guard parts[4] == Scope.terminator else {
            throw .malformed("has a Credential that does not end in 'aws4_request'")
        }
        guard parts[1].utf8.count == 8, parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw .malformed("has a Credential whose date is not YYYYMMDD")
        }
        return (
            String(parts[0]),
            Scope(date: String(parts[1]), region: String(parts[2]), service: String(parts[3]))
        )
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// The value of the `Authorization` header.
    package var authorization: String {
        "\(Self.algorithm) Credential=\(accessKeyID)/\(scope.text), "
            + "SignedHeaders=\(signedHeaders.joined(separator: ";")), Signature=\(signature)"
    }

    /// Returns the string to sign: the algorithm, the time, the scope, and the digest of the canonical request.
    ///
    /// - Parameters:
    ///   - time: the time in the form of `X-Amz-Date`, `YYYYMMDDTHHMMSSZ`.
    ///   - digest: the SHA-256 digest of the canonical request, hexadecimal.
    package static func stringToSign(at time: String, scope: Scope, digest: String) -> [UInt8] {
        Array("\(algorithm)\n\(time)\n\(scope.text)\n\(digest)".utf8)
    }
}
