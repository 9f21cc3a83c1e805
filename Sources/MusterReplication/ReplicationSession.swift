import AsyncAlgorithms
import Crypto
import MusterCore
import MusterWire
import Synchronization

/// One attempt of a replication: from what both peers remember to the end, or to the first fault.
final class ReplicationSession: Sendable {
    private let replication: Replication
    private let report: @Sendable (ReplicationProgress) -> Void
    private let reached: Mutex<ReplicationProgress>
    private let learned: Mutex<Interruptions>
    private let quietSince = Mutex<Instant?>(nil)
    private let id: String

    private var source: any ReplicationPeer { replication.source }
    private var target: any ReplicationPeer { replication.target }
    private var options: Replication.Options { replication.options }

    /// What the scout found.
    private struct Find: Sendable {
        var page: ChangesPage
        /// Whether the source had nothing behind it.
        var isLast: Bool
    }

    /// What the reader read.
    private struct Batch: Sendable {
        var revisions: [ReplicatedRevision]
        var checked = 0
        var missing = 0
        /// Up to where everything is at the target once this is; nil when more batches belong to a page.
        var last: PeerSequence?
        var pending: Int?
        var isLast: Bool
        var isInSnapshot = false
    }

    init(
        replication: Replication, report: @escaping @Sendable (ReplicationProgress) -> Void,
        before: ReplicationProgress, after interruptions: Interruptions
    ) {
        self.replication = replication
        learned = Mutex(interruptions)
        self.report = report
        var progress = before
        progress.state = .running
        reached = Mutex(progress)
        // The dice of the pacing, so that a seeded run has seeded sessions.
        id = (0..<4).map { _ in
            let word = String(UInt32(replication.pacing.random() * 0x1p32), radix: 16)
            return String(repeating: "0", count: 8 - word.utf8.count) + word
        }.joined()
    }

    /// How far it came.
    var progress: ReplicationProgress { reached.withLock { $0 } }

    /// What the cuts before taught, and what has come through since.
    var interruptions: Interruptions { learned.withLock { $0 } }

    /// Seconds for which it has waited for changes, when that is what it does; nil while it has something to do.
    var quietSeconds: Double? {
        quietSince.withLock { $0 }.map { replication.pacing.now().seconds(since: $0) }
    }

    func run() async throws -> ReplicationProgress {
        if options.createsTarget { try await target.create() }
        let sourceInformation = try await source.information()
        let targetInformation = try await target.information()
        let logID = Self.logID(sourceInformation.identity, targetInformation.identity, options)
        var keeper = SessionKeeper(
            source: source, target: target, logID: logID, sessionID: id, startedAt: replication.pacing.now(),
            begin: options.since ?? .start,
            sourceLog: options.keepsLogs ? try await source.log(logID) ?? ReplicationLog() : ReplicationLog(),
            targetLog: options.keepsLogs ? try await target.log(logID) ?? ReplicationLog() : ReplicationLog(),
            refusals: progress.counts.refused)
        update { $0.sequence = keeper.start }
        if wantsSnapshot(keeper, targetIsEmpty: targetInformation.documentCount == 0),
            let pages = try await source.snapshot(since: keeper.start)
        {
            try await take(pages, &keeper)
        }
        try await follow(keeper)
        update { $0.state = .completed }
        return progress
    }

