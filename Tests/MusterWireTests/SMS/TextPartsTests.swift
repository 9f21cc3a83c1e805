import MusterWire
import Testing

/// What a text costs, and what Muster's own say.
@Suite struct TextPartsTests {
    @Test(arguments: [
        ("", 1), (String(repeating: "a", count: 160), 1), (String(repeating: "a", count: 161), 2),
        (String(repeating: "a", count: 306), 2), (String(repeating: "a", count: 307), 3),
        (String(repeating: "€", count: 80), 1), (String(repeating: "€", count: 81), 2),
        (String(repeating: "避", count: 70), 1), (String(repeating: "避", count: 71), 2),
        ("á" + String(repeating: "a", count: 70), 2), ("ñ" + String(repeating: "a", count: 159), 1),
        (String(repeating: "😀", count: 35), 1), (String(repeating: "😀", count: 36), 2),
    ])
    func `a text takes as many messages as the network counts`(text: String, parts: Int) {
        #expect(TextParts.count(text) == parts)
    }

    @Test(arguments: ["a", "避", "€", "😀", "a避"], 1...3)
    func `a long text is cut to what the messages hold, and says so`(unit: String, limit: Int) {
        let text = String(repeating: unit, count: 2_000)
        let cut = TextParts.cut(text, to: limit)
        #expect(TextParts.count(cut) == limit)
        #expect(cut.hasSuffix("...") && text.hasPrefix(cut.dropLast(3)))
        // Less than a twentieth of the room is given away.
        #expect(TextParts.count(cut + String(repeating: unit, count: 12)) > limit)
    }

    @Test func `a text that fits is not touched`() {
        #expect(TextParts.cut("EVACUATE", to: 1) == "EVACUATE")
    }

    @Test(arguments: TextLanguage.allCases, [true, false])
    func `a call to evacuate fits into two messages without a note`(language: TextLanguage, isDrill: Bool) {
        let text = EvacuationText(team: "harbour", note: nil, isDrill: isDrill, isOpen: true, canAnswer: true)
        #expect(TextParts.count(text.words(in: language)) <= 2)
        let end = EvacuationText(team: "harbour", note: nil, isDrill: isDrill, isOpen: false, canAnswer: true)
        #expect(TextParts.count(end.words(in: language)) == 1)
    }

    @Test(arguments: TextLanguage.allCases)
    func `what the call asks people to answer is understood`(language: TextLanguage) {
        let words = EvacuationText(team: "x", note: nil, isDrill: false, isOpen: true, canAnswer: true)
            .words(in: language)
        let asked: [TextLanguage: [String]] = [
            .english: ["SAFE", "HELP", "SOS"], .spanish: ["A SALVO", "AYUDA", "SOS"],
            .japanese: ["無事", "助けて", "SOS"], .chinese: ["安全", "求助", "SOS"],
        ]
        for word in asked[language] ?? [] {
            #expect(words.contains(word))
            #expect(TextMessage(word).content != .unknown)
        }
        let silent = EvacuationText(team: "x", note: "n", isDrill: false, isOpen: true, canAnswer: false)
        #expect(!silent.words(in: language).contains("SOS"))
    }

    @Test(
        arguments: [
            ("+34 600 111 222", nil, "+34600111222"), ("0034600111222", nil, "+34600111222"),
            ("600 111 222", "34", "+34600111222"), ("0600111222", "33", "+33600111222"), ("34600111222", "34", nil),
            ("34600111222", nil, "+34600111222"), ("+44 (0)20 7946 0000", "34", "+442079460000"), ("112", "34", nil),
        ] as [(String, String?, String?)])
    func `a number is dialled where its country is certain`(text: String, country: String?, dialled: String?) {
        #expect(PhoneNumber(text, country: country)?.dialled == dialled)
    }
}
