import Foundation
import MusterCore
import MusterStore
import Testing

@testable import MusterHTTP
@testable import MusterServer

/// How webhooks are signed, and what is kept for it.
@Suite struct WebhookSignatureTests {
    /// The example of the Standard Webhooks specification's libraries.
    @Test func `a body is signed as Standard Webhooks signs it`() throws {
        let secret = try #require(WebhookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
        let fields = WebhookSignature.headers(
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek", at: Instant(seconds: 1_614_265_330),
            body: Array(#"{"test": 2432232314}"#.utf8), keys: [secret.key])
        #expect(fields.map(\.name) == ["webhook-id", "webhook-timestamp", "webhook-signature"])
        #expect(fields[0].value == "msg_p5jXN8AQM9LWM0D4loKWxJek" && fields[1].value == "1614265330")
        #expect(fields[2].value == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    }

    @Test func `while a secret is replaced, both sign`() {
        var settings = TargetSettings(url: "http://example.org/", secrets: [.init(secret: WebhookSecret())])
        let first = settings.secrets[0].secret
        let start = Instant(seconds: 1_790_000_000)
        let second = settings.rotate(at: start, keepingHours: 2)
        #expect(settings.keys(at: start) == [second.key, first.key])
        #expect(settings.keys(at: start.advanced(bySeconds: 7199)).count == 2)
        #expect(settings.keys(at: start.advanced(bySeconds: 7200)) == [second.key])
        let fields = WebhookSignature.headers(id: "a", at: start, body: [], keys: settings.keys(at: start))
        let signatures = fields[2].value.split(separator: " ")
        #expect(signatures.count == 2 && signatures.allSatisfy { $0.hasPrefix("v1,") })
        // Only the newest of those before stays good.
        let third = settings.rotate(at: start, keepingHours: 2)
        #expect(settings.keys(at: start) == [third.key, second.key])
        _ = settings.rotate(at: start, keepingHours: 0)
        #expect(settings.keys(at: start).count == 1)
    }

    @Test(arguments: [
        "", "whsec_", "whsec_AAAA", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS!",
        "whsec_" + Data(count: 65).base64EncodedString(), "whsec_" + Data(count: 23).base64EncodedString(),
    ])
    func `a webhook secret outside 24 to 64 bytes is refused`(text: String) { #expect(WebhookSecret(text) == nil) }

    @Test func `settings are sealed for their target alone`() throws {
        let vault = SecretVault()
        var settings = TargetSettings(url: "https://example.org/t0ken", secrets: [.init(secret: WebhookSecret())])
        settings.fields = [.init(name: "X-Ü\"", value: "a\\b")]
        _ = settings.rotate(at: Instant(seconds: 5), keepingHours: 1)
        let credential = settings.credential(of: TargetNumber(7), sealedBy: vault, at: Instant(seconds: 5))
        #expect(credential.key == [0, 0, 0, 7] && credential.kind == .targetSecret)
        #expect(try TargetSettings(credential, of: TargetNumber(7), openedBy: vault) == settings)
        #expect(throws: SecretVaultError.self) {
            try TargetSettings(credential, of: TargetNumber(8), openedBy: vault)
        }
        #expect(Data(credential.secret).range(of: Data("t0ken".utf8)) == nil)
    }

    @Test func `an event for Slack is plain text without coordinates`() {
        let crossing = #"""
            {"version":"0","detail-type":"Location Geofence Event","time":"2026-11-21T15:00:00Z","detail":{
            "EventType":"ENTER","DeviceId":"ana","GeofenceId":"Werk <1> & Hof","Position":[8.5,47.3]}}
            """#
        let message = String(decoding: PlainWords.slackMessage(Array(crossing.utf8)), as: UTF8.self)
        #expect(message == #"{"text":"ENTER: ana, Werk &lt;1&gt; &amp; Hof at 2026-11-21T15:00:00Z"}"#)
        let late = crossing.replacing(#","detail":"#, with: #","delay-seconds":3507,"detail":"#)
        #expect(
            PlainWords.text(of: Array(late.utf8))
                == "ENTER: ana, Werk <1> & Hof at 2026-11-21T15:00:00Z, heard of 58 min later")
        // What a rule's own input says need be no time.
        for odd in ["1e300", "-1e300", "\"x\""] {
            let text = PlainWords.text(of: Array(late.replacing("3507", with: odd).utf8))
            #expect(text == "ENTER: ana, Werk <1> & Hof at 2026-11-21T15:00:00Z")
        }
        let help = #"{"detail-type":"Muster Help Request","detail":{"User":"ana","Position":[8.5,47.3],"SOS":true}}"#
        #expect(PlainWords.text(of: Array(help.utf8)) == "Muster Help Request: User ana, SOS true")
        #expect(PlainWords.text(of: Array(#""as the template says""#.utf8)) == "as the template says")
        #expect(PlainWords.text(of: Array("no JSON".utf8)) == "no JSON")
        let long = PlainWords.slackMessage(Array(String(repeating: "x", count: 10_000).utf8))
        #expect(long.count < PlainWords.limitCharacters + 20)
        #expect(PlainWords.logged(Array(crossing.utf8))["device"] == "ana")
        #expect(!PlainWords.logged(Array(crossing.utf8)).values.contains { $0.contains("47.3") })
    }

    @Test(arguments: [
        (200, "delivered"), (204, "delivered"), (301, "rejected"), (400, "rejected"), (401, "rejected"),
        (404, "rejected"), (408, "failed"), (409, "failed"), (410, "gone"), (413, "rejected"), (425, "failed"),
        (429, "failed"), (500, "failed"), (503, "failed"),
    ])
    func `an answer means that it arrived, may arrive later, or never will`(status: Int, meaning: String) {
        let outcome = TargetCaller.outcome(of: CallAnswer(status: status, retryAfterSeconds: 3))
        switch outcome {
        case .delivered: #expect(meaning == "delivered")
        case .rejected: #expect(meaning == "rejected")
        case .gone: #expect(meaning == "gone")
        case .failed(_, let seconds): #expect(meaning == "failed" && seconds == 3)
        case .unreachable, .vanished, .withheld: Issue.record("\(outcome)")
        }
    }

    @Test func `Retry-After is read in seconds and as a time`() {
        let now = Date(timeIntervalSince1970: 1_445_412_480 - 90)
        #expect(RetryAfter.seconds("120", now: now) == 120)
        #expect(RetryAfter.seconds("Wed, 21 Oct 2015 07:28:00 GMT", now: now) == 90)
        #expect(RetryAfter.seconds("Wed, 21 Oct 2009 07:28:00 GMT", now: now) == 0)
        for text in ["", "soon", "-1", "1.5", "99999999999999"] { #expect(RetryAfter.seconds(text, now: now) == nil) }
    }
}
