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
    private let log: OccasionalLog
    private let now: @Sendable () -> Instant
    private let budget: TextBudget
    /// When the next text of a target may leave, as its settings of that time ask.
    private let turns = Mutex<[TargetNumber: (next: ContinuousClock.Instant, changedAt: Instant)]>([:])

    /// The largest number of the network's messages that one text takes.
    static let partLimit = 3
    /// The largest number of attempts at a text whose answers do not say whether it left. Each may be one more text.
    static let attemptLimit = 5
    /// The largest body of a gateway's answer, in bytes.
    private static let answerLimit = 65_536

    init(
        coordinator: StoreCoordinator, vault: SecretVault, client: CheckedHTTPClient, texts: Configuration.SMS,
        logger: Logger, now: @escaping @Sendable () -> Instant
    ) {
        self.coordinator = coordinator
        self.client = client
        self.texts = texts
        log = OccasionalLog(logger, now: now)
        self.now = now
        budget = TextBudget(coordinator: coordinator, vault: vault)
    }

    /// Divides a delivery, or sends one text.
    ///
    /// - Returns: `.vanished` for a delivery that was divided.
    func attempt(
        _ delivery: Delivery, to target: Target, _ settings: TargetSettings, _ texts: TextSettings
    ) async throws -> DeliveryOutcome {
        let outgoing = OutgoingText(delivery.content)
        if let refusal = try await refusal(of: delivery.content, outgoing, texts) { return refusal }
        guard let outgoing else {
            return try await divide(delivery, for: target, texts, TextOrigin(contentType: delivery.content.contentType))
        }
        if case .everyone(let user) = outgoing.recipient {
            return try await divide(delivery, for: target, texts, outgoing.origin, saying: outgoing.text, after: user)
        }
        return try await send(outgoing, delivery, to: target, settings, texts)
    }

    /// Why a text must not leave any more; nil where it may.
    private func refusal(
        of content: NewDelivery, _ outgoing: OutgoingText?, _ texts: TextSettings
    ) async throws -> DeliveryOutcome? {
        if now().seconds(since: content.createdAt) > Double(texts.lifetimeMinutes) * 60 {
            return .withheld("it is over \(texts.lifetimeMinutes) min old, and a late text would mislead")
        }
        let origin = outgoing?.origin ?? TextOrigin(contentType: content.contentType)
        guard let number = origin.incident else { return nil }
        let incident = try await coordinator.read { try $0.incident(number) }
        let isOpen = incident?.isOpen ?? false
        if origin.isEnd {
            // A drill that a real incident ends is no all-clear: a person who reads it after the call would stay.
            if case .takenOver = incident?.closing?.how { return .withheld("a real incident took the drill's place") }
            return isOpen ? .withheld("the incident is open again") : nil
        }
        return isOpen ? nil : .withheld("the incident is over")
    }

    // MARK: Dividing

    private func divide(
        _ delivery: Delivery, for target: Target, _ settings: TextSettings, _ origin: TextOrigin,
        saying known: String? = nil, after user: UserNumber? = nil
    ) async throws -> DeliveryOutcome {
        let text =
            known ?? TextDivision.text(of: delivery.content, in: texts.language, canAnswer: texts.gateway != nil)
        let division = TextDivision(settings: settings, country: texts.country)
        let (deliveries, withoutNumber) = division.deliveries(
            of: delivery.content, saying: TextParts.cut(text, to: Self.partLimit), about: origin, after: user,
            in: coordinator.directory)
        if withoutNumber > 0 {
            log.warn("sms_no_number", "People have no telephone number in international form, and get no text") {
                ["target": "\(target.name)", "people": "\(withoutNumber)"]
            }
        }
        // A later step may find nobody: those before it had their texts.
        guard !deliveries.isEmpty else {
            return user == nil
                ? .withheld("it has no recipient with a telephone number in international form") : .delivered
        }
        try await coordinator.storeState { transaction, _ in
            for each in deliveries { try transaction.put(each) }
            try transaction.complete(delivery.number)
        }
        return .vanished
    }

    // MARK: Sending

    private func send(
        _ outgoing: OutgoingText, _ delivery: Delivery, to target: Target, _ settings: TargetSettings,
        _ texts: TextSettings
    ) async throws -> DeliveryOutcome {
        guard number(for: outgoing, delivery) != nil else {
            return .withheld("the person has no telephone number in international form")
        }
        let parts = TextParts.count(outgoing.text)
        guard try await budget.take(parts, of: target.number, at: now()) else {
            log.warn("sms_budget", "The day's budget of texts is spent: none leave until midnight (UTC)") {
                ["target": "\(target.name)", "perDay": "\(texts.perDay)"]
            }
            return .withheld("the day's budget of \(texts.perDay) messages is spent")
        }
        var mayHaveLeft = false
        let outcome: DeliveryOutcome
        do {
            try await waitForTurn(of: target, perMinute: texts.perMinute)
            if let refusal = try await refusal(of: delivery.content, outgoing, texts) {
                outcome = refusal
            } else if let number = number(for: outgoing, delivery), isUnchanged(target) {
                let id = WebhookID.of(delivery.content) + "-\(delivery.number.rawValue)"
                let post = TextPost(outgoing.text, to: number, id: id, by: texts)
                mayHaveLeft = true
                let answer = try await answer(to: post, settings)
                outcome = Self.outcome(of: answer, after: delivery.attempts)
                mayHaveLeft = !(400..<500).contains(answer.status)
            } else {
                outcome = .failed("the target or the person was changed meanwhile", retryAfterSeconds: nil)
            }
        } catch let fault as CallError {
            // It may have left: the gateway may take a text and give no answer.
            if delivery.attempts + 1 >= Self.attemptLimit { return .rejected(fault.reason) }
            return .unreachable(fault.reason)
        } catch {
            if !mayHaveLeft { await budget.giveBack(parts, of: target.number, at: now()) }
            throw error
        }
        if !mayHaveLeft { await budget.giveBack(parts, of: target.number, at: now()) }
        return outcome
    }

    private func answer(to post: TextPost, _ settings: TargetSettings) async throws -> CallAnswer {
        try await client.post(
            post.body, to: try HTTPAddress(settings.url),
            headers: settings.fields.map { (name: $0.name, value: $0.value) } + post.headers,
            keepingBodyUpTo: Self.answerLimit)
    }

    /// The number that a text goes to, as of now; nil where there is none.
    private func number(for outgoing: OutgoingText, _ delivery: Delivery) -> String? {
        if case .number(let number) = outgoing.recipient { return number }
        guard case .user(let user) = delivery.content.subject, let person = coordinator.directory.users[user] else {
            return nil
        }
        return TextDivision.number(of: person, country: texts.country)
    }

    private func isUnchanged(_ target: Target) -> Bool {
        let present = coordinator.directory.targets[target.number]
        return present?.isEnabled == true && present?.times.updatedAt == target.times.updatedAt
    }

    /// The outcome that a gateway's answer means. A wrong account is the operator's to mend, and the text is tried
    /// again meanwhile. Twilio's code says why a text was refused (https://www.twilio.com/docs/api/errors); its words
    /// name the number, so they are left out.
    ///
    /// - Parameter attempts: those before this one.
    static func outcome(of answer: CallAnswer, after attempts: Int) -> DeliveryOutcome {
        let status = answer.status
        if [401, 403, 404, 410].contains(status) {
            return .failed(
                "answered \(status): the address or the account of the gateway is wrong", retryAfterSeconds: nil)
        }
        switch TargetCaller.outcome(of: answer) {
        case .failed(let reason, _) where status >= 500 && attempts + 1 >= attemptLimit: return .rejected(reason)
        case .rejected(let reason):
            guard let code = (try? JSONValue(parsing: answer.body))?["code"]?.integer else { return .rejected(reason) }
            return .rejected("\(reason), code \(code)")
        case let outcome: return outcome
        }
    }

    /// Waits until the target may send its next text. Texts leave evenly, one after the other.
    private func waitForTurn(of target: Target, perMinute: Int) async throws {
        let now = ContinuousClock.now
        let turn = turns.withLock { turns in
            turns = turns.filter { now < $0.value.next }
            let former = turns[target.number].flatMap { $0.changedAt == target.times.updatedAt ? $0.next : nil }
            let turn = max(now, former ?? now)
            turns[target.number] = (turn + .seconds(60) / perMinute, target.times.updatedAt)
            return turn
        }
        if turn > now { try await Task.sleep(until: turn) }
    }
}
