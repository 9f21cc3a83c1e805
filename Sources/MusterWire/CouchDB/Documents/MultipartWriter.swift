import MusterCoding

/// Writes the boundaries and the heads of the parts of a multipart body (RFC 2046). `MultipartReader` parses such
/// bodies.
package struct MultipartWriter: Hashable, Sendable {
    private let boundary: String

    /// Makes a writer with a boundary of 128 random bits, which no part contains.
    package init() {
        var digits: [UInt8] = []
        for _ in 0..<2 { digits.append(hexadecimal: .random(in: 0...UInt64.max)) }
        boundary = String(decoding: digits, as: UTF8.self)
    }

    /// Returns the value of the body's `Content-Type`.
    ///
    /// - Parameter type: the media type, such as `multipart/related`.
    package func contentType(_ type: String) -> String { "\(type); boundary=\"\(boundary)\"" }

    /// Returns the boundary and the head of a part.
    ///
    /// - Parameters:
    ///   - contentType: the value of the part's `Content-Type`, without line breaks.
    ///   - isFirst: whether the part is the first one of the body.
    package func head(_ contentType: String, isFirst: Bool = false) -> [UInt8] {
        Array("\(isFirst ? "" : "\r\n")--\(boundary)\r\nContent-Type: \(contentType)\r\n\r\n".utf8)
    }

    /// Returns the boundary and the head of a part that is an attachment. Quotation marks and line breaks in the name
    /// are replaced by `_`; the document before it has the exact name.
    ///
    /// - Parameter length: the number of the attachment's bytes.
    package func head(ofFile name: String, _ contentType: String, length: Int64) -> [UInt8] {
        let name = String(name.map { $0 == "\"" || $0.isNewline ? "_" : $0 })
        return Array(
            ("\r\n--\(boundary)\r\nContent-Disposition: attachment; filename=\"\(name)\"\r\n"
                + "Content-Type: \(CouchAttachment.mediaType(contentType))\r\nContent-Length: \(length)\r\n\r\n").utf8)
    }

    /// The closing boundary.
    package var end: [UInt8] { Array("\r\n--\(boundary)--".utf8) }
}
