package import MusterCore
import MusterStore
import MusterWire
import Synchronization

/// Why the target of a sync trigger refused an update.
package enum SyncTriggerError: Error, Hashable, Sendable {
    /// The target does not exist, is disabled, is not a webhook, could not be reached, or gave an invalid answer.
    case invalidAnswer(String)
    /// The target had too much to do, or did not answer in time.
    case throttled
}

/// Shows each update of a dataset to a target before it is stored: a signed webhook, which may change and drop records.
package struct SyncTrigger: Sendable {
    let coordinator: StoreCoordinator
    let caller: TargetCaller
    private let questions = OpenQuestions()

    /// Makes a trigger that calls targets as rules do.
    package init(coordinator: StoreCoordinator, caller: TargetCaller) {
        self.coordinator = coordinator
        self.caller = caller
    }

    /// How long a target may take, in seconds, as at Amazon.
    static let timeoutSeconds: Int64 = 5
    /// The largest answer of a target, in bytes: a dataset, and what JSON adds to it.
    static let answerLimit = 4 << 20

    /// Shows an update to the target that the pool's settings name. A deletion of a dataset is not shown.
    ///
    /// - Parameters:
    ///   - update: the update as the client sent it.
    ///   - identity: the owner's identity, as clients name it.
    ///   - isGuest: whether the owner is a guest.
    /// - Returns: the update with the patches that the target answered, the same update if the pool has no trigger; nil
    ///   if the target dropped all patches, and nothing is to be stored.
    /// - Throws: `SyncTriggerError`; `CoordinatorError`, `StoreError`.
    package func change(
        _ update: DatasetUpdate, called identity: String, isGuest: Bool = false, in pool: TeamNumber?
    ) async throws -> DatasetUpdate? {
        guard case .patch(let patches) = update.order, !patches.isEmpty else { return update }
        let settings = try await coordinator.read { try $0.poolSettings(of: pool) }
        guard let arn = settings.syncTrigger else { return update }
        guard let name = EventOrigin.targetName(in: arn), let target = coordinator.directory.targets[name],
            target.isEnabled, target.kind == .webhook
        else {
            throw SyncTriggerError.invalidAnswer("The target \(arn) does not exist, is off, or is not a webhook.")
        }
        let question = OpenQuestions.Question(target: target.number, asker: isGuest ? .guests : .identity(identity))
        guard questions.begin(question) else { throw SyncTriggerError.throttled }
        defer { questions.end(question) }
        let stored = try await coordinator.readDataset(
            update.name, of: update.owner, since: 0, after: nil, limit: 2 * DatasetLimits.records)
        let values = Dictionary(
            stored.records.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
        let body = message(about: patches, values, of: update.name, identity, in: pool)
        let kept = try Self.patches(in: try await caller.requestAnswer(of: target, body), changing: patches)
        var changed = update
        changed.order = .patch(kept)
        return kept.isEmpty ? nil : changed
    }

    private func message(
        about patches: [DatasetPatch], _ values: [String: String?], of dataset: String, _ identity: String,
        in pool: TeamNumber?
    ) -> [UInt8] {
        JSONWriter.object { writer in
            writer.key("version")
            writer.value(2)
            writer.member("eventType", "SyncTrigger")
            writer.member("region", coordinator.origin.region)
            writer.member("identityPoolId", coordinator.origin.text(of: .pool(pool)))
            writer.member("identityId", identity)
            writer.member("datasetName", dataset)
            writer.key("datasetRecords")
            writer.beginObject()
            for patch in patches {
                writer.key(patch.key)
                writer.beginObject()
                writer.member("oldValue", values[patch.key] ?? nil)
                writer.member("newValue", patch.value)
                writer.member("op", patch.value == nil ? "remove" : "replace")
                writer.endObject()
            }
            writer.endObject()
        }
    }

    /// The patches of an answer: changed, or dropped where the answer has no record of the key.
    static func patches(
        in answer: [UInt8], changing patches: [DatasetPatch]
    ) throws(SyncTriggerError) -> [DatasetPatch] {
        let value = try? answer.withUnsafeBytes { try JSONValue(parsing: $0) }
        guard let records = value?.members?.first(where: { $0.key == "datasetRecords" })?.value.members else {
            throw .invalidAnswer("The answer has no datasetRecords.")
        }
        var answered = Dictionary(records.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
        var kept: [DatasetPatch] = []
        for patch in patches {
            guard let record = answered.removeValue(forKey: patch.key)?.members else { continue }
            let text = { (key: String) in record.first { $0.key == key }?.value.string }
            var patch = patch
            switch text("op") {
            case "replace":
                guard let value = text("newValue") else { throw .invalidAnswer("A replaced record has no newValue.") }
                patch.value = value
            case "remove": patch.value = nil
            default: throw .invalidAnswer("The op of a record is neither replace nor remove.")
            }
            kept.append(patch)
        }
        guard answered.isEmpty else {
            throw .invalidAnswer("The answer contains records that were not in the request.")
        }
        return kept
    }
}

/// The questions that targets have not answered yet. Each holds a dataset in memory.
final class OpenQuestions: Sendable {
    /// The largest numbers of open questions: to one target, to all targets, and to one target about one user's
    /// datasets or all guests' datasets together.
    static let limits = (ofTarget: 16, all: 64, ofUser: 4, ofGuests: 4)

    /// The owner of the dataset that a question is about.
    enum Asker: Hashable, Sendable {
        case identity(String)
        /// All guests count as one, because a stranger can make many guest identities.
        case guests
    }

    /// A question to a target.
    struct Question: Hashable, Sendable {
        let target: TargetNumber
        let asker: Asker
    }

    private let counts = Mutex<[Question: Int]>([:])

    /// Counts a question.
    ///
    /// - Returns: false when a limit of open questions is reached, and then the question is not counted.
    func begin(_ question: Question) -> Bool {
        counts.withLock { counts in
            let own = question.asker == .guests ? Self.limits.ofGuests : Self.limits.ofUser
            let ofTarget = counts.reduce(0) { $1.key.target == question.target ? $0 + $1.value : $0 }
            guard counts[question, default: 0] < own, ofTarget < Self.limits.ofTarget,
                counts.values.reduce(0, +) < Self.limits.all
            else { return false }
            counts[question, default: 0] += 1
            return true
        }
    }

    func end(_ question: Question) {
        counts.withLock { counts in
            let left = counts[question, default: 1] - 1
            counts[question] = left > 0 ? left : nil
        }
    }
}
