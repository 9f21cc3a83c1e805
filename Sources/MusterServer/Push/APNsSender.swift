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
            let headers = headers(of: message, authorizedBy: shown)
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

    private func headers(of message: PushMessage, authorizedBy token: String) -> [(name: String, value: String)] {
        let common = [
            (name: "authorization", value: "bearer \(token)"), (name: "content-type", value: "application/json"),
            (name: "apns-expiration", value: "\(Self.expiration(of: message).milliseconds / 1000)"),
        ]
        if message.activity != nil {
            return common + [
                (name: "apns-topic", value: "\(credentials.topic).push-type.liveactivity"),
                (name: "apns-push-type", value: "liveactivity"), (name: "apns-priority", value: "10"),
            ]
        }
        let isAlert = message.notice != nil
        return common + [
            (name: "apns-topic", value: credentials.topic),
            (name: "apns-push-type", value: isAlert ? "alert" : "background"),
            (name: "apns-priority", value: isAlert ? "10" : "5"),
            (name: "apns-collapse-id", value: message.collapseID),
        ]
    }

    /// Until when Apple keeps a message for a phone without a network. A message that begins a Live Activity must not
    /// arrive once the incident may be over. One that ends it may arrive as long as the phone may show the activity.
    private static func expiration(of message: PushMessage) -> Instant {
        switch message.activity {
        case .start?: min(message.expiresAt, message.createdAt.advanced(bySeconds: staleSeconds))
        case .end?: message.createdAt.advanced(bySeconds: longestActivitySeconds)
        case nil: message.expiresAt
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
        PushMessage.fit(textLimitBytes) {
            message.activity == nil ? text(of: message, bodyBytes: $0) : activityText(of: message, bodyBytes: $0)
        }
    }

    private static func text(of message: PushMessage, bodyBytes: Int) -> [UInt8] {
        JSONWriter.object { writer in
            writer.key("aps")
            writer.beginObject()
            if let notice = message.notice {
                writer.alert(notice, bodyBytes: bodyBytes)
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

    // The content of a Live Activity has facts, which the app's widget words in the language of the phone:
    // `IncidentFacts` and `IncidentCall` of MusterApp read them.

    /// The name of the app's type of a Live Activity's attributes.
    static let attributesType = "IncidentAttributes"
    /// Seconds after which a Live Activity that its app did not bring up to date is shown as old.
    static let staleSeconds: Double = 600
    /// Seconds after which the system itself removes a Live Activity.
    static let longestActivitySeconds: Double = 12 * 3_600
    /// Seconds for which a Live Activity that has ended stays on the Lock Screen.
    static let dismissalSeconds: Double = 900

    /// ("Starting and updating Live Activities with ActivityKit push notifications", Apple's documentation.)
    private static func activityText(of message: PushMessage, bodyBytes: Int) -> [UInt8] {
        func seconds(after seconds: Double) -> Int64 {
            message.createdAt.advanced(bySeconds: seconds).milliseconds / 1000
        }
        let isStart = message.activity == .start
        return JSONWriter.object { writer in
            writer.key("aps")
            writer.beginObject()
            writer.member("timestamp", seconds(after: 0))
            writer.member("event", isStart ? "start" : "end")
            writer.key("content-state")
            writer.activityFacts(of: message, isOpen: isStart, noteBytes: bodyBytes)
            if isStart {
                writer.member("attributes-type", attributesType)
                writer.key("attributes")
                writer.pushData(message.data.filter { ["incident", "since", "team"].contains($0.key) })
                writer.member("stale-date", seconds(after: staleSeconds))
                // From iOS 18 on, a token that ends the activity comes only where one is asked for.
                writer.member("input-push-token", Int64(1))
            } else {
                writer.member("dismissal-date", seconds(after: dismissalSeconds))
            }
            if let notice = message.notice { writer.alert(notice, bodyBytes: bodyBytes) }
            writer.endObject()
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

extension JSONWriter {
    /// Writes the member `alert`, its text cut to so many bytes.
    fileprivate mutating func alert(_ notice: PushMessage.Notice, bodyBytes: Int) {
        key("alert")
        beginObject()
        member("title", PushMessage.cut(notice.title, toBytes: PushMessage.titleBytes))
        member("body", PushMessage.cut(notice.body, toBytes: bodyBytes))
        endObject()
    }

    /// Writes the content of an incident's Live Activity.
    fileprivate mutating func activityFacts(of message: PushMessage, isOpen: Bool, noteBytes: Int) {
        beginObject()
        member("open", isOpen)
        for fact in message.data {
            switch (fact.key, fact.value) {
            case ("drill", let value): member("drill", value == .text("true"))
            case ("note", .text(let note)): member("note", PushMessage.cut(note, toBytes: noteBytes))
            case (let name, .text(let text)):
                key(name)
                value(text)
            case (let name, .number(let number)):
                key(name)
                value(number)
            }
        }
        endObject()
    }
}
