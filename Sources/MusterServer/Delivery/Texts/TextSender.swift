import Logging
import MusterCoding
import MusterCore
import MusterHTTP
import MusterStore
import MusterWire
import Synchronization

/// Sends the texts of targets of the kind `sms`: divides a rule's delivery, keeps to the rate and the budget of its
/// target, and posts each text to the gateway.
final class TextSender: Sendable {
    private let coordinator: StoreCoordinator
    private let client: CheckedHTTPClient
    private let texts: Configuration.SMS
    private let logger: Logger
    private let now: @Sendable () -> Instant
    private let budget: TextBudget
    /// When the next text of a target may leave.
    private let turns = Mutex<[TargetNumber: ContinuousClock.Instant]>([:])
    /// The day on which each target was last found without a budget.
    private let warned = Mutex<[TargetNumber: Int64]>([:])

    init(
        coordinator: StoreCoordinator, vault: SecretVault, client: CheckedHTTPClient, texts: Configuration.SMS,
        logger: Logger, now: @escaping @Sendable () -> Instant
    ) {
        self.coordinator = coordinator
        self.client = client
        self.texts = texts
        self.logger = logger
        self.now = now
        budget = TextBudget(coordinator: coordinator, vault: vault)
    }

    /// Divides a delivery, or sends one text.
    ///
    /// - Returns: `.vanished` for a delivery that was divided.
    func attempt(
        _ delivery: Delivery, to target: Target, _ settings: TargetSettings, _ texts: TextSettings
    ) async throws -> DeliveryOutcome {
        let content = delivery.content
        if let refusal = lateness(of: content, texts) { return refusal }
        let outgoing = OutgoingText(content)
        switch outgoing?.recipient {
        case nil: return try await divide(delivery, for: target, texts, after: nil)
        case .everyone(let user): return try await divide(delivery, for: target, texts, after: user)
        case .number(let number): return try await send(outgoing?.text ?? "", to: number, delivery, settings, texts)
        case .subject:
            guard case .user(let user) = content.subject, let person = coordinator.directory.users[user],
                let number = TextDivision.number(of: person, country: self.texts.country)
            else { return .rejected("the person has no telephone number in international form") }
            return try await send(outgoing?.text ?? "", to: number, delivery, settings, texts)
        }
    }

    private func lateness(of content: NewDelivery, _ texts: TextSettings) -> DeliveryOutcome? {
        guard now().seconds(since: content.createdAt) > Double(texts.lifetimeMinutes) * 60 else { return nil }
        return .rejected("it is over \(texts.lifetimeMinutes) min old, and a late text would mislead")
    }

    private func divide(
        _ delivery: Delivery, for target: Target, _ settings: TextSettings, after user: UserNumber?
    ) async throws -> DeliveryOutcome {
        let content = delivery.content
        let text = TextParts.cut(
            OutgoingText(content)?.text
                ?? TextDivision.text(of: content, in: texts.language, canAnswer: texts.gateway != nil),
            to: Self.partLimit)
        let division = TextDivision(settings: settings, country: texts.country)
        let (deliveries, withoutNumber) = division.deliveries(
            of: content, saying: text, after: user, in: coordinator.directory)
        if withoutNumber > 0 {
            logger.warning(
                "People have no telephone number in international form, and get no text",
                metadata: ["target": "\(target.name)", "people": "\(withoutNumber)"])
        }
        // A later step may find nobody: those before it had their texts.
        guard !deliveries.isEmpty else {
            if user != nil { return .delivered }
            return .rejected("it has no recipient with a telephone number in international form")
        }
        try await coordinator.storeState { transaction, _ in
            for each in deliveries { try transaction.put(each) }
            try transaction.complete(delivery.number)
        }
        return .vanished
    }

    /// The largest number of the network's messages that one text takes.
    static let partLimit = 3

    private func send(
        _ text: String, to number: String, _ delivery: Delivery, _ settings: TargetSettings, _ texts: TextSettings
    ) async throws -> DeliveryOutcome {
        let target = delivery.content.target
        let parts = TextParts.count(text)
        guard try await budget.take(parts, of: target, at: now()) else {
            warnOfBudget(of: target, texts)
            return .rejected("the day's budget of \(texts.perDay) messages is spent")
        }
        let outcome: DeliveryOutcome
        do {
            try await waitForTurn(of: target, perMinute: texts.perMinute)
            let id = WebhookID.of(delivery.content) + "-\(delivery.number.rawValue)"
            if let refusal = lateness(of: delivery.content, texts) {
                outcome = refusal
            } else {
                outcome = try await post(TextPost(text, to: number, id: id, by: texts), settings)
            }
        } catch {
            await budget.giveBack(parts, of: target, at: now())
            throw error
        }
        if outcome != .delivered { await budget.giveBack(parts, of: target, at: now()) }
        return outcome
    }

    /// Warns once a day that a target has spent its budget.
    private func warnOfBudget(of target: TargetNumber, _ texts: TextSettings) {
        let day = TextSettings.day(of: now())
        guard warned.withLock({ $0.updateValue(day, forKey: target) }) != day else { return }
        logger.warning(
            "The day's budget of texts is spent: no more texts leave until midnight (UTC), or until it is raised",
            metadata: [
                "target": "\(coordinator.directory.targets[target]?.name ?? "")", "perDay": "\(texts.perDay)",
            ])
    }

    private func post(_ post: TextPost, _ settings: TargetSettings) async throws -> DeliveryOutcome {
        let headers = settings.fields.map { (name: $0.name, value: $0.value) } + post.headers
        let answer = try await client.post(
            post.body, to: try HTTPAddress(settings.url), headers: headers, keepingBodyUpTo: Self.answerLimit)
        return Self.outcome(of: answer)
    }

    /// The largest body of a gateway's answer, in bytes.
    private static let answerLimit = 65_536

    /// The outcome that a gateway's answer means. A wrong account is the operator's to mend, and the text is tried
    /// again meanwhile. Twilio's code says why a text was refused (https://www.twilio.com/docs/api/errors); its words
    /// name the number, so they are left out.
    static func outcome(of answer: CallAnswer) -> DeliveryOutcome {
        switch answer.status {
        case 401, 403, 404:
            return .failed(
                "answered \(answer.status): the address or the account of the gateway is wrong", retryAfterSeconds: nil)
        case 400..<500:
            let outcome = TargetCaller.outcome(of: answer)
            guard case .rejected(let reason) = outcome,
                let code = (try? JSONValue(parsing: answer.body))?["code"]?.integer
            else { return outcome }
            return .rejected("\(reason), code \(code)")
        default: return TargetCaller.outcome(of: answer)
        }
    }

    /// Waits until the target may send its next text. Texts leave evenly, one after the other.
    private func waitForTurn(of target: TargetNumber, perMinute: Int) async throws {
        let now = ContinuousClock.now
        let turn = turns.withLock { turns in
            turns = turns.filter { now < $0.value || $0.key == target }
            let turn = max(now, turns[target] ?? now)
            turns[target] = turn + .seconds(60) / perMinute
            return turn
        }
        if turn > now { try await Task.sleep(until: turn) }
    }
}
