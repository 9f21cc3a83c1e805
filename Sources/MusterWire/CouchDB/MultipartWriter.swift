import MusterCoding

/// Writes what stands around the parts of a multipart body (RFC 2046): the boundaries and the heads of the parts.
/// `MultipartReader` reads it.
package struct MultipartWriter: Hashable, Sendable {
    private let boundary: String

    /// A writer with a boundary of its own: 128 random bits, which no part holds.
    package init() {
        var digits: [UInt8] = []
        for _ in 0..<2 { digits.append(hexadecimal: .random(in: 0...UInt64.max)) }
        boundary = String(decoding: digits, as: UTF8.self)
    }

    /// The value of the body's `Content-Type`.
    ///
    /// - Parameter type: the media type, such as `multipart/related`.
    package func contentType(_ type: String) -> String { "\(type); boundary=\"\(boundary)\"" }

    /// The head of a part.
    ///
    /// - Parameters:
    ///   - contentType: the value of its `Content-Type`, without line breaks.
    ///   - isFirst: whether nothing stands before it.
    package func head(_ contentType: String, isFirst: Bool = false) -> [UInt8] {
        Array("\(isFirst ? "" : "\r\n")--\(boundary)\r\nContent-Type: \(contentType)\r\n\r\n".utf8)
    }

    /// The head of a part that is a file. What would break out of a line of the head is replaced in it; the document
    /// before the file says its name as it is.
    ///
    /// - Parameter length: the file's bytes.
    package func head(ofFile name: String, _ contentType: String, length: Int64) -> [UInt8] {
        let name = String(name.map { $0 == "\"" || $0.isNewline ? "_" : $0 })
        return Array(
            ("\r\n--\(boundary)\r\nContent-Disposition: attachment; filename=\"\(name)\"\r\n"
                + "Content-Type: \(CouchAttachment.mediaType(contentType))\r\nContent-Length: \(length)\r\n\r\n").utf8)
    }

    /// What stands behind the last part.
    package var end: [UInt8] { Array("\r\n--\(boundary)--".utf8) }
}
