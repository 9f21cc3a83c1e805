import MusterWire
import Testing

@testable import MusterCoding

/// Base 64, hexadecimal digits, percent-encoding and UTF-8.
@Suite struct CodingTests {
    /// RFC 4648, section 10, and two bytes for which the alphabets differ.
    private static let base64: [(plain: [UInt8], padded: String, forURLs: String)] = [
        ([], "", ""), (Array("f".utf8), "Zg==", "Zg"), (Array("fo".utf8), "Zm8=", "Zm8"),
        (Array("foo".utf8), "Zm9v", "Zm9v"), (Array("foob".utf8), "Zm9vYg==", "Zm9vYg"),
        (Array("fooba".utf8), "Zm9vYmE=", "Zm9vYmE"), (Array("foobar".utf8), "Zm9vYmFy", "Zm9vYmFy"),
        ([0xFB, 0xFF], "+/8=", "-_8"),
    ]

    @Test func `base 64 is as the RFC has it, in both alphabets`() {
        for (plain, padded, forURLs) in Self.base64 {
            #expect(Base64.encode(plain) == padded)
            #expect(Base64.decode(padded) == plain)
            #expect(Base64.encodeUnpadded(plain, .forURLs) == forURLs)
            #expect(Base64.decodeUnpadded(forURLs, .forURLs) == plain)
            #expect(Base64.encodeUnpadded(plain, .standard) == padded.filter { $0 != "=" })
            #expect(Base64.decodeUnpadded(padded, .standard) == plain)
        }
    }

    @Test(arguments: ["Z", "Zg", "Zg=", "Zh==", "Zg==Zg==", "=", "====", "Z===", "Zm9v\n", "Zm9 ", "-_8="])
    func `base 64 without correct padding is refused`(_ text: String) { #expect(Base64.decode(text) == nil) }

    @Test(arguments: ["Z", "Zh", "Zm9vY", "+/8", "Zg=", "Z===", "Zm9v Zg"])
    func `invalid unpadded base 64 for URLs is refused`(_ text: String) {
        #expect(Base64.decodeUnpadded(text, .forURLs) == nil)
    }

    @Test func `hexadecimal digits are written and read back, and a sign is refused`() {
        let all = [UInt8](0...255)
        #expect(Hexadecimal.decode(all.hexadecimal.utf8) == all)
        #expect(Hexadecimal.decode(all.hexadecimal.uppercased().utf8) == all)
        var digits: [UInt8] = []
        digits.append(hexadecimal: 0x0123_4567_89AB_CDEF, upperCase: true)
        digits.append(hexadecimal: 0xFEDC_BA98_7654_3210)
        #expect(Hexadecimal.uuid(digits) == "01234567-89AB-CDEF-fedc-ba9876543210")
        for text in ["a", "0g", "+f", "-1", " 1", "abc"] { #expect(Hexadecimal.decode(text.utf8) == nil, "\(text)") }
    }

    @Test func `percent-encoding spares what need not be encoded`() {
        #expect(PercentEncoding.encode("a-b._~Z9 /?é%") == "a-b._~Z9%20%2F%3F%C3%A9%25")
        #expect(PercentEncoding.encode("a/b(c)", sparing: "()") == "a%2Fb(c)")
        #expect(PercentEncoding.decode("a%20%c3%A9+%2F") == "a é+/")
        for text in ["%", "%4", "a%4g", "%+f", "%ff", "%C3"] { #expect(PercentEncoding.decode(text) == nil, "\(text)") }
    }

    /// Each is invalid by Unicode's table 3-7: a continuation alone, an overlong form, a surrogate, a number beyond
    /// U+10FFFF, an end too soon.
    private static let invalid: [[UInt8]] = [
        [0x80], [0xC0, 0x80], [0xC3], [0xE0, 0x80, 0x80], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xF0, 0x9F, 0x98],
        [0xF4, 0x90, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFF],
    ]

    @Test func `bytes are read as UTF-8 or refused, on old systems as on new ones`() {
        for text in ["", "plain", "é /%", "\u{FFFD}", "\0", "\u{301}x", "東京", "👩🏽‍🚒", "\u{10FFFF}"] {
            #expect(String(utf8: Array(text.utf8)).map { Array($0.utf8) } == Array(text.utf8))
            #expect(String(unrepaired: Array(text.utf8)).map { Array($0.utf8) } == Array(text.utf8))
            for bytes in Self.invalid {
                let mixed = Array(text.utf8) + bytes + Array(text.utf8)
                #expect(String(utf8: mixed) == nil, "\(mixed)")
                #expect(String(unrepaired: mixed) == nil, "\(mixed)")
            }
        }
    }

    @Test func `the user of a location database is read from either form of its name`() {
        for user in ["mia", "é /%", "a(b)'*!", "\u{301}x"] {
            let name = DatabaseName.locations(of: user)
            #expect(DatabaseName.user(ofLocations: name) == user)
            #expect(DatabaseName.user(ofLocations: "userdb-" + Array(user.utf8).hexadecimal) == user)
        }
        for name in ["lt_locations_user_", "lt_locations_user_%+f", "lt_locations_user_%4", "userdb-", "userdb-+f"] {
            #expect(DatabaseName.user(ofLocations: name) == nil, "\(name)")
        }
    }
}
