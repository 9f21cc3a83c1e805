/// What an unreadable payload looks like, for a log: its characters, but none of its contents. A payload may hold a
/// position, a message or a password, so each digit becomes 0 and each text "…", while the keys of members stay.
package enum PayloadExample {
    /// The longest example, in characters.
    private static let limit = 120
    /// The bytes of a payload that are looked at.
    private static let limitBytes = 512

    package static func text(of payload: some Sequence<UInt8>) -> String {
        let bytes = Array(payload.prefix(limitBytes))
        var text = ""
        var place = 0
        while place < bytes.count, text.count < limit {
            let byte = bytes[place]
            place += 1
            switch byte {
            case UInt8(ascii: "\""):
                let end = endOfString(in: bytes, from: place)
                let content = bytes[place..<end]
                place = min(end + 1, bytes.count)
                text +=
                    isKey(in: bytes, at: place, content) ? "\"\(String(decoding: content, as: UTF8.self))\"" : "\"…\""
            case UInt8(ascii: "0")...UInt8(ascii: "9"): text += "0"
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): text += "x"
            case 0x20...0x7E: text.unicodeScalars.append(Unicode.Scalar(byte))
            case 0x80...: text += "…"
            default: text += "\\x" + String(byte, radix: 16)
            }
        }
        return String(text.prefix(limit))
    }

    /// The place of the quote that ends the string, or the end of the bytes.
    private static func endOfString(in bytes: [UInt8], from start: Int) -> Int {
        var place = start
        while place < bytes.count, bytes[place] != UInt8(ascii: "\"") {
            place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(place, bytes.count)
    }

    /// Whether a short plain word before a colon: the key of a member.
    private static func isKey(in bytes: [UInt8], at place: Int, _ content: ArraySlice<UInt8>) -> Bool {
        let isWord = content.count <= 20 && content.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x5C }
        return isWord && bytes[min(place, bytes.count)...].first { $0 > 0x20 } == UInt8(ascii: ":")
    }
}