    /// The name of the log that two peers keep of what went from one to the other.
    static func logID(_ source: String, _ target: String, _ options: Replication.Options) -> String {
        var words: [JSONValue] = [.string("muster"), .string(source), .string(target)]
        switch options.filter {
        case .all: break
        case .documents(let ids): words.append(.array(ids.sorted().map { .string($0) }))
        case .selector(let selector): words.append(.string(selector))
        }
        if options.takesWinnersOnly { words.append(.array([.string("winners")])) }
        if let since = options.since { words.append(.array([.string("since"), .string(since.json)])) }
        let digest = SHA256.hash(data: JSONValue.array(words).bytes)
        return digest.prefix(16).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    // MARK: Snapshot

    /// A snapshot is for a target that has nothing; one that was cut off goes on behind its last mark that both peers
    /// remember. Where they remember none, what has come is not sent again: replication finds what is missing.
    private func wantsSnapshot(_ keeper: SessionKeeper, targetIsEmpty: Bool) -> Bool {
        guard options.takesSnapshot, options.filter == .all, !options.takesWinnersOnly, options.since == nil else {
            return false
        }
        return keeper.start == .start ? targetIsEmpty : keeper.startsInSnapshot
    }

    private func take(_ pages: SnapshotPages, _ keeper: inout SessionKeeper) async throws {
        for try await page in pages {
            try await deliver(
                Batch(
                    revisions: page.revisions, checked: 0, missing: 0, last: page.last, isLast: page.isLast,
                    isInSnapshot: !page.isLast), &keeper)
        }
    }

    // MARK: Changes

    /// The three stages, each a task; the first that fails ends the others.
    private func follow(_ start: SessionKeeper) async throws {
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
                var keeper = start
                for await batch in batches { try await self.deliver(batch, &keeper) }
                try Task.checkCancellation()
                try await self.mark(&keeper)
            }
            // Not `waitForAll`, which would wait for the stages that a failed one leaves waiting.
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
            // Nothing that came of waiting is no news.
            if !page.changes.isEmpty || !request.waits { await finds.send(Find(page: page, isLast: isLast)) }
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
                let wanted = size.take(from: &rest)
                let revisions = try await read(wanted, &size)
                await batches.send(
                    Batch(
                        revisions: revisions, checked: isFirst ? checked : 0, missing: isFirst ? count : 0,
                        last: rest.isEmpty ? find.page.last : nil, pending: find.page.pending,
                        isLast: find.isLast && rest.isEmpty))
                isFirst = false
                try Task.checkCancellation()
            } while !rest.isEmpty
        }
    }

    /// Reads revisions, in halves where they are too much at once.
    private func read(_ wanted: [DocumentRevisions], _ size: inout BatchSize) async throws -> [ReplicatedRevision] {
        if wanted.isEmpty { return [] }
        do {
            let revisions = try await source.read(wanted)
            size.learn(revisions)
            return revisions
        } catch ReplicationFault.tooLarge(let limit) {
            size.halve()
            let (left, right) = BatchSize.halves(of: wanted)
            guard !left.isEmpty, !right.isEmpty else { throw ReplicationFault.tooLarge(limitBytes: limit) }
            return try await read(left, &size) + read(right, &size)
        }
    }

    private func deliver(_ batch: Batch, _ keeper: inout SessionKeeper) async throws {
        var refusals = batch.revisions.compactMap(\.refusal)
        let unread = refusals.count
        quietSince.withLock { $0 = nil }
        let readable = unread == 0 ? batch.revisions : batch.revisions.filter { $0.refusal == nil }
        if !readable.isEmpty {
            let source = source
            refusals += try await target.write(readable) { try await source.attachment($0) }
        }
        let written = batch.revisions.count - refusals.count
        if written > 0 { learned.withLock { $0.noteProgress() } }
        let hasFailed = refusals.contains(where: \.isPassing)
        if hasFailed {
            refusals = try bear(refusals, written: written)
            keeper.hold()
        }
        if let last = batch.last { keeper.reach(last) }
        update { progress in
            progress.counts.checked += Int64(batch.checked)
            progress.counts.missing += Int64(batch.missing)
            progress.counts.read += Int64(batch.revisions.count - unread)
            progress.counts.written += Int64(written)
            progress.counts.refused += Int64(refusals.count)
            progress.refusals = (progress.refusals + refusals).suffix(ReplicationProgress.refusalLimit)
            progress.sequence = keeper.reached
            progress.pending = batch.pending
        }
        let seconds = interruptions.markSeconds(unhurried: replication.pacing.logSeconds)
        // What was left out is written down at once: a peer that fails at this too is a peer that fails.
        if hasFailed || batch.isLast || keeper.isDue(at: replication.pacing.now(), after: seconds) {
            try await mark(&keeper, isInSnapshot: batch.isInSnapshot)
        }
        if batch.isLast, options.isContinuous {
            update { $0.state = .idle }
            let now = replication.pacing.now()
            quietSince.withLock { $0 = now }
        }
    }

    /// Decides whether the rest is to go on without what a peer failed at, as the row or the answer of one document
    /// said: 500, or an error in its place.
    ///
    /// That loses nothing. A peer that is away (no connection, 503, no answer in time) never comes here: the calls
    /// themselves throw. What does come here was asked for in `Interruptions.patience` attempts, seconds apart, while
    /// the peer answered for others; it is counted and told; and `SessionKeeper` holds the log before it, so that every
    /// session from now on, after a cut or begun anew, finds it missing and asks again. All that it costs is that what
    /// is behind it is compared again, not read again.
    ///
    /// - Returns: those that are to be counted and told: one that was left out is told once, however often it is found.
    /// - Throws: `ReplicationFault.busy` where it is to be tried again before.
    private func bear(_ refusals: [WriteRefusal], written: Int) throws -> [WriteRefusal] {
        var isEnough = true
        let told = learned.withLock { learned in
            refusals.filter { refusal in
                guard refusal.isPassing else { return true }
                let count = refusal.revision.map { learned.noteFailure(at: .init(id: refusal.id, revision: $0)) } ?? 0
                if count < Interruptions.patience { isEnough = false }
                return count == Interruptions.patience
            }
        }
        if isEnough { return told }
        // The others are there: they are not missing the next time, and are counted now.
        update { progress in
            progress.counts.read += Int64(written)
            progress.counts.written += Int64(written)
        }
        throw ReplicationFault.busy(status: 500, retryAfterSeconds: nil)
    }

    /// Writes down at both peers how far it came.
    private func mark(_ keeper: inout SessionKeeper, isInSnapshot: Bool = false) async throws {
        guard options.keepsLogs else { return }
        if try await keeper.keep(progress.counts, isInSnapshot: isInSnapshot, at: replication.pacing.now()) {
            learned.withLock { $0.noteMark() }
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
