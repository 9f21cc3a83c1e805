import MusterGeometry
import MusterWire
import Testing

/// What a person's text says, in the four languages, and what it must never say.
@Suite struct TextMessageTests {
    private static let place = Coordinate(validLatitude: 43.5665, longitude: -6.058)

    private static let safe: [(String, TextLanguage?)] = [
        ("SAFE", .english), ("safe", .english), (" Safe. ", .english), ("I am safe", .english), ("I'm safe!", .english),
        ("I’m SAFE", .english), ("ＳＡＦＥ", .english), ("A SALVO", .spanish), ("¡Estoy a salvo!", .spanish),
        ("estoy  a\nsalvo", .spanish), ("無事", .japanese), ("無事です。", .japanese), ("ブジ", .japanese),
        ("「無事」", .japanese), ("安全です", .japanese), ("安全", .chinese), ("平安！", .chinese), ("我是安全的", .chinese),
    ]

    @Test(arguments: safe)
    func `words for safe are safe`(text: String, language: TextLanguage?) {
        let message = TextMessage(text)
        #expect(message.content == .safe(code: nil, at: nil), "\(text)")
        #expect(message.language == language, "\(text)")
    }

    private static let help: [(String, TextLanguage?)] = [
        ("HELP", .english), ("help!!!", .english), ("Need help", .english), ("I need help.", .english),
        ("AYUDA", .spanish), ("¡Ayúda!", .spanish), ("necesito ayuda", .spanish), ("Socorro", .spanish),
        ("助けて", .japanese), ("タスケテ", .japanese), ("助けが必要です", .japanese), ("求助", .chinese),
        ("需要帮助", .chinese), ("需要幫助！", .chinese),
    ]

    @Test(arguments: help)
    func `words for help call for help`(text: String, language: TextLanguage?) {
        let message = TextMessage(text)
        #expect(message.content == .help(at: nil), "\(text)")
        #expect(message.language == language, "\(text)")
    }

    @Test(arguments: ["SOS", "sos", "S.O.S", "s.o.s.", "S O S", "ＳＯＳ！", "sos!!!", "mayday", "救命", "🆘", "🆘🆘"])
    func `words for danger are an SOS`(text: String) {
        #expect(TextMessage(text).content == .sos(at: nil), "\(text)")
    }

    private static let longerCalls: [(String, TextMessage.Content)] =
        [
            "SOS 482913", "SOS SOS SOS", "sos trapped 3rd floor", "SOS 43.5,-6.0", "SOS 91.00,10.00", "sos safe",
            "SOS, are you there?", "S.O.S. school", "mayday mayday mayday", "SOS43.5", "救命啊", "救命！快来",
            "SOS 43.5665 43.5665 43.5665", "SOS 0°05.99'N 6°03.48'W",
        ].map { ($0, .sos(at: nil)) }
        + [
            "HELP 482913", "HELP HELP", "help please", "Help me!", "HELP 🙏", "ayuda por favor", "ayúdame",
            "Ayúdenme ya",
            "I need help now", "please help", "socorro, fuego", "助けて助けて", "助けてください！", "タスケテー", "救救我", "求助！",
            "我需要帮助。", "HELP: broken leg",
        ].map { ($0, .help(at: nil)) }
        + [
            ("SOS https://maps.google.com/?q=43.5665,-6.058", .sos(at: place)),
            ("43.5665,-6.058 ayuda por favor", .help(at: place)), ("SOS 43.5665N 6.058W, 3rd floor", .sos(at: place)),
            ("sos 43.5665,-6.058 since 12.30", .sos(at: place)),
        ]

    @Test(arguments: longerCalls)
    func `a call for help may have anything behind it`(text: String, content: TextMessage.Content) {
        #expect(TextMessage(text).content == content, "\(text)")
    }

    @Test(arguments: ["助けてか", "助けて？", "求助吗", "救命嗎？", "不求助", "不需要帮助", "helpful", "sossego", "unhelp"])
    func `a question, a denial and another word are no call`(text: String) {
        #expect(TextMessage(text).content == .unknown, "\(text)")
    }

