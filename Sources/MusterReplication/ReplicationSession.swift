import AsyncAlgorithms
import Crypto
import MusterCoding
import MusterCore
import MusterMutex
import MusterWire

/// One attempt of a replication: from the newest checkpoint of both peers to the end, or to the first fault.
final class ReplicationSession: Sendable {
    private let replication: Replication
    private let report: @Sendable (ReplicationProgress) -> Void
    private let reached: Mutex<ReplicationProgress>
    private let lockedRetryState: Mutex<RetryState>
    private let quietSince = Mutex<Instant?>(nil)
    private let id: String

    private var source: any ReplicationPeer { replication.source }
    private var target: any ReplicationPeer { replication.target }
    private var options: Replication.Options { replication.options }

    /// A page of missing revisions, from the scout stage to the reader stage.
    private struct Find: Sendable {
        var page: ChangesPage
        /// Whether the source had no further changes.
        var isLast: Bool
        /// Whether a wait for changes ended without any.
        var isEmpty: Bool
    }

    /// A batch of revisions, from the reader stage to the writer stage.
    private struct Batch: Sendable {
        var revisions: [ReplicatedRevision]
        var checked = 0
        var missing = 0
        /// The sequence that is reached when this batch is written; nil if further batches belong to the page.
        var last: PeerSequence?
        var pending: Int?
        var isLast: Bool
        var isInSnapshot = false
        /// Whether a wait for changes ended without any.
        var isEmpty = false
        /// The outstanding revisions that were requested again with this batch.
        var asked: Set<ReplicatedRevision.Key> = []
    }

    init(
        replication: Replication, report: @escaping @Sendable (ReplicationProgress) -> Void,
        before: ReplicationProgress, after retryState: RetryState
    ) {
        self.replication = replication
        lockedRetryState = Mutex(retryState)
        self.report = report
        var progress = before
        progress.state = .running
        reached = Mutex(progress)
        // The randomness of the pacing, so that a seeded run has seeded session ids.
        id = (0..<4).map { _ in
            let word = String(UInt32(replication.pacing.random() * 0x1p32), radix: 16)
            return String(repeating: "0", count: 8 - word.utf8.count) + word
        }.joined()
    }

    /// The present progress.
    var progress: ReplicationProgress { reached.withLock { $0 } }

    /// The state of earlier attempts, updated by this one.
    var retryState: RetryState { lockedRetryState.withLock { $0 } }

    /// Seconds for which it has waited for changes; nil while it has work.
    var quietSeconds: Double? {
        quietSince.withLock { $0 }.map { replication.pacing.now().seconds(since: $0) }
    }

    func run() async throws -> ReplicationProgress {
        if options.createsTarget { try await target.create() }
        let sourceInformation = try await source.information()
        let targetInformation = try await target.information()
        let logID = Self.logID(sourceInformation.identity, targetInformation.identity, options)
        var checkpointWriter = CheckpointWriter(
            source: source, target: target, logID: logID, sessionID: id, startedAt: replication.pacing.now(),
            begin: options.since ?? .start,
            sourceLog: options.keepsLogs ? try await source.log(logID) ?? ReplicationLog() : ReplicationLog(),
            targetLog: options.keepsLogs ? try await target.log(logID) ?? ReplicationLog() : ReplicationLog(),
            refusals: progress.counts.refused, countsBefore: retryState.countsBefore, options: options)
        lockedRetryState.withLock { [countsBefore = checkpointWriter.countsBefore] in $0.countsBefore = countsBefore }
        update { $0.sequence = checkpointWriter.start }
        if wantsSnapshot(checkpointWriter, targetIsEmpty: targetInformation.documentCount == 0),
            let pages = try await source.snapshot(since: checkpointWriter.start)
        {
            try await storeSnapshot(pages, &checkpointWriter)
        }
        try await follow(checkpointWriter)
        update { $0.state = .completed }
        return progress
    }

    /// The id of the log of a replication, the same at both peers.
    static func logID(_ source: String, _ target: String, _ options: Replication.Options) -> String {
        var words: [JSONValue] = [.string("muster"), .string(source), .string(target)]
        switch options.filter {
        case .all: break
        case .documents(let ids): words.append(.array(ids.sorted().map { .string($0) }))
        case .selector(let selector): words.append(.string(selector))
        }
        if options.takesWinnersOnly { words.append(.array([.string("winners")])) }
        if let since = options.since { words.append(.array([.string("since"), .string(since.name)])) }
        let digest = SHA256.hash(data: JSONValue.array(words).bytes)
        return digest.prefix(16).hexadecimal
    }

