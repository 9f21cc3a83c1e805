import MusterCore
import Testing

struct UserDisplayNameTests {
    @Test func `a display name is a name in any script`() {
        let names = [
            "Ana Ruiz", "Zoë", "O'Neill", "王小明", "山田　太郎", "葛\u{E0100}城", "محمد علی\u{200C}زاده", "דנה", "ნინო",
            "क्ष\u{200D}", "李", "Jean-Luc (Bibi) 3.", "👩‍🚒", String(repeating: "x", count: 100),
            String(repeating: "é", count: 100), "a\u{A0}b",
        ]
        for name in names { #expect(User.isDisplayName(name), "\(name.debugDescription)") }
    }

    @Test func `a display name has nothing invisible and no turned text, is on one line, and is not too long`() {
        let others = [
            "", " ", "\u{3000}", " a", "a ", "a\nb", "a\r", "a\tb", "a\u{0}b", "a\u{7F}", "a\u{85}b", "a\u{2028}b",
            "a\u{2029}b", "a\u{202E}b", "a\u{2066}b", "a\u{200E}b", "a\u{200F}b", "a\u{200B}b", "a\u{FEFF}", "a\u{AD}b",
            "\u{200D}", "\u{FE0F}", "\u{3164}", "a\u{3164}", "\u{115F}", "\u{2800}", "\u{E000}", "\u{E0041}",
            String(repeating: "x", count: 101), "a" + String(repeating: "\u{301}", count: 100),
        ]
        for name in others { #expect(!User.isDisplayName(name), "\(name.debugDescription)") }
    }
}
