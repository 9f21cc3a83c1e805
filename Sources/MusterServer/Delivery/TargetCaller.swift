package import Logging
import MusterCoding
package import MusterCore
package import MusterHTTP
import MusterStore
import Synchronization

/// Makes one attempt at a delivery, in the way that the kind of target requires.
package final class TargetCaller: Sendable {
    private let coordinator: StoreCoordinator
    private let vault: SecretVault
    private let client: CheckedHTTPClient
    private let texts: TextSender
    private let logger: Logger
    private let now: @Sendable () -> Instant
    /// Unsealed settings, with the time of the target's last change when they were unsealed.
    private let opened = Mutex<[TargetNumber: (changedAt: Instant, settings: TargetSettings)]>([:])

    /// - Parameter texts: the server's settings of SMS.
    package init(
        coordinator: StoreCoordinator, vault: SecretVault, client: CheckedHTTPClient,
        texts: Configuration.SMS = .init(), logger: Logger, now: @escaping @Sendable () -> Instant
    ) {
        self.coordinator = coordinator
        self.vault = vault
        self.client = client
        self.texts = TextSender(
            coordinator: coordinator, vault: vault, client: client, texts: texts, logger: logger, now: now)
        self.logger = logger
        self.now = now
    }

    /// Makes an attempt at a delivery. Returns `.vanished` if the target no longer exists.
    func attempt(_ delivery: Delivery) async -> DeliveryOutcome {
        let content = delivery.content
        guard let target = coordinator.directory.targets[content.target] else { return .vanished }
        if target.kind == .log {
            log(content, for: target)
            return .delivered
        }
        do {
            let settings = try await settings(of: target)
            if let texts = settings.texts { return try await self.texts.attempt(delivery, to: target, settings, texts) }
            let address = try HTTPAddress(settings.url)
            var headers = settings.fields.map { (name: $0.name, value: $0.value) }
            var body = content.body
            var type = content.contentType
            if target.kind == .slack {
                body = PlainWords.slackMessage(content.body)
                type = "application/json"
            } else {
                headers += WebhookSignature.headers(
                    id: WebhookID.of(content), at: now(), body: body, keys: settings.keys(at: now()))
            }
            headers.append(("Content-Type", type))
            return Self.outcome(of: try await client.post(body, to: address, headers: headers))
        } catch let fault as CallError {
            return .unreachable(fault.reason)
        } catch let fault as HTTPAddress.ParsingError {
            return .rejected("its URL \(fault.detail)")
        } catch is CoordinatorError {
            return .failed("it cannot be stored now", retryAfterSeconds: nil)
        } catch {
            return .failed("its settings cannot be read now", retryAfterSeconds: nil)
        }
    }

    /// Asks a webhook target a question, and returns the body of its answer.
    ///
    /// - Parameter kind: the beginning of the message's id.
    /// - Throws: `SyncTriggerError`.
    func requestAnswer(
        of target: Target, _ body: [UInt8], kind: String = "trigger"
    ) async throws(SyncTriggerError) -> [UInt8] {
        let answer: CallAnswer
        let start = ContinuousClock.now
        do {
            let settings = try await settings(of: target)
            let now = now()
            let id = "\(kind)_" + SecretToken.randomBytes(12).hexadecimal
            var headers = settings.fields.map { (name: $0.name, value: $0.value) }
            headers += WebhookSignature.headers(id: id, at: now, body: body, keys: settings.keys(at: now))
            headers.append(("Content-Type", "application/json"))
            answer = try await client.post(
                body, to: try HTTPAddress(settings.url), headers: headers, within: SyncTrigger.timeoutSeconds,
                keepingBodyUpTo: SyncTrigger.answerLimit)
        } catch {
            guard start.duration(to: .now) < .seconds(SyncTrigger.timeoutSeconds) else { throw .throttled }
            throw .invalidAnswer("The target \(target.name) could not be asked.")
        }
        switch answer.status {
        case 200..<300: return answer.body
        case 429, 503: throw .throttled
        default: throw .invalidAnswer("The target \(target.name) answered \(answer.status).")
        }
    }

    /// The outcome that an answer means. The dispatcher does not repeat an attempt whose answer would always be the
    /// same, because it would hold up the deliveries behind it.
    static func outcome(of answer: CallAnswer) -> DeliveryOutcome {
        switch answer.status {
        case 200..<300: .delivered
        case 300..<400: .rejected("answered \(answer.status): redirects are not followed")
        case 410: .gone("answered 410: it wants nothing any more")
        case 408, 409, 425, 429, 500...:
            .failed("answered \(answer.status)", retryAfterSeconds: answer.retryAfterSeconds)
        default: .rejected("answered \(answer.status)")
        }
    }

    /// Why the server may not call an address that a URL spells out; nil when it may, or when the URL has a name that
    /// is not yet resolved.
    package func refusal(of address: HTTPAddress) -> String? { client.refusal(of: address) }

    /// Closes the kept connections, once the calls over them have ended.
    func close() { client.close() }

    private func log(_ content: NewDelivery, for target: Target) {
        var metadata: Logger.Metadata = ["target": "\(target.name)", "event": "\(content.event)"]
        for (key, value) in PlainWords.logged(content.body) { metadata[key] = "\(value)" }
        logger.notice("Event", metadata: metadata)
    }

    private func settings(of target: Target) async throws -> TargetSettings {
        let known = opened.withLock { $0[target.number] }
        if let known, known.changedAt == target.times.updatedAt { return known.settings }
        let key = TargetSettings.key(of: target.number)
        guard let credential = try await coordinator.read({ try $0.credential(.targetSecret, key: key) }) else {
            throw SecretVaultError.sealedOtherwise
        }
        let settings = try TargetSettings(credential, of: target.number, openedBy: vault)
        opened.withLock { opened in
            opened[target.number] = (target.times.updatedAt, settings)
            // Drops the settings of targets that no longer exist.
            let directory = coordinator.directory
            opened = opened.filter { directory.targets[$0.key] != nil }
        }
        return settings
    }
}
