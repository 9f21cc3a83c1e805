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
        let operationName: ExactText?
        /// As JSON: texts that Unicode takes for equal differ here.
        let variables: [UInt8]

        /// Nil for a long document or long variables, which would be held once more for each subscription.
        init?(_ call: GraphQLCall) {
            guard call.source.utf8.count <= Self.byteLimit else { return nil }
            (source, operationName) = (ExactText(call.source), call.operationName.map { ExactText($0) })
            variables = JSONValue.object(call.variables).bytes
            guard call.source.utf8.count + variables.count <= Self.byteLimit else { return nil }
        }

        private static let byteLimit = 2_048
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
            kept = kept.filter { now - $0.value.at <= Self.keptSeconds }
            if kept.count >= Self.countLimit { kept.removeAll(keepingCapacity: true) }
            kept[key] = Kept(answer: answer, at: now)
        }
    }
}