    private static let unknown = [
        "", " ", "ok", "OK.", "okay", "yes", "sí", "はい", "好", "not safe", "NOT SAFE!", "I am not safe", "unsafe",
        "un-safe", "no estoy a salvo", "No. Estoy a salvo?", "no a salvo", "a salvo?", "¿a salvo?", "¿Estoy a salvo",
        "safe?", "SAFE？", "safe not", "safe, not", "is Ana safe", "Ana safe", "safe house", "we are safe", "seguro",
        "estoy seguro", "no help", "no need help", "help?", "without help", "no necesito ayuda", "無事ではない", "無事？",
        "無事じゃない", "安全ではない", "安全でない", "不安全", "不平安", "安全吗", "安全嗎", "没事", "我不安全", "sos?",
        "no sos", "not sos", "safe sos", "safe help", "safe safe", "12345",
        "safe 12345", "safe 1234567", "1234567", "123456 safe", "STOP", "safe 🙂", "{}", "<safe>", "safe/unsafe",
        "safe\u{202E}", "saf\u{0000}e", "ѕafe", "s\u{336}a\u{336}f\u{336}e\u{336}",
        "safe\u{338}", "safe\u{335} 482913",
    ]

    @Test(arguments: unknown)
    func `anything else says nothing`(text: String) {
        #expect(TextMessage(text).content == .unknown, "\(text)")
    }

    @Test func `a code may be with the word or alone`() {
        for text in ["SAFE 482913", "safe: 482913", "a salvo ４８２９１３", "無事 482913", "482913", " 482913. "] {
            #expect(TextMessage(text).content == .safe(code: "482913", at: nil), "\(text)")
        }
        #expect(TextMessage("SAFE 000000").content == .safe(code: "000000", at: nil))
    }

    private static let places = [
        "43.5665,-6.058", "43.5665, -6.058", "43.5665 -6.058", "43.5665;-6.058", "+43.5665,-6.058", "43,5665 -6,058",
        "43,5665; -6,058", "43,5665, -6,058", "43.5665N 6.058W", "43.5665 N, 6.058 W", "43.5665° N, 6.058° W",
        "43.5665° -6.058°",
        "N43.5665 W6.058", "N 43.5665 W 6.058", "43.5665N 6.058O", "6.058W 43.5665N", "43.5665,−6.058",
        "geo:43.5665,-6.058", "geo:43.5665,-6.058;u=35", "geo:43.5665,-6.058,417", "(43.5665,-6.058)",
        "４３．５６６５，－６．０５８", "43.56650,-6.05800.",
    ]

    @Test(arguments: places)
    func `a place is read in the forms that people write`(text: String) {
        #expect(TextMessage(text).content == .place(Self.place), "\(text)")
        #expect(TextMessage("SOS \(text)").content == .sos(at: Self.place), "\(text)")
        #expect(TextMessage("\(text) ayuda").content == .help(at: Self.place), "\(text)")
    }

    @Test func `a safe may have a place`() {
        #expect(TextMessage("SAFE 43.5665,-6.058").content == .safe(code: nil, at: Self.place))
    }

    @Test func `the south and the west are negative`() {
        let place = Coordinate(validLatitude: -33.45, longitude: -70.66)
        for text in ["-33.45,-70.66", "33.45S 70.66W", "33,45 S 70,66 O", "S33.45, W70.66"] {
            #expect(TextMessage(text).content == .place(place), "\(text)")
        }
    }

    private static let noPlaces = [
        "43,5", "43.5,-6.0", "43 -6", "43.5665", "43.5665,-6.058,3.22,4.11", "12,34,56,78", "43,5665,-6,058",
        "91.00,10.00", "43.56,181.00", "43.5665N 6.058", "43.5665N 6.058N", "-43.5665N 6.058W", "43.5665.22,-6.058",
        "1.43.5665,-6.058", "43.5665,-6.058x", "43.5665 43.5665 43.5665", "not 43.5665,-6.058", "near 43.5665,-6.058",
        "43.5665,-6.058 43.5665,-6.058", "43.5665 -6,058", "geo:", "geo:x", "nan,nan", "43.5665,-6.058?", "1e5.00,1.00",
        "43.5665,-6.058 safe 482913", "43.56650000000000000000,-6.05800000000000000000",
        "12.30 14.00", "12,30 14,00", "12,30, 14,00", "0°05.99'N 6°03.48'W", "43°33.99'N, 6°3.48'W", "43°33.99 6.058",
        "43° 33.99 -6.058", "43 33.99'N 6 3.48'W",
    ]

    @Test(arguments: noPlaces)
    func `what is not exactly a place is none`(text: String) {
        #expect(TextMessage(text).content == .unknown, "\(text)")
    }

    @Test func `a very long text says nothing, but a call for help`() {
        let long = String(repeating: "わ ", count: TextMessage.limitBytes)
        #expect(TextMessage("SOS " + long).content == .sos(at: nil))
        #expect(TextMessage("safe " + long).content == .unknown)
        #expect(TextMessage("safe" + String(repeating: " ", count: TextMessage.limitBytes)).content == .unknown)
    }
}
