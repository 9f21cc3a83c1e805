import MusterCore
import MusterServer
import MusterWire
import Synchronization

/// The answers to the newest changes, made once for all subscriptions of a caller that ask the same.
///
/// A change of safety wakes every screen of a team at once, and many of them may have one key. Each subscription checks
/// for itself whether its caller may see the change before it looks here.
final class SharedAnswers: Sendable {
    /// What a subscription asks.
    struct Document: Hashable, Sendable {
        let source: ExactText
        let operationName: String?
        let variables: [JSONValue.Member]

        /// Nil for a long document, which would be held once more for each subscription.
        init?(_ call: GraphQLCall) {
            guard call.source.utf8.count <= 2_048 else { return nil }
            (source, operationName, variables) = (ExactText(call.source), call.operationName, call.variables)
        }
    }

    /// Everything that an answer follows from: what is asked, by whom, of which change, and how far the log was.
    struct Key: Hashable, Sendable {
        let document: Document
        let principal: Principal
        let change: LogSequence
        let newest: LogSequence
    }

    private struct Kept {
        let answer: JSONValue?
        let at: ContinuousClock.Instant
    }

    /// How long an answer is given: as long as a verified proof counts.
    private static let keptSeconds = Duration.seconds(1)
    /// How many answers are kept, and of how many bytes one may be.
    private static let (countLimit, byteLimit) = (256, 4_096)

    private let kept = Mutex<[Key: Kept]>([:])

    /// The answer that another subscription had; nil where there is none, `.some(nil)` where it was left out.
    func answer(_ key: Key, at now: ContinuousClock.Instant) -> JSONValue?? {
        kept.withLock { kept in
            guard let found = kept[key], now - found.at <= Self.keptSeconds else { return nil }
            return .some(found.answer)
        }
    }

    /// Keeps an answer, unless it is large.
    func store(_ answer: JSONValue?, for key: Key, at now: ContinuousClock.Instant) {
        guard (answer?.bytes.count ?? 0) <= Self.byteLimit else { return }
        kept.withLock { kept in
            if kept.count >= Self.countLimit { kept.removeAll(keepingCapacity: true) }
            kept[key] = Kept(answer: answer, at: now)
        }
    }
}