    // MARK: Snapshot

    /// Whether to read a snapshot: only if the target is empty. A snapshot that was cut off goes on after its last mark
    /// in both logs. Without such a mark its documents are not sent again: the changes feed finds the missing ones.
    private func wantsSnapshot(_ checkpointWriter: CheckpointWriter, targetIsEmpty: Bool) -> Bool {
        guard options.takesSnapshot, options.filter == .all, !options.takesWinnersOnly, options.since == nil else {
            return false
        }
        return checkpointWriter.start == .start ? targetIsEmpty : checkpointWriter.startsInSnapshot
    }

    private func storeSnapshot(_ pages: SnapshotPages, _ checkpointWriter: inout CheckpointWriter) async throws {
        // The next page is read while this one is written.
        let read = AsyncThrowingChannel<SnapshotPage, any Error>()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                do {
                    for try await page in pages { await read.send(page) }
                    read.finish()
                } catch {
                    read.fail(error)
                }
            }
            for try await page in read {
                try await deliver(
                    Batch(
                        revisions: page.revisions, checked: 0, missing: 0, last: page.last, isLast: page.isLast,
                        isInSnapshot: !page.isLast), &checkpointWriter)
            }
        }
        try Task.checkCancellation()
    }

    // MARK: Changes

    /// Runs the three stages as tasks. The first that fails ends the others.
    private func follow(_ start: CheckpointWriter) async throws {
        let finds = AsyncChannel<Find>()
        let batches = AsyncChannel<Batch>()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await self.scout(since: start.reached, into: finds)
                finds.finish()
            }
            group.addTask {
                try await self.read(finds, into: batches)
                batches.finish()
            }
            group.addTask {
                var checkpointWriter = start
                for await batch in batches {
                    if !batch.isEmpty { try await self.deliver(batch, &checkpointWriter) }
                    // Last of all, because a request for an outstanding revision may fail and must not delay the
                    // others.
                    if batch.isLast { try await self.requestOutstanding(&checkpointWriter) }
                }
                try Task.checkCancellation()
                try await self.writeCheckpoint(&checkpointWriter)
            }
            // Not `waitForAll`: it would wait for stages that wait for the failed one.
            while try await group.next() != nil {}
        }
    }

    private func scout(since start: PeerSequence, into finds: AsyncChannel<Find>) async throws {
        var request = ChangesRequest(since: start, limit: options.pageLimit, filter: options.filter)
        request.winnersOnly = options.takesWinnersOnly
        while true {
            let page = try await source.changes(request)
            try Task.checkCancellation()
            let isLast = page.changes.isEmpty || page.pending == 0
            await finds.send(
                Find(page: page, isLast: isLast, isEmpty: page.changes.isEmpty && request.waits))
            request.since = page.last
            if isLast {
                guard options.isContinuous else { return }
                request.waits = true
            } else {
                request.waits = false
            }
        }
    }

    private func read(_ finds: AsyncChannel<Find>, into batches: AsyncChannel<Batch>) async throws {
        var size = BatchSize(targetBytes: options.batchBytes)
        for await find in finds {
            let checked = find.page.changes.reduce(0) { $0 + $1.revisions.count }
            let missing = checked == 0 ? [] : try await target.missing(find.page.changes)
            let count = missing.reduce(0) { $0 + $1.revisions.count }
            var rest = missing[...]
            var isFirst = true
            repeat {
                let wanted = size.removeNextRead(from: &rest)
                let revisions = try await read(wanted, &size)
                await batches.send(
                    Batch(
                        revisions: revisions, checked: isFirst ? checked : 0, missing: isFirst ? count : 0,
                        last: rest.isEmpty ? find.page.last : nil, pending: find.page.pending,
                        isLast: find.isLast && rest.isEmpty, isEmpty: find.isEmpty))
                isFirst = false
                try Task.checkCancellation()
            } while !rest.isEmpty
        }
    }

    /// Reads revisions, in halves if they are too large for one read.
    private func read(_ wanted: [DocumentRevisions], _ size: inout BatchSize) async throws -> [ReplicatedRevision] {
        if wanted.isEmpty { return [] }
        do {
            let revisions = try await source.read(wanted)
            size.learn(revisions)
            return revisions
        } catch let error as ReplicationError where error.isOfSize {
            size.halve()
            let (left, right) = BatchSize.halves(of: wanted)
            if left.isEmpty || right.isEmpty {
                let reason = error.description
                return wanted.keys.map { key in
                    ReplicatedRevision(refused: key.id, key.revision, error: "too_large", reason: reason)
                }
            }
            return try await read(left, &size) + read(right, &size)
        }
    }

    private func deliver(_ batch: Batch, _ checkpointWriter: inout CheckpointWriter) async throws {
        var refusals = batch.revisions.compactMap(\.refusal)
        let unread = refusals.count
        // A repeated request for outstanding revisions does not end a quiet time.
        if batch.last != nil || !batch.revisions.isEmpty && batch.asked.isEmpty { quietSince.withLock { $0 = nil } }
        let readable = unread == 0 ? batch.revisions : batch.revisions.filter { $0.refusal == nil }
        if !readable.isEmpty { refusals += try await write(readable, checkpointWriter.outstanding) }
        let written = max(0, batch.revisions.count - refusals.count)
        if written > 0 { lockedRetryState.withLock { $0.interruptions.noteProgress() } }
        let failed = refusals.compactMap(\.outstanding)
        if refusals.contains(where: \.isPassing) { refusals = try accept(refusals, written: written, checkpointWriter) }
        recordFailures(failed, of: batch, &checkpointWriter)
        if let last = batch.last { checkpointWriter.reach(last) }
        update { progress in
            progress.counts.checked += Int64(batch.checked)
            progress.counts.missing += Int64(batch.missing)
            progress.counts.read += Int64(batch.revisions.count - unread)
            progress.counts.written += Int64(written)
            progress.counts.refused += Int64(refusals.count)
            progress.refusals = (progress.refusals + refusals).suffix(ReplicationProgress.refusalLimit)
            progress.sequence = checkpointWriter.reached
            progress.pending = batch.pending ?? progress.pending
        }
        let seconds = retryState.interruptions.markSeconds(unhurried: replication.pacing.logSeconds)
        // Outstanding revisions are written to the log at once. A peer that fails at this write too is treated as
        // failing.
        if !failed.isEmpty || batch.isLast || checkpointWriter.isDue(at: replication.pacing.now(), after: seconds) {
            try await writeCheckpoint(&checkpointWriter, isInSnapshot: batch.isInSnapshot)
        }
        if batch.isLast, options.isContinuous {
            let now = replication.pacing.now()
            quietSince.withLock { $0 = $0 ?? now }
            update { $0.state = .idle }
        }
    }

    /// Writes revisions. Those that the target failed at before are sent apart from the others, a few at a time,
    /// because a target that fails at a whole batch is treated as failing itself.
    private func write(
        _ revisions: [ReplicatedRevision], _ leftOut: Set<ReplicatedRevision.Key>
    ) async throws -> [WriteRefusal] {
        let failures = retryState.failures
        if leftOut.isEmpty, failures.isEmpty { return try await send(revisions) }
        let isSuspect = { (revision: ReplicatedRevision) in
            leftOut.contains(revision.key) || failures.holds(revision.key)
        }
        var refusals: [WriteRefusal] = []
        let others = revisions.filter { !isSuspect($0) }
        if !others.isEmpty { refusals += try await send(others) }
        var suspects = revisions.filter(isSuspect)[...]
        while !suspects.isEmpty {
            let some = Array(suspects.prefix(Self.suspectsAtOnce))
            suspects = suspects.dropFirst(some.count)
            refusals += try await send(some)
        }
        return refusals
    }

    /// Writes revisions in one request. If the target fails at all of them, the revisions it was seen to fail at are
    /// sent apart from now on.
    private func send(_ revisions: [ReplicatedRevision]) async throws -> [WriteRefusal] {
        let source = source
        do {
            return try await target.write(revisions) { try await source.attachment($0) }
        } catch let error as PeerError {
            lockedRetryState.withLock { _ = $0.failures.decide(error.refusals, leftOut: []) }
            throw ReplicationError.busy(status: 500, retryAfterSeconds: nil)
        }
    }

    /// Fewer than the number of failures after which the peer itself is treated as failing.
    private static let suspectsAtOnce = 2

    /// Decides whether to go on without the revisions that a peer failed at, by its response for one document: a 500,
    /// or an error in its row.
    ///
    /// No revision is lost by that: the session requested each one in `RevisionFailures.attemptLimit` attempts, seconds
    /// apart; the progress counts and reports it; and the log lists it as outstanding, so that every later run requests
    /// it again, and a continuous one repeatedly.
    ///
    /// - Returns: the refusals to count and to report.
    /// - Throws: `ReplicationError.busy` if the revisions are to be tried again first.
    private func accept(_ refusals: [WriteRefusal], written: Int, _ checkpointWriter: CheckpointWriter) throws
        -> [WriteRefusal]
    {
        let told = lockedRetryState.withLock { state in
            let told = state.failures.decide(refusals, leftOut: checkpointWriter.outstanding)
            // This is progress: the rest goes on, and no revision is left out for the first time twice.
            if told?.contains(where: \.isPassing) == true { state.interruptions.noteProgress() }
            return told
        }
        if let told { return told }
        // The other revisions are written. They are counted now, because the next attempt finds none of them missing.
        update { progress in
            progress.counts.read += Int64(written)
            progress.counts.written += Int64(written)
        }
        throw ReplicationError.busy(status: 500, retryAfterSeconds: nil)
    }

    /// Requests outstanding revisions again when that is due: once in each run, and then with the delays of a peer that
    /// is away.
    private func requestOutstanding(_ checkpointWriter: inout CheckpointWriter) async throws {
        if checkpointWriter.outstanding.isEmpty { return }
        let (now, seconds) = (replication.pacing.now(), replication.pacing.longestDelaySeconds)
        guard retryState.failures.isAskingDue(at: now, afterSeconds: seconds) else { return }
        let asked = checkpointWriter.outstanding
        let missing = try await target.missing(asked.byDocument)
        try await deliver(
            Batch(
                revisions: [], checked: asked.count, missing: missing.keys.count, isLast: false,
                asked: asked.subtracting(missing.keys)), &checkpointWriter)
        var size = BatchSize(targetBytes: options.batchBytes)
        var rest = missing[...]
        while !rest.isEmpty {
            let wanted = size.removeNextRead(from: &rest)
            let revisions = try await read(wanted, &size)
            try await deliver(Batch(revisions: revisions, isLast: false, asked: Set(wanted.keys)), &checkpointWriter)
        }
        lockedRetryState.withLock { $0.failures.noteAsking(at: now) }
        try await deliver(Batch(revisions: [], isLast: true), &checkpointWriter)
    }

    /// Records the outcome of a batch: the revisions that a peer `failed` at, and that the others have arrived.
    private func recordFailures(
        _ failed: [ReplicatedRevision.Key], of batch: Batch, _ checkpointWriter: inout CheckpointWriter
    ) {
        let again = Set(failed)
        let isFirst = checkpointWriter.outstanding.isSubset(of: again)
        if !failed.isEmpty || !batch.asked.isEmpty {
            if checkpointWriter.canAskByName {
                checkpointWriter.recordOutcome(of: batch.asked, failed: failed)
            } else {
                checkpointWriter.hold()
            }
        }
        let leftOut = checkpointWriter.outstanding
        let now = failed.isEmpty || !isFirst ? nil : replication.pacing.now()
        lockedRetryState.withLock { state in
            state.failures.noteArrival(of: batch.asked.subtracting(again))
            state.failures.noteArrival(of: batch.revisions.lazy.map(\.key).filter { !again.contains($0) })
            if let now { state.failures.noteLeavingOut(at: now) }
            if batch.isLast, checkpointWriter.canAskByName { state.failures.noteEnd(leftOut: leftOut) }
        }
    }

    /// Writes a checkpoint to both peers.
    private func writeCheckpoint(_ checkpointWriter: inout CheckpointWriter, isInSnapshot: Bool = false) async throws {
        guard options.keepsLogs else { return }
        if try await checkpointWriter.writeCheckpoint(
            progress.counts, isInSnapshot: isInSnapshot, at: replication.pacing.now())
        {
            lockedRetryState.withLock { $0.interruptions.noteMark() }
        }
    }

    private func update(_ change: (inout ReplicationProgress) -> Void) {
        let progress = reached.withLock { progress in
            progress.state = .running
            change(&progress)
            return progress
        }
        report(progress)
    }
}
