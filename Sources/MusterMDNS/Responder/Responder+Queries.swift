/// The part of a responder that answers queries (RFC 6762, section 6).
extension Responder {
    /// An answer for one host.
    struct Reply: Sendable {
        var destination: HostEndpoint
        var due: Duration
        /// The question of a resolver that knows plain DNS only; nil when the host knows multicast DNS.
        var legacy: DNSMessage?
        var answers: [DNSRecord]
    }

    /// A question whose known answers continue in further messages.
    struct TruncatedQuery: Sendable {
        var query: DNSMessage
        var due: Duration
    }

    /// Limits unicast answers: 50 at once, and 50 a second. An attacker who sends questions from a false address cannot
    /// make this host send more than that to the address.
    struct UnicastAllowance: Sendable {
        static let limit = 50
        private var left = Self.limit
        private var since: Duration?

        mutating func takeAnswer(at now: Duration) -> Bool {
            let begin = since ?? now
            let gained = Int((now - begin) / .milliseconds(1000 / Self.limit))
            left = min(Self.limit, left + gained)
            since = left == Self.limit ? now : begin + .milliseconds(1000 / Self.limit) * gained
            guard left > 0 else { return false }
            left -= 1
            return true
        }
    }

    /// The most hosts whose further known answers are awaited, the most of these answers, and the most questions of a
    /// message that are read.
    static let limitTruncated = 16
    static let limitKnownAnswers = 2_048
    static let limitQuestions = 64
    /// The largest number of waiting answers that are for one host each.
    static let limitReplies = 64
    /// The time to live of an answer to a resolver that does not hear of changes (RFC 6762, section 6.7).
    static let legacyTimeToLive: UInt32 = 10

    /// Handles a query (RFC 6762, sections 5 to 8).
    ///
    /// - Parameter isMulticast: whether it was sent to all hosts.
    mutating func receive(
        query: DNSMessage, from source: HostEndpoint, isMulticast: Bool, on index: Int, at now: Duration
    ) {
        guard !query.isResponse, !services.isEmpty, let link = links[index] else { return }
        if !query.authorities.isEmpty { compareProbe(query, on: index, at: now) }
        guard source.port == port else {
            respond(to: query, from: source, isUnicast: true, delay: nil, on: index, at: now)
            return
        }
        if var waiting = link.truncated[source], query.questions.isEmpty {
            waiting.query.answers += query.answers.prefix(Self.limitKnownAnswers - waiting.query.answers.count)
            if query.isTruncated { waiting.due = now + truncatedDelay() }
            links[index]?.truncated[source] = waiting
            return
        }
        guard query.isTruncated, link.truncated[source] != nil || link.truncated.count < Self.limitTruncated else {
            respond(to: query, from: source, isUnicast: !isMulticast, delay: nil, on: index, at: now)
            return
        }
        if let waiting = link.truncated[source] {
            respond(to: waiting.query, from: source, isUnicast: false, delay: .zero, on: index, at: now)
        }
        let due = now + truncatedDelay()
        links[index]?.truncated[source] = TruncatedQuery(query: query, due: due)
    }

    /// Further known answers are waited for 400 to 500 ms (RFC 6762, section 7.2).
    private mutating func truncatedDelay() -> Duration { .milliseconds(Int.random(in: 400...500, using: &random)) }

    mutating func answerTruncated(on index: Int, at now: Duration) {
        for (source, waiting) in links[index]?.truncated ?? [:] where waiting.due <= now {
            links[index]?.truncated[source] = nil
            respond(to: waiting.query, from: source, isUnicast: false, delay: .zero, on: index, at: now)
        }
    }

    /// Plans the answers to a question.
    ///
    /// - Parameter delay: the time for which the answers wait; nil for the delay of their kind.
    private mutating func respond(
        to query: DNSMessage, from source: HostEndpoint, isUnicast: Bool, delay: Duration?, on index: Int,
        at now: Duration
    ) {
        let owned = owned(on: index)
        let isLegacy = source.port != port
        var (everyone, one): ([DNSRecord], [DNSRecord]) = ([], [])
        let known = isLegacy ? [:] : query.knownTimes
        for question in Set(query.questions.prefix(Self.limitQuestions)) {
            for record in answers(to: question, among: owned) {
                // Known for at least half of its life (RFC 6762, section 7.1).
                if let seconds = known[record.identity], seconds >= record.timeToLive / 2 { continue }
                let isFresh = links[index]?.sent[record].map { isRecent($0, record, at: now) } ?? false
                if isUnicast || (question.wantsUnicast && isFresh) {
                    if !one.contains(record) { one.append(record) }
                } else if !everyone.contains(record) {
                    everyone.append(record)
                }
            }
        }
        // Answers that other hosts may give as well wait a little, so that the hosts do not all answer at once.
        let isProbe = !query.authorities.isEmpty
        let isShared = (everyone + one).contains { !$0.flushesCache }
        let wait = delay ?? (isShared && !isProbe ? .milliseconds(Int.random(in: 20...120, using: &random)) : .zero)
        schedule(everyone, after: wait, gap: isProbe ? Claim.probePause : .seconds(1), on: index, at: now)
        guard !one.isEmpty, let waiting = links[index]?.replies.count, waiting < Self.limitReplies,
            links[index]?.allowance.takeAnswer(at: now) == true
        else { return }
        links[index]?.replies.append(
            Reply(destination: source, due: now + wait, legacy: isLegacy ? query : nil, answers: one))
    }

