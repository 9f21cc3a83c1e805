import MusterCoding

/// The form of a request that AWS Signature Version 4 signs.
extension SignatureV4 {
    /// Returns the canonical request, the form that is signed.
    ///
    /// - Parameters:
    ///   - method: the method, in capitals.
    ///   - path: the path as it came, percent-encoded once.
    ///   - query: the query as it came, after the question mark.
    ///   - signedHeaders: the names of the signed headers, in lower case and in order.
    ///   - bodyDigest: the SHA-256 digest of the body as it came, hexadecimal.
    ///   - values: returns the values of a header in the order they came; nil when the request has none.
    /// - Returns: nil when the request lacks a signed header.
    package static func canonicalRequest(
        method: String, path: String, query: String?, signedHeaders: [String], bodyDigest: String,
        values: (String) -> [String]?
    ) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(512)
        bytes.append(contentsOf: method.utf8)
        bytes.append(newline)
        appendEncoded(path: path, to: &bytes)
        bytes.append(newline)
        appendSorted(query: query ?? "", to: &bytes)
        bytes.append(newline)
        for name in signedHeaders {
            guard let values = values(name) else { return nil }
            bytes.append(contentsOf: name.utf8)
            bytes.append(UInt8(ascii: ":"))
            for (index, value) in values.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                appendFolded(value, to: &bytes)
            }
            bytes.append(newline)
        }
        bytes.append(newline)
        bytes.append(contentsOf: signedHeaders.joined(separator: ";").utf8)
        bytes.append(newline)
        bytes.append(contentsOf: bodyDigest.utf8)
        return bytes
    }

    private static let newline = UInt8(ascii: "\n")

    /// Appends the path with every segment encoded once more: `%3A` becomes `%253A`. As clients do, it first resolves
    /// empty segments and those of dots.
    private static func appendEncoded(path: String, to bytes: inout [UInt8]) {
        var segments: [Substring.UTF8View] = []
        for segment in path.utf8.split(separator: UInt8(ascii: "/")) {
            if segment.elementsEqual(".".utf8) { continue }
            if segment.elementsEqual("..".utf8) {
                _ = segments.popLast()
            } else {
                segments.append(segment)
            }
        }
        for segment in segments {
            bytes.append(UInt8(ascii: "/"))
            for byte in segment { PercentEncoding.append(byte, to: &bytes) }
        }
        if segments.isEmpty || path.utf8.last == UInt8(ascii: "/") { bytes.append(UInt8(ascii: "/")) }
    }

    /// Appends the pairs of the query, encoded as they came, sorted by their names and then by their values.
    private static func appendSorted(query: String, to bytes: inout [UInt8]) {
        if query.isEmpty { return }
        let pairs = query.utf8.split(separator: UInt8(ascii: "&")).map { pair in
            let parts = pair.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            return (name: parts[0], value: parts.count > 1 ? parts[1] : parts[0].suffix(0))
        }
        let ordered = pairs.sorted { one, other in
            if one.name.elementsEqual(other.name) { return one.value.lexicographicallyPrecedes(other.value) }
            return one.name.lexicographicallyPrecedes(other.name)
        }
        for (index, pair) in ordered.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: "&")) }
            bytes.append(contentsOf: pair.name)
            bytes.append(UInt8(ascii: "="))
            bytes.append(contentsOf: pair.value)
        }
    }

    /// Appends a header's value without blanks at its ends, and with one blank for several.
    private static func appendFolded(_ value: String, to bytes: inout [UInt8]) {
        var isBlankDue = false
        let start = bytes.count
        for byte in value.utf8 {
            if byte == 0x20 || byte == 0x09 {
                isBlankDue = bytes.count > start
            } else {
                if isBlankDue { bytes.append(0x20) }
                isBlankDue = false
                bytes.append(byte)
            }
        }
    }
}
