import MusterGeometry
import MusterWire
import Testing

/// The answers to texts.
@Suite struct TextAnswerTests {
    /// GSM's alphabet without its extension (3GPP TS 23.038, section 6.2.1).
    private static let alphabet = Set(
        "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿"
            .unicodeScalars
    ).union("abcdefghijklmnopqrstuvwxyzäöñüà".unicodeScalars)

    private static let answers: [TextAnswer] = {
        let place = Coordinate(validLatitude: -43.566_512_3, longitude: -176.058_123)
        return [
            .confirmSafe(code: "482913", minutes: 15), .safe, .sosStands, .help(at: nil), .help(at: place),
            .sos(at: nil), .sos(at: place), .place(place), .tooLate, .sharedNumber,
            .notUnderstood,
        ]
    }()

    @Test(arguments: TextLanguage.allCases)
    func `every answer fits into one message of the network`(language: TextLanguage) {
        for answer in Self.answers {
            let words = answer.words(in: language)
            let isPlain = words.unicodeScalars.allSatisfy(Self.alphabet.contains)
            #expect(isPlain == [.english, .spanish].contains(language), "\(words)")
            #expect(words.utf16.count <= (isPlain ? 160 : 70), "\(words.utf16.count): \(words)")
        }
    }

    @Test(arguments: TextLanguage.allCases)
    func `the words that an answer names are understood`(language: TextLanguage) {
        for answer in Self.answers {
            let words = answer.words(in: language)
            if case .confirmSafe(let code, _) = answer {
                #expect(words.contains(code))
                let named = ["SAFE", "A SALVO", "無事", "安全"].map { "\($0) \(code)" }.filter(words.contains)
                #expect(named.map { TextMessage($0).content } == [.safe(code: code, at: nil)], "\(words)")
            }
        }
        #expect(TextAnswer.place(Coordinate(validLatitude: 43.5, longitude: 2)).words(in: language).contains("43.5,2"))
    }
}
