package import MusterCore
import MusterStore
import Synchronization

/// The last question "where are you now?" to each person, and the channels through which it was sent.
///
/// The log and the audit log record that a question was asked. This record is in memory only: after a restart, open
/// questions are restored from the audit log, without the results on their channels before the restart.
package final class LocationRequests: Sendable {
    /// A way in which a question reaches a person.
    package enum Channel: Hashable, Sendable {
        case push(device: String, PushPlatform)
        /// The command `reportLocation`, in the answer to a report of an OwnTracks app.
        case ownTracks(DeviceNumber)
        case liveFeed
    }

    /// The result of sending a question through one channel.
    package struct Sending: Hashable, Sendable {
        package let channel: Channel
        package let at: Instant
        /// `told`, or the result of a push: `delivered`, `failed`, `gone`, `refused`.
        package let outcome: String
        package let reason: String?
    }

    /// A question to a person.
    package struct Question: Hashable, Sendable {
        package let author: UserNumber
        package let askedAt: Instant
        /// The newest sending of each channel, in the order in which the channels were first used.
        package fileprivate(set) var sendings: [Sending] = []

        /// When the question expires.
        package var endsAt: Instant { askedAt.advanced(bySeconds: PushRecipients.locateSeconds) }

        /// Whether a position with this sample time answers the question. Phones report whole seconds, so a position
        /// from the same second as the question counts.
        package func isAnswered(at sampleTime: Instant) -> Bool {
            sampleTime >= askedAt || sampleTime.milliseconds / 1_000 == askedAt.milliseconds / 1_000
        }
    }

    private let questions = Mutex<[UserNumber: Question]>([:])

    /// The largest number of questions in memory. At the limit, expired questions are removed first, and then the
    /// oldest.
    static let limit = 10_000
    /// The largest number of channels that are recorded for a question: push devices, phones, the live feed.
    static let channelLimit = 150
    /// Seconds between two commands to one phone. The command is repeated, because an answer may be lost on its way.
    static let repeatSeconds: Double = 60

    package init() {}

    /// Returns the last question to a person; nil when nobody asked, or the question was removed.
    package func question(to user: UserNumber) -> Question? { questions.withLock { $0[user] } }

    /// Records a new question to a person, which replaces the last one.
    ///
    /// - Returns: the question that was replaced; nil for none.
    @discardableResult
    package func recordQuestion(to user: UserNumber, by author: UserNumber, at moment: Instant) -> Question? {
        questions.withLock { questions in
            if questions.count >= Self.limit, questions[user] == nil {
                questions = questions.filter { moment < $0.value.endsAt }
                let oldest = questions.min { $0.value.askedAt < $1.value.askedAt }
                if questions.count >= Self.limit, let oldest { questions[oldest.key] = nil }
            }
            return questions.updateValue(Question(author: author, askedAt: moment), forKey: user)
        }
    }

    /// Restores the question that `recordQuestion` replaced, because the new one could not be stored.
    package func restore(_ question: Question?, to user: UserNumber) {
        questions.withLock { $0[user] = question }
    }

    /// Records the result of sending a question through a channel.
    ///
    /// - Parameter committedAt: when the question that was sent was committed. A result for an earlier question is
    ///   ignored.
    package func recordOutcome(
        _ outcome: String = "told", through channel: Channel, reason: String? = nil, to user: UserNumber,
        asked committedAt: Instant, at moment: Instant
    ) {
        questions.withLock { questions in
            guard var question = questions[user], committedAt >= question.askedAt else { return }
            question.recordSending(Sending(channel: channel, at: moment, outcome: outcome, reason: reason))
            questions[user] = question
        }
    }

    /// Decides whether the answer to a phone's report carries the command to report its location. If it does, records
    /// the command as sent.
    ///
    /// - Parameter located: the sample time of the person's newest position.
    /// - Returns: whether to add the command. False when the question is answered or expired, or the phone got the
    ///   command less than `repeatSeconds` ago.
    package func takeCommand(for device: DeviceNumber, of user: UserNumber, located: Instant?, now: Instant) -> Bool {
        questions.withLock { questions in
            guard var question = questions[user], now < question.endsAt else { return false }
            if let located, question.isAnswered(at: located) { return false }
            let last = question.sendings.first { $0.channel == .ownTracks(device) }
            if let last, now.seconds(since: last.at) < Self.repeatSeconds { return false }
            question.recordSending(Sending(channel: .ownTracks(device), at: now, outcome: "told", reason: nil))
            questions[user] = question
            return true
        }
    }

    /// Restores the questions that were open when the server stopped.
    ///
    /// - Throws: the errors of reading the store.
    func load(from coordinator: StoreCoordinator) async throws {
        let now = coordinator.now()
        let entries = try await coordinator.read { try $0.audit(before: nil, limit: Self.loadLimit) }
        for entry in entries.reversed() {
            guard case .action(let action) = entry.change, action.kind == .locationAsked, let user = action.user,
                now < entry.at.advanced(bySeconds: PushRecipients.locateSeconds)
            else { continue }
            recordQuestion(to: user, by: action.author, at: entry.at)
        }
    }

    /// The number of audit entries that are read after a restart.
    private static let loadLimit = 1_000
}

extension LocationRequests.Question {
    fileprivate mutating func recordSending(_ sending: LocationRequests.Sending) {
        if let index = sendings.firstIndex(where: { $0.channel == sending.channel }) {
            sendings[index] = sending
        } else if sendings.count < LocationRequests.channelLimit {
            sendings.append(sending)
        }
    }
}
