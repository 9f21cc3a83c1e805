import MusterCore
import Testing

@testable import MusterHTTP
@testable import MusterServer

/// What an answer of Apple's or Google's says of the device, and what of the operator's configuration.
struct PushConfigurationTests {
    private func fcm(_ status: Int, _ code: String?) -> PushOutcome {
        let details = code.map { #", "details": [{"errorCode": "\#($0)"}]"# } ?? ""
        let body = Array(#"{"error": {"code": \#(status)\#(details)}}"#.utf8)
        return FCMSender.outcome(of: CallAnswer(status: status, retryAfterSeconds: nil, body: body))
    }

    private func apns(_ status: Int, _ reason: String?) -> PushOutcome {
        APNsSender.outcome(of: CallAnswer(status: status, retryAfterSeconds: nil), reason: reason)
    }

    private func kind(_ outcome: PushOutcome) -> String {
        switch outcome {
        case .misconfigured: "misconfigured"
        case .foreign: "foreign"
        default: outcome.word
        }
    }

    @Test func `only an answer about the device's own token says that the device is gone`() {
        #expect(kind(fcm(404, "UNREGISTERED")) == "gone")
        #expect(kind(apns(410, "Unregistered")) == "gone")
        #expect(kind(apns(410, "ExpiredToken")) == "gone")
        #expect(kind(apns(400, "BadDeviceToken")) == "gone")
        for status in [400, 401, 403, 404, 410, 429, 500, 503] {
            for code in ["SENDER_ID_MISMATCH", "PERMISSION_DENIED", "THIRD_PARTY_AUTH_ERROR", "INVALID_ARGUMENT", nil] {
                #expect(kind(fcm(status, code)) != "gone", "\(status) \(code ?? "")")
            }
            for reason in ["BadTopic", "DeviceTokenNotForTopic", "InvalidProviderToken", "Forbidden", nil] {
                #expect(kind(apns(status, reason)) != "gone", "\(status) \(reason ?? "")")
            }
        }
    }

    @Test func `an answer about the operator's account waits for the operator`() {
        #expect(kind(fcm(403, "PERMISSION_DENIED")) == "misconfigured")
        #expect(kind(fcm(404, nil)) == "misconfigured")
        #expect(kind(apns(403, "InvalidProviderToken")) == "misconfigured")
        #expect(kind(apns(400, "BadTopic")) == "misconfigured")
        // The server mends this one itself.
        #expect(kind(apns(403, "ExpiredProviderToken")) == "failed")
    }

    @Test func `the operator is told of a fault once, and again when it is back a day later`() {
        var record = PushRecord()
        let fault = fcm(403, "PERMISSION_DENIED")
        let start = Instant(seconds: 1_000)
        #expect(record.recordConfiguration(fault, of: .fcm, device: "a", at: start)?.since == start)
        #expect(record.recordConfiguration(fault, of: .fcm, device: "a", at: start.advanced(bySeconds: 1)) == nil)
        #expect(record.faults[.fcm]?.since == start)
        #expect(record.recordConfiguration(.delivered, of: .fcm, device: "a", at: start.advanced(bySeconds: 2)) == nil)
        #expect(record.faults.isEmpty)
        // A fault that comes and goes does not fill the log.
        #expect(record.recordConfiguration(fault, of: .fcm, device: "a", at: start.advanced(bySeconds: 3)) == nil)
        #expect(record.faults[.fcm] != nil)
        #expect(record.recordConfiguration(.delivered, of: .fcm, device: "a", at: start.advanced(bySeconds: 4)) == nil)
        #expect(record.recordConfiguration(fault, of: .fcm, device: "a", at: start.advanced(bySeconds: 90_000)) != nil)
    }

    @Test func `a token of another app or account speaks of its device, until several are so`() {
        let outcomes = [fcm(403, "SENDER_ID_MISMATCH"), apns(400, "DeviceTokenNotForTopic")]
        for (outcome, platform) in zip(outcomes, [PushPlatform.fcm, .apns]) {
            #expect(kind(outcome) == "foreign")
            var record = PushRecord()
            func told(_ outcome: PushOutcome, _ device: String) -> Bool {
                record.recordConfiguration(outcome, of: platform, device: device, at: Instant(seconds: 1_000)) != nil
            }
            #expect(!told(.delivered, "good"))
            // One device, however often, and two are no fault of the operator's.
            for device in ["one", "one", "one", "two", "one"] {
                #expect(!told(outcome, device))
                #expect(record.faults.isEmpty)
            }
            #expect(!told(.delivered, "good"))
            #expect(!told(outcome, "three"))
            #expect(!told(outcome, "four"))
            #expect(told(outcome, "five"))
            #expect(record.faults[platform]?.reason == outcome.reason)
            #expect(!told(.delivered, "good"))
            #expect(record.faults.isEmpty)
        }
    }

    @Test func `a token of another app or account tells at once where the service accepted nothing yet`() {
        var record = PushRecord()
        let outcome = apns(400, "DeviceTokenNotForTopic")
        let now = Instant(seconds: 1_000)
        // What one service accepts says nothing about another.
        #expect(record.recordConfiguration(.delivered, of: .fcm, device: "a", at: now) == nil)
        #expect(record.recordConfiguration(outcome, of: .apns, device: "b", at: now) != nil)
        #expect(record.faults[.apns] != nil)
    }
}
