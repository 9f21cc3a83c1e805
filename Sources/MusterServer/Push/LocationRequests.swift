package import MusterCore
import MusterStore
import Synchronization

/// The last question "where are you now?" to each person, and by which channels it went out.
///
/// That a question was asked is a change of the log and an entry of the audit log. What is here is in memory: after a
/// restart the questions that are still open are taken up from the audit log, without what became of them before.
package final class LocationRequests: Sendable {
    /// What a question goes out by.
    package enum Channel: Hashable, Sendable {
        case push(device: String, PushPlatform)
        /// The command `reportLocation`, in the answer to a report of an OwnTracks app.
        case ownTracks(DeviceNumber)
        case liveFeed
    }

    /// What became of a question on one channel.
    package struct Sending: Hashable, Sendable {
        package let channel: Channel
        package let at: Instant
        /// `told`, or what a push service answered: `delivered`, `failed`, `gone`, `refused`.
        package let outcome: String
        package let reason: String?
    }

    /// A question to a person.
    package struct Question: Hashable, Sendable {
        package let author: UserNumber
        package let askedAt: Instant
        /// The newest sending of each channel, in the order in which the channels were first used.
        package fileprivate(set) var sendings: [Sending] = []

        /// When the question is of no use any more.
        package var endsAt: Instant { askedAt.advanced(bySeconds: PushRecipients.locateSeconds) }

        /// Whether a position of this sample time answers the question. Phones tell whole seconds, so one that was
        /// measured in the second of the question does.
        package func isAnswered(at sampleTime: Instant) -> Bool {
            sampleTime >= askedAt || sampleTime.milliseconds / 1_000 == askedAt.milliseconds / 1_000
        }
    }

    private let questions = Mutex<[UserNumber: Question]>([:])

    /// The number of questions that are kept. Of more, those that ended are forgotten, and then the oldest.
    static let limit = 10_000
    /// The number of channels of a question that are kept: push devices, phones, the live feed.
    static let channelLimit = 150
    /// Seconds between two commands to one phone, because an answer may be lost on its way.
    static let repeatSeconds: Double = 60

    package init() {}

    /// The last question to a person; nil where nobody asked, or it was forgotten.
    package func question(to user: UserNumber) -> Question? { questions.withLock { $0[user] } }

    /// Puts a question in the place of the last one to the same person.
    ///
    /// - Returns: the last one.
    @discardableResult
    package func ask(_ user: UserNumber, by author: UserNumber, at moment: Instant) -> Question? {
        questions.withLock { questions in
            if questions.count >= Self.limit, questions[user] == nil {
                questions = questions.filter { moment < $0.value.endsAt }
                let oldest = questions.min { $0.value.askedAt < $1.value.askedAt }
                if questions.count >= Self.limit, let oldest { questions[oldest.key] = nil }
            }
            return questions.updateValue(Question(author: author, askedAt: moment), forKey: user)
        }
    }

    /// Puts back what `ask` returned, because the question was not stored.
    package func restore(_ question: Question?, to user: UserNumber) {
        questions.withLock { $0[user] = question }
    }

    /// Notes what became of a question on a channel.
    ///
    /// - Parameter committedAt: when the change that the channel told was committed; what tells of an earlier question
    ///   is passed over.
    package func note(
        _ channel: Channel, _ outcome: String = "told", reason: String? = nil, to user: UserNumber,
        asked committedAt: Instant, at moment: Instant
    ) {
        questions.withLock { questions in
            guard var question = questions[user], committedAt >= question.askedAt else { return }
            question.note(Sending(channel: channel, at: moment, outcome: outcome, reason: reason))
            questions[user] = question
        }
    }

    /// Whether the answer to a phone's report is to carry the command to report its location; notes that it does.
    ///
    /// - Parameter located: the sample time of the person's newest position.
    package func takeCommand(for device: DeviceNumber, of user: UserNumber, located: Instant?, now: Instant) -> Bool {
        questions.withLock { questions in
            guard var question = questions[user], now < question.endsAt else { return false }
            if let located, question.isAnswered(at: located) { return false }
            let last = question.sendings.first { $0.channel == .ownTracks(device) }
            if let last, now.seconds(since: last.at) < Self.repeatSeconds { return false }
            question.note(Sending(channel: .ownTracks(device), at: now, outcome: "told", reason: nil))
            questions[user] = question
            return true
        }
    }

    /// Takes up the questions that were open when the last process ended.
    ///
    /// - Throws: what reading throws.
    func load(from coordinator: StoreCoordinator) async throws {
        let now = coordinator.now()
        let entries = try await coordinator.read { try $0.audit(before: nil, limit: Self.loadLimit) }
        for entry in entries.reversed() {
            guard case .action(let action) = entry.change, action.kind == .locationAsked, let user = action.user,
                now < entry.at.advanced(bySeconds: PushRecipients.locateSeconds)
            else { continue }
            ask(user, by: action.author, at: entry.at)
        }
    }

    /// The number of audit entries that are looked at after a restart.
    private static let loadLimit = 1_000
}

extension LocationRequests.Question {
    fileprivate mutating func note(_ sending: LocationRequests.Sending) {
        if let index = sendings.firstIndex(where: { $0.channel == sending.channel }) {
            sendings[index] = sending
        } else if sendings.count < LocationRequests.channelLimit {
            sendings.append(sending)
        }
    }
}
