/// Base 64 without padding (RFC 4648, sections 4 and 5).
package enum UnpaddedBase64 {
    /// The last two characters of the alphabet.
    package enum Alphabet {
        /// `+` and `/`.
        case standard
        /// `-` and `_`.
        case forURLs

        fileprivate var last: (UInt8, UInt8) {
            switch self {
            case .standard: (UInt8(ascii: "+"), UInt8(ascii: "/"))
            case .forURLs: (UInt8(ascii: "-"), UInt8(ascii: "_"))
            }
        }
    }

    /// Encodes bytes.
    package static func encode(_ bytes: some Sequence<UInt8>, _ alphabet: Alphabet) -> String {
        var text: [UInt8] = []
        var held: UInt32 = 0
        var heldBits = 0
        for byte in bytes {
            held = held << 8 | UInt32(byte)
            heldBits += 8
            while heldBits >= 6 {
                heldBits -= 6
                text.append(letter(held >> heldBits & 63, alphabet))
            }
        }
        if heldBits > 0 { text.append(letter(held << (6 - heldBits) & 63, alphabet)) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes a text, padded or not; nil when a character is not in the alphabet or left-over bits are not 0.
    package static func decode(_ text: some StringProtocol, _ alphabet: Alphabet) -> [UInt8]? {
        var bytes: [UInt8] = []
        var held: UInt32 = 0
        var heldBits = 0
        var letters = Array(text.utf8)
        if letters.count % 4 == 0 { while letters.last == UInt8(ascii: "=") { letters.removeLast() } }
        for letter in letters {
            guard let value = value(of: letter, alphabet) else { return nil }
            held = held << 6 | value
            heldBits += 6
            if heldBits >= 8 {
                heldBits -= 8
                bytes.append(UInt8(truncatingIfNeeded: held >> heldBits))
                held &= (1 << heldBits) - 1
            }
        }
        return heldBits < 6 && held == 0 ? bytes : nil
    }

    private static func letter(_ value: UInt32, _ alphabet: Alphabet) -> UInt8 {
        switch UInt8(truncatingIfNeeded: value) {
        case let value where value < 26: UInt8(ascii: "A") + value
        case let value where value < 52: UInt8(ascii: "a") + value - 26
        case let value where value < 62: UInt8(ascii: "0") + value - 52
        case 62: alphabet.last.0
        default: alphabet.last.1
        }
    }

    private static func value(of letter: UInt8, _ alphabet: Alphabet) -> UInt32? {
        switch letter {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(letter - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(letter - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(letter - UInt8(ascii: "0")) + 52
        case alphabet.last.0: 62
        case alphabet.last.1: 63
        default: nil
        }
    }
}
