import Crypto
import MusterCore
import MusterHTTP
import MusterWire
import Synchronization

/// The credentials with which the server sends through Apple's push notification service (APNs). The operator gets
/// them from Apple.
package struct APNsCredentials: Sendable {
    let key: P256.Signing.PrivateKey
    let keyID: String
    let teamID: String
    /// The app's bundle id.
    let topic: String
    /// The base address of APNs for production apps; tests give another one.
    let url: String
    /// The base address of APNs for development builds; tests give another one.
    let sandboxURL: String

    /// The app as Apple's association file names it: the team and the bundle id.
    package var applicationIdentifier: String { "\(teamID).\(topic)" }

    /// Reads the private key.
    ///
    /// - Parameters:
    ///   - key: the text of the .p8 file, PEM.
    ///   - url: the base address of the service; nil for Apple's addresses. Only tests give one.
    /// - Throws: a CryptoKit error for a text that is not a P-256 private key.
    package init(key: String, keyID: String, teamID: String, topic: String, url: String? = nil) throws {
        self.key = try P256.Signing.PrivateKey(pemRepresentation: key)
        self.keyID = keyID
        self.teamID = teamID
        self.topic = topic
        self.url = url ?? "https://api.push.apple.com"
        sandboxURL = url ?? "https://api.sandbox.push.apple.com"
    }
}

/// Sends push messages to Apple devices through Apple's push notification service (APNs): HTTP/2, with a provider
/// token signed by ES256. ("Sending notification requests to APNs", Apple's documentation.)
final class APNsSender: PushSender {
    private let credentials: APNsCredentials
    private let client: CheckedHTTPClient
    private let now: @Sendable () -> Instant
    private let token = Mutex<(text: String, at: Instant)?>(nil)

    /// Seconds for which a token is used. Apple refuses one that is older than an hour, and one that is renewed more
    /// often than every 20 minutes.
    private static let tokenSeconds: Double = 40 * 60

    init(_ credentials: APNsCredentials, client: CheckedHTTPClient, now: @escaping @Sendable () -> Instant) {
        self.credentials = credentials
        self.client = client
        self.now = now
    }

    func send(_ message: PushMessage, to address: PushAddress) async -> PushOutcome {
        let base = address.platform == .apnsSandbox ? credentials.sandboxURL : credentials.url
        do {
            let url = try HTTPAddress("\(base)/3/device/\(address.token)")
            let shown = providerToken()
            let isAlert = message.notice != nil
            let headers = [
                (name: "authorization", value: "bearer \(shown)"),
                (name: "apns-topic", value: credentials.topic),
                (name: "apns-push-type", value: isAlert ? "alert" : "background"),
                (name: "apns-priority", value: isAlert ? "10" : "5"),
                (name: "apns-expiration", value: "\(message.expiresAt.milliseconds / 1000)"),
                (name: "apns-collapse-id", value: message.collapseID),
                (name: "content-type", value: "application/json"),
            ]
            let text = Self.text(of: message)
            guard text.count <= Self.textLimitBytes else { return .refused(PushOutcome.tooLong) }
            let answer = try await client.post(text, to: url, headers: headers, over: .http2)
            let body = try? JSONValue(parsing: answer.body)
            let reason = body?["reason"]?.string
            if answer.status == 403, reason == "ExpiredProviderToken" {
                token.withLock { if $0?.text == shown { $0 = nil } }
            }
            let end = body?["timestamp"]?.integer.map { Instant(milliseconds: $0) }
            return Self.outcome(of: answer, reason: reason, since: end)
        } catch let fault as CallError {
            return .retry(fault.reason, afterSeconds: nil)
        } catch {
            return .refused("the address of APNs is not a valid URL")
        }
    }

    private func providerToken() -> String {
        let now = now()
        return token.withLock { token in
            if let token, abs(now.seconds(since: token.at)) < Self.tokenSeconds { return token.text }
            let claims = JSONWriter.object { writer in
                writer.member("iss", credentials.teamID)
                writer.member("iat", now.milliseconds / 1000)
            }
            let text = SignedToken.es256(
                header: [("alg", "ES256"), ("kid", credentials.keyID)], claims: claims, by: credentials.key)
            token = (text, now)
            return text
        }
    }

    /// The largest payload that APNs accepts, in bytes.
    private static let textLimitBytes = 4_096

    /// The JSON payload. It exceeds `textLimitBytes` only where it does so without a body.
    static func text(of message: PushMessage) -> [UInt8] {
        PushMessage.fit(textLimitBytes) { text(of: message, bodyBytes: $0) }
    }

    private static func text(of message: PushMessage, bodyBytes: Int) -> [UInt8] {
        JSONWriter.object { writer in
            writer.key("aps")
            writer.beginObject()
            if let notice = message.notice {
                writer.key("alert")
                writer.beginObject()
                writer.member("title", PushMessage.cut(notice.title, toBytes: PushMessage.titleBytes))
                writer.member("body", PushMessage.cut(notice.body, toBytes: bodyBytes))
                writer.endObject()
                writer.member("sound", "default")
                // An app's service extension words it in the language of the phone, and adds buttons.
                writer.member("mutable-content", Int64(1))
            }
            writer.member("content-available", Int64(1))
            writer.endObject()
            writer.key("data")
            writer.pushData(message.data)
        }
    }

    /// The reasons of an answer 400 that mean that the operator configured a wrong bundle id.
    private static let topicReasons: Set<String> = [
        "BadTopic", "MissingTopic", "TopicDisallowed",
    ]
    private static let topicAdvice = "--apns-topic must be the bundle id of the app, and the key one of its team"
    private static let keyAdvice =
        "--apns-key, --apns-key-id and --apns-team-id must be of one key that is valid, and may send to the app"

    /// The outcome that an answer means ("Handling notification responses from APNs"). Only the reasons that speak of
    /// the device's token say that the device is gone.
    ///
    /// - Parameter end: the `timestamp` of an answer 410: when APNs found that the token is no longer valid.
    static func outcome(of answer: CallAnswer, reason: String?, since end: Instant? = nil) -> PushOutcome {
        let words = "answered \(answer.status)\(reason.map { " \($0)" } ?? "")"
        switch (answer.status, reason) {
        case (200, _): return .delivered
        case (410, "Unregistered"), (410, "ExpiredToken"): return .gone(words, since: end)
        case (400, "BadDeviceToken"), (400, "ExpiredToken"): return .gone(words, since: nil)
        // The provider token has expired. The server makes a new one with the same key.
        case (403, "ExpiredProviderToken"), (400, "IdleTimeout"): return .retry(words, afterSeconds: nil)
        case (403, _): return .misconfigured(words, advice: keyAdvice)
        case (400, "DeviceTokenNotForTopic"): return .foreign(words, advice: topicAdvice)
        case (400, let reason?) where topicReasons.contains(reason):
            return .misconfigured(words, advice: topicAdvice)
        case (429, _), (500..., _): return .retry(words, afterSeconds: answer.retryAfterSeconds)
        default: return .refused(words)
        }
    }
}
