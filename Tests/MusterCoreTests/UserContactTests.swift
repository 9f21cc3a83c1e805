import MusterCore
import Testing

struct UserContactTests {
    @Test func `an e-mail address is one address without a name`() {
        let host = String(repeating: "x", count: 252)
        for text in ["a@b", "ana.lópez+x@example.org", "ana@münchen.example", "o'neill@b", "a@\(host)"] {
            #expect(User.isEmail(text), "\(text)")
        }
        for text in [
            "", "a", "@", "a@", "@b", "a@b@c", "a b@c", "a@b\n", "a\u{0}@b", "a@b,c@d", "a@b;c", "<a@b>", "\"a\"@b",
            "a\u{202E}@b", "a\u{200B}@b", "a@b\u{85}", "a\u{A0}@b", "a\u{2028}@b", "a@\(host)x",
        ] {
            #expect(!User.isEmail(text), "\(text.debugDescription)")
        }
    }

    @Test func `a telephone number has at least three digits, and what people write between them`() {
        for text in ["112", "+49 (0)151 123-456/7", "555.0100", String(repeating: "1", count: 32)] {
            #expect(User.isPhone(text), "\(text)")
        }
        for text in [
            "", "12", "+1-2", "+()", "call 112", "112\n", "1１２３", "٣٤٥", "#31#112", String(repeating: "1", count: 33),
        ] {
            #expect(!User.isPhone(text), "\(text.debugDescription)")
        }
    }
}