    /// Whether less than a quarter of the record's time to live has passed since it was multicast (RFC 6762, section
    /// 5.4).
    private func isRecent(_ sent: Duration, _ record: DNSRecord, at now: Duration) -> Bool {
        (now - sent) * 4 < .seconds(Int64(record.timeToLive))
    }

    /// Returns the records that answer a question. If a name of this host has none of the type, returns the NSEC record
    /// that states this.
    private func answers(to question: DNSQuestion, among owned: [DNSName: [DNSRecord]]) -> [DNSRecord] {
        guard let records = owned[question.name] else { return [] }
        let found = records.filter { question.asks(for: $0) }
        let isOurs = records.allSatisfy(\.flushesCache) && question.questionClass == DNSRecord.internet
        return found.isEmpty && isOurs ? [absence(question.name, among: records)] : found
    }

    /// Plans to send records to all hosts, each no sooner than `gap` after it was sent last (RFC 6762, section 6).
    mutating func schedule(
        _ records: [DNSRecord], after delay: Duration, gap: Duration, on index: Int, at now: Duration
    ) {
        for record in records {
            let due = max(now + delay, links[index]?.sent[record].map { $0 + gap } ?? now)
            let planned = links[index]?.answers[record] ?? due
            links[index]?.answers[record] = min(planned, due)
        }
    }

    mutating func sendAnswers(on index: Int, at now: Duration) {
        let due = links[index]?.answers.filter { $0.value <= now } ?? [:]
        guard !due.isEmpty else { return }
        let ordered = due.sorted { ($0.value, $0.key.type.rawValue) < ($1.value, $1.key.type.rawValue) }
        multicast(ordered.map(\.key), on: index, at: now)
    }

    mutating func sendReplies(on index: Int, at now: Duration) {
        guard let replies = links[index]?.replies, replies.contains(where: { $0.due <= now }) else { return }
        links[index]?.replies.removeAll { $0.due <= now }
        let owned = owned(on: index)
        for reply in replies where reply.due <= now {
            let additionals = additionals(to: reply.answers, among: owned)
            guard let legacy = reply.legacy else {
                let messages = MessagePacker.packAnswers(reply.answers, additionals: additionals)
                send(messages, on: index, to: reply.destination)
                continue
            }
            send([Self.plainAnswer(to: legacy, reply.answers, additionals)], on: index, to: reply.destination)
        }
    }

    /// An answer in the form of plain DNS: with the question and its number, without the bit that flushes caches, and
    /// valid for ten seconds (RFC 6762, section 6.7).
    private static func plainAnswer(
        to query: DNSMessage, _ answers: [DNSRecord], _ additionals: [DNSRecord]
    ) -> [UInt8] {
        func plain(_ record: DNSRecord) -> DNSRecord {
            var copy = record.withTimeToLive(min(record.timeToLive, legacyTimeToLive))
            copy.flushesCache = false
            return copy
        }
        var message = DNSMessage(answering: answers.map(plain), additionals: additionals.map(plain))
        message.id = query.id
        message.questions = Array(query.questions.prefix(limitQuestions))
        while message.encoded(isLegacy: true).count > MessagePacker.limitBytes, !message.additionals.isEmpty {
            message.additionals.removeLast()
        }
        while message.encoded(isLegacy: true).count > MessagePacker.limitBytes, message.answers.count > 1 {
            message.answers.removeLast()
        }
        return message.encoded(isLegacy: true)
    }
}

extension DNSMessage {
    /// The known answers of a question, each with the seconds for which the asking host still stores it.
    fileprivate var knownTimes: [DNSRecord: UInt32] {
        Dictionary(answers.map { ($0.identity, $0.timeToLive) }, uniquingKeysWith: max)
    }
}

extension DNSRecord {
    /// The record without its time to live and its cache-flush bit, for comparing.
    fileprivate var identity: DNSRecord {
        var copy = withTimeToLive(0)
        copy.flushesCache = false
        return copy
    }
}
