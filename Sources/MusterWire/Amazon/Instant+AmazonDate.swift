package import MusterCore

/// Times in the form of AWS signatures.
extension Instant {
    /// Reads a time in the form of `X-Amz-Date`, `YYYYMMDDTHHMMSSZ`; nil for any other text.
    package init?(amazonDate text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 16, bytes[8] == UInt8(ascii: "T"), bytes[15] == UInt8(ascii: "Z") else { return nil }
        func part(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
        let date = "\(part(0..<4))-\(part(4..<6))-\(part(6..<8))"
        let time = "\(part(9..<11)):\(part(11..<13)):\(part(13..<15))"
        guard let instant = try? Instant(rfc3339: "\(date)T\(time)Z") else { return nil }
        self = instant
    }

    /// The time in the form of `X-Amz-Date`.
    package var amazonDate: String {
        let text = rfc3339
        return text.prefix(19).filter { $0 != "-" && $0 != ":" } + "Z"
    }
}
