import MusterCoding

/// The compact form of a JSON Web Token (RFC 7515, section 7.1).
enum CompactToken {
    /// Whether a text has the form: three parts in base64url, each without padding (section 2) and written in the only
    /// way that its bytes have (RFC 4648, section 3.5).
    ///
    /// A verifier that also accepts other forms accepts several texts for one token, so that a list of revoked tokens,
    /// which holds texts, misses some. JWTKit accepts padding.
    static func isWellFormed(_ token: String) -> Bool {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 3
            && parts.allSatisfy { !$0.utf8.contains(UInt8(ascii: "=")) && Base64.decodeUnpadded($0, .forURLs) != nil }
    }
}
