import Crypto
import MusterCoding
import MusterCore
import MusterStore
import MusterWire
import Testing

@testable import MusterHTTP
@testable import MusterServer

/// What goes to a Web Push service, by the examples of the standards.
@Suite struct WebPushTests {
    private func bytes(_ text: String) throws -> [UInt8] { try #require(Base64.decodeUnpadded(text, .forURLs)) }

    /// RFC 8291, section 5.
    private func exampleKeys() throws -> WebPushKeys {
        try WebPushKeys(
            publicKey: bytes("BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"),
            secret: bytes("BTBZMqHH6r4Tts7J_aSIgg"))
    }

    @Test func `the example of RFC 8291 is encrypted to its very bytes`() throws {
        let key = try P256.KeyAgreement.PrivateKey(
            rawRepresentation: bytes("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"))
        let body = try #require(
            try exampleKeys().encrypt(
                Array("When I grow up, I want to be a watermelon".utf8), key: key,
                salt: bytes("DGv6ra1nlYgDCS1FRnbzlw")))
        #expect(
            Base64.encodeUnpadded(body, .forURLs)
                == "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6Tlz"
                + "AC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN")
    }

    @Test func `no two messages use the same key or salt`() throws {
        let keys = try exampleKeys()
        let bodies = (0..<50).compactMap { _ in keys.encrypt([1, 2, 3]) }
        #expect(bodies.count == 50)
        #expect(Set(bodies.map { $0.prefix(16) }).count == 50)
        #expect(Set(bodies.map { $0[21..<86] }).count == 50)
        #expect(bodies.allSatisfy { $0.count == 86 + 3 + 1 + 16 })
    }

    @Test func `a text that fits into no record is not encrypted`() throws {
        let most = WebPushKeys.textLimitBytes
        #expect(try exampleKeys().encrypt([UInt8](repeating: 65, count: most))?.count == most + 103)
        #expect(try exampleKeys().encrypt([UInt8](repeating: 65, count: most + 1)) == nil)
    }

    @Test(arguments: ["a", "\u{1}", "\"", "\\", "é", "👩‍👩‍👧‍👦", "\u{2028}"])
    func `the longest note that a leader can write fits into every service's message`(character: String) throws {
        let note = String(repeating: character, count: 1_000)
        let message = PushMessage(
            topic: "incident 1", createdAt: Instant(seconds: 0), lastingSeconds: 60,
            data: [.init("incident", .number(1))],
            notice: .init(title: String(note.prefix(200)), body: note, confidential: note))
        let page = "https://muster.example/" + String(repeating: "p", count: 1_000)
        let token = String(repeating: "t", count: 300)
        let texts = [
            (WebPushSender.text(of: message, page: page), WebPushKeys.textLimitBytes),
            (APNsSender.text(of: message), 4_096),
            (FCMSender.text(of: message, to: token, at: Instant(seconds: 0)), 4_096 + token.utf8.count),
        ]
        for (text, limit) in texts {
            #expect(text.count <= limit)
            #expect(throws: Never.self) { try JSONValue(parsing: text) }
        }
    }

    @Test func `invalid Web Push keys are refused`() throws {
        let good = try exampleKeys()
        #expect(throws: WebPushKeys.KeyError.self) { try WebPushKeys(publicKey: [4], secret: good.secret) }
        #expect(throws: WebPushKeys.KeyError.self) {
            try WebPushKeys(publicKey: [4] + [UInt8](repeating: 9, count: 64), secret: good.secret)
        }
        #expect(throws: WebPushKeys.KeyError.self) { try WebPushKeys(publicKey: good.publicKey, secret: [1]) }
    }

    @Test func `answers mean what RFC 8030 says`() {
        func outcome(_ status: Int, after seconds: Double? = nil) -> String {
            WebPushSender.outcome(of: CallAnswer(status: status, retryAfterSeconds: seconds)).word
        }
        #expect([200, 201, 202].map { outcome($0) } == ["delivered", "delivered", "delivered"])
        #expect([404, 410].map { outcome($0) } == ["gone", "gone"])
        #expect([429, 500, 503].map { outcome($0) } == ["failed", "failed", "failed"])
        #expect([301, 400, 401, 403, 413].map { outcome($0) } == Array(repeating: "refused", count: 5))
        #expect(
            WebPushSender.outcome(of: CallAnswer(status: 429, retryAfterSeconds: 7))
                == .retry("answered 429", afterSeconds: 7))
    }

    @Test func `an address opens with its vault alone, and lists show no secret`() throws {
        let vault = SecretVault()
        let address = try PushAddress(
            endpoint: "https://push.example/v1/secret-path", keys: exampleKeys(), page: "https://muster.example/",
            allowsPlain: false)
        let credential = address.credential(of: UserNumber(3), sealedBy: vault, at: Instant(milliseconds: 5))
        #expect(try PushAddress(credential, openedBy: vault) == address)
        #expect(throws: SecretVaultError.sealedOtherwise) { try PushAddress(credential, openedBy: SecretVault()) }
        let device = try #require(PushDevice(credential))
        #expect(device.service == "webpush https://push.example")
        #expect(device.id == address.deviceID && device.platform == .webPush)
        #expect(!"\(credential)".contains("secret-path"))
        let token = try PushAddress(.fcm, token: "abc:def")
        #expect(
            try PushAddress(
                token.credential(of: UserNumber(3), sealedBy: vault, at: Instant(milliseconds: 5)), openedBy: vault)
                == token)
    }

    @Test(
        arguments: [
            ("http://push.example/", nil), ("ftp://push.example/", nil), ("", nil),
            ("https://push.example/", "http://page.example/"), ("https://push.example/", "javascript:alert(1)"),
        ] as [(String, String?)])
    func `an endpoint or page without TLS is refused`(endpoint: String, page: String?) throws {
        let keys = try exampleKeys()
        #expect(throws: PushAddress.ParsingError.self) {
            try PushAddress(endpoint: endpoint, keys: keys, page: page, allowsPlain: false)
        }
    }

    @Test(
        arguments: [
            (.apns, "zz"), (.apns, "abc"), (.apnsSandbox, ""), (.fcm, "a b"), (.fcm, ""), (.fcm, "é"),
            (.webPush, "abcd"),
        ] as [(PushPlatform, String)])
    func `a push token of the wrong form for its platform is refused`(platform: PushPlatform, token: String) {
        #expect(throws: PushAddress.ParsingError.self) { try PushAddress(platform, token: token) }
    }
}
