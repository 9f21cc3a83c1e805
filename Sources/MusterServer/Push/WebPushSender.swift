import MusterCore
import MusterHTTP
import MusterWire
import Synchronization

/// Sends by Web Push (RFC 8030): the message encrypted for the receiver (RFC 8291), the server named by its key (RFC
/// 8292). It calls only through the checked client, so that a subscription cannot make the server call addresses of its
/// own network.
final class WebPushSender: PushSender {
    private let coordinator: StoreCoordinator
    private let vault: SecretVault
    private let client: CheckedHTTPClient
    private let contact: String
    private let now: @Sendable () -> Instant
    private let state = Mutex(State())

    private struct State {
        var key: VAPIDKey?
        /// The last authorization for each service, and when it was made.
        var authorizations: [String: (value: String, at: Instant)] = [:]
    }

    /// The number of services whose authorization is kept.
    private static let authorizationLimit = 256
    /// Seconds for which an authorization is used: half of its life.
    private static let reuseSeconds = VAPIDKey.tokenSeconds / 2

    init(
        coordinator: StoreCoordinator, vault: SecretVault, client: CheckedHTTPClient, contact: String,
        now: @escaping @Sendable () -> Instant
    ) {
        self.coordinator = coordinator
        self.vault = vault
        self.client = client
        self.contact = contact
        self.now = now
    }

    /// The key that subscriptions are made with. It is made when it is first asked for.
    ///
    /// - Throws: `CoordinatorError`, `StoreError`.
    func key() async throws -> VAPIDKey {
        if let key = state.withLock({ $0.key }) { return key }
        let key = try await VAPIDKey.open(of: coordinator, vault)
        state.withLock { $0.key = key }
        return key
    }

    func send(_ message: PushMessage, to address: PushAddress) async -> PushOutcome {
        guard let keys = address.keys, let endpoint = try? HTTPAddress(address.token) else {
            return .gone("its subscription is not valid", since: nil)
        }
        let now = now()
        do {
            let headers = [
                (name: "Authorization", value: try await authorization(for: endpoint, at: now)),
                (name: "TTL", value: "\(message.secondsToLive(at: now))"),
                (name: "Urgency", value: message.notice == nil ? "normal" : "high"),
                (name: "Topic", value: message.collapseID), (name: "Content-Encoding", value: "aes128gcm"),
                (name: "Content-Type", value: "application/octet-stream"),
            ]
            let text = Self.text(of: message, page: address.page)
            guard let body = keys.encrypt(text) else { return .refused(PushOutcome.tooLong) }
            return Self.outcome(of: try await client.post(body, to: endpoint, headers: headers))
        } catch CallError.forbidden(let reason) {
            return .refused(reason)
        } catch let fault as CallError {
            return .retry(fault.reason, afterSeconds: nil)
        } catch {
            return .retry("the server's key cannot be read now", afterSeconds: nil)
        }
    }

    func refusal(of address: PushAddress) -> String? {
        (try? HTTPAddress(address.token)).flatMap { client.refusal(of: $0) }
    }

    private func authorization(for endpoint: HTTPAddress, at now: Instant) async throws -> String {
        let known = state.withLock { $0.authorizations[endpoint.shown] }
        if let known, abs(now.seconds(since: known.at)) < Self.reuseSeconds { return known.value }
        let value = try await key().authorization(for: endpoint.shown, contact: contact, at: now)
        state.withLock { state in
            if state.authorizations.count >= Self.authorizationLimit { state.authorizations.removeAll() }
            state.authorizations[endpoint.shown] = (value, now)
        }
        return value
    }

    /// The text that the receiver decrypts: the data for the app, and the notice in the declarative form, which a
    /// browser shows without a service worker. That form needs a page to open.
    static func text(of message: PushMessage, page: String?) -> [UInt8] {
        PushMessage.fit(WebPushKeys.textLimitBytes) { text(of: message, page: page, bodyBytes: $0) }
    }

    private static func text(of message: PushMessage, page: String?, bodyBytes: Int) -> [UInt8] {
        JSONWriter.object { writer in
            if message.notice != nil, page != nil { writer.member("web_push", Int64(8030)) }
            if let notice = message.notice {
                writer.key("notification")
                writer.beginObject()
                writer.member("title", PushMessage.cut(notice.title, toBytes: PushMessage.titleBytes))
                let words = [notice.body, notice.confidential].compactMap(\.self).joined(separator: " ")
                writer.member("body", PushMessage.cut(words, toBytes: bodyBytes))
                writer.member("tag", message.collapseID)
                writer.member("navigate", page.map { message.isCallToEvacuate ? callPage(of: $0) : $0 })
                writer.endObject()
            }
            writer.key("data")
            writer.pushData(message.data)
        }
    }

    /// Returns the page that a call to evacuate opens. For a subscription of the member's app, whose page is the folder
    /// `/me/`, it is the screen where the person acknowledges the call; for any other, the registered page.
    static func callPage(of page: String) -> String {
        let address = page.prefix { $0 != "#" && $0 != "?" }
        return address.hasSuffix("/me/") ? "\(address)#/call" : page
    }

    /// The outcome that an answer means (RFC 8030, sections 5 and 7.3).
    static func outcome(of answer: CallAnswer) -> PushOutcome {
        switch answer.status {
        case 200..<300: .delivered
        case 404, 410: .gone("answered \(answer.status): the subscription has ended", since: nil)
        case 408, 425, 429, 500...: .retry("answered \(answer.status)", afterSeconds: answer.retryAfterSeconds)
        case 300..<400: .refused("answered \(answer.status): redirects are not followed")
        default: .refused("answered \(answer.status)")
        }
    }
}
