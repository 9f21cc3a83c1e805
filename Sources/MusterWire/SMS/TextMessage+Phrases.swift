extension TextMessage {
    /// The texts that are known, as `FoldedText.words` leaves them. "OK" is none of them: it may answer anything. Nor
    /// is the Spanish "seguro", which says both "safe" and "sure", nor what is said of several people.
    static let phrases: [String: (word: Word, language: TextLanguage?)] = {
        var phrases: [String: (word: Word, language: TextLanguage?)] = [
            "sos": (.sos, nil), "s o s": (.sos, nil), "🆘": (.sos, nil),
        ]
        for (word, language, texts) in known {
            for text in texts { phrases[text] = (word, language) }
        }
        return phrases
    }()

    private static let known: [(Word, TextLanguage, [String])] = [
        (.safe, .english, ["safe", "im safe", "i am safe", "i m safe"]),
        (.safe, .spanish, ["a salvo", "estoy a salvo"]),
        (.safe, .japanese, ["無事", "無事です", "私は無事です", "ぶじ", "ぶじです", "安全です", "私は安全です"]),
        // Japanese, too, writes 安全; the answer to it is in Chinese.
        (.safe, .chinese, ["安全", "我安全", "我很安全", "我是安全的", "平安", "我平安", "我很平安"]),
        (.help, .english, ["help", "please help", "need help", "i need help", "we need help"]),
        (
            .help, .spanish,
            [
                "ayuda", "ayudame", "ayudenme", "por favor ayuda", "necesito ayuda", "necesitamos ayuda", "auxilio",
                "socorro",
            ]
        ),
        (.help, .japanese, ["助けて", "助けてください", "たすけて", "たすけてください", "助けが必要", "助けが必要です"]),
        (.help, .chinese, ["求助", "需要帮助", "我需要帮助", "需要幫助", "我需要幫助", "救我", "救救", "快救我"]),
        (.sos, .english, ["mayday"]),
        (.sos, .chinese, ["救命"]),
    ]

    /// The most words that a phrase for a call has.
    static let mostWordsOfCall = 3
    /// The calls with which a text in Japanese or Chinese may begin without a space behind. No text that denies a call
    /// begins with one of them.
    static let beginnings = [
        "助けて", "たすけて", "助けが必要です", "求助", "需要帮助", "需要幫助", "我需要帮助", "我需要幫助", "救我", "救救", "快救我", "救命",
        "🆘",
    ]
}

/// A text without what people write in different ways: case, accents, full width, and katakana for hiragana.
struct FoldedText {
    let scalars: [Unicode.Scalar]

    init(_ text: String) {
        var folded: [Unicode.Scalar] = []
        let given = Array(text.unicodeScalars)
        for (index, scalar) in given.enumerated() {
            guard let plain = Self.sign(scalar, in: given, at: index) ?? Self.folded(scalar) else { continue }
            folded += String(plain).lowercased().unicodeScalars.map { Self.unaccented[$0] ?? $0 }
        }
        scalars = folded.filter { !Self.isMark($0) }
    }

    /// The language that the script shows: kana are Japanese, and Han characters without kana are taken for Chinese.
    var language: TextLanguage? {
        if scalars.contains(where: { (0x3041...0x30FF).contains($0.value) }) { return .japanese }
        if scalars.contains(where: { (0x4E00...0x9FFF).contains($0.value) }) { return .chinese }
        return scalars.contains { "ñ¿¡".unicodeScalars.contains($0) } ? .spanish : nil
    }

    /// The words of a text, without the punctuation around them. A question mark stays, and so does anything unknown.
    static func words(_ scalars: [Unicode.Scalar]) -> [String] {
        scalars.split { $0 == " " || separators.contains($0) }.map { String(String.UnicodeScalarView($0)) }
    }

    private static let separators = Set(".,!;:-\"()*_~¡…。、・「」“”«»".unicodeScalars)
    private static let unaccented: [Unicode.Scalar: Unicode.Scalar] = [
        "á": "a", "à": "a", "é": "e", "è": "e", "í": "i", "ì": "i", "ó": "o", "ò": "o", "ú": "u", "ù": "u", "ü": "u",
    ]

    /// A combining accent. The lines that strike a letter out are none: a struck "safe" is not "safe".
    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        (0x300...0x36F).contains(scalar.value) && !(0x334...0x338).contains(scalar.value)
    }

    /// The sign of whole degrees before minutes, or of minutes behind a number, in its plain form; nil for any other
    /// character. Without these signs 0°05.99' would be read as 5.99 degrees.
    private static func sign(_ scalar: Unicode.Scalar, in text: [Unicode.Scalar], at index: Int) -> Unicode.Scalar? {
        switch scalar.value {
        case 0xB0, 0xBA:
            let next = text[(index + 1)...].first { !$0.properties.isWhitespace }
            let before = text[..<index].last { $0.properties.numericType != .decimal }
            let isWhole = before != "." && before != ","
            return isWhole && next?.properties.numericType == .decimal ? "°" : nil
        case 0x27, 0x2018, 0x2019, 0xFF07:
            return index > 0 && text[index - 1].properties.numericType == .decimal ? "'" : nil
        default: return nil
        }
    }

    /// The character in its plain form; nil for one that counts for nothing: an apostrophe, the sign of degrees, and
    /// marks that keyboards add.
    private static func folded(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
        switch scalar.value {
        case 0x27, 0xB0, 0xBA, 0x2018, 0x2019, 0x200B, 0xFE0E, 0xFE0F, 0xFEFF: nil
        case 0x2010...0x2013, 0x2212, 0xFF0D: "-"
        case 0xFF07: nil
        case 0xFF01...0xFF5E: Unicode.Scalar(scalar.value - 0xFEE0)
        case 0x30A1...0x30F6: Unicode.Scalar(scalar.value - 0x60)
        case _ where scalar.properties.isWhitespace: " "
        default: scalar
        }
    }
}
