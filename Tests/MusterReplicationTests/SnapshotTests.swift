import MusterCore
import MusterReplication
import Synchronization
import Testing

/// A first replication that is cut off, and goes on.
@Suite struct SnapshotTests {
    @Test func `a snapshot that was cut off goes on behind its last mark`() async throws {
        let (source, target) = (SnapshotPeer(documents: 100, cutAfterPages: [4, 3]), MemoryPeer("target"))
        let clock = SteppingClock(secondsPerLook: 10)
        let progress = try await Replication(from: source, to: target, pacing: clock.pacing).run()
        #expect(progress.state == .completed)
        #expect(source.inner.outcome == target.outcome)
        #expect(source.snapshots == ["0", "40", "70"])
        // Every document was sent once.
        #expect(source.sent == 100)
        #expect(target.state.withLock { $0.writes } == 100)
    }

    @Test func `where no mark is remembered yet, what has come is not sent again`() async throws {
        let (source, target) = (SnapshotPeer(documents: 100, cutAfterPages: [4]), MemoryPeer("target"))
        let clock = SteppingClock(secondsPerLook: 0)
        try await Replication(from: source, to: target, pacing: clock.pacing).run()
        #expect(source.inner.outcome == target.outcome)
        #expect(source.snapshots == ["0"])
        #expect(source.sent == 100)
    }

    @Test func `another start after a cut goes on from the mark, document by document`() async throws {
        let (source, target) = (SnapshotPeer(documents: 100, cutAfterPages: [6]), MemoryPeer("target"))
        var pacing = SteppingClock(secondsPerLook: 10).pacing
        pacing.attempts = 1
        await #expect(throws: ReplicationFault.self) {
            try await Replication(from: source, to: target, pacing: pacing).run()
        }
        let progress = try await Replication(from: source, to: target, pacing: pacing).run()
        #expect(source.inner.outcome == target.outcome)
        #expect(source.snapshots == ["0"])
        #expect(progress.counts.checked == 40)
        #expect(source.sent == 100)
    }

    @Test func `a network that lasts for some pages only carries any number of them`() async throws {
        let calls = Mutex(0)
        let source = MemoryPeer("source") { _ in
            let count = calls.withLock { calls in
                calls += 1
                return calls
            }
            if count % 12 == 0 { throw ReplicationFault.unreachable("cut") }
        }
        let target = MemoryPeer("target")
        var dice = SeededDice(seed: 5)
        for index in 0..<500 { source.edit("d\(index)", on: nil, &dice) }
        var options = Replication.Options()
        options.pageLimit = 5
        var pacing = SteppingClock(secondsPerLook: 0.05).pacing
        // Without getting on it would be tried so often, and fail.
        pacing.attempts = 20
        let done = try await Replication(from: source, to: target, options: options, pacing: pacing).run()
        #expect(done.state == .completed)
        #expect(source.outcome == target.outcome)
    }
}

/// A clock that moves when it is looked at.
private struct SteppingClock {
    let pacing: ReplicationPacing

    init(secondsPerLook: Double) {
        let seconds = Mutex(0.0)
        pacing = ReplicationPacing(
            now: {
                seconds.withLock { seconds in
                    seconds += secondsPerLook
                    return Instant(seconds: seconds)
                }
            }, sleep: { _ in }, random: { 0.5 })
    }
}

/// A database with a snapshot of ten documents a page, which is cut off after some of them.
private final class SnapshotPeer: ReplicationPeer {
    let inner = MemoryPeer("source")
    private let state: Mutex<(cuts: [Int], snapshots: [String], sent: Int)>

    init(documents: Int, cutAfterPages cuts: [Int]) {
        state = Mutex((cuts, [], 0))
        var dice = SeededDice(seed: 1)
        for index in 0..<documents { inner.edit("d\(index)", on: nil, &dice) }
    }

    /// Since which marks snapshots were asked for.
    var snapshots: [String] { state.withLock { $0.snapshots } }
    /// How many documents were sent, whichever way.
    var sent: Int { state.withLock { $0.sent } }

    func snapshot(since sequence: PeerSequence) async throws -> SnapshotPages? {
        let cut: Int? = state.withLock { state in
            state.snapshots.append(sequence.json)
            return state.cuts.isEmpty ? nil : state.cuts.removeFirst()
        }
        return SnapshotPages { continuation in
            let task = Task {
                do {
                    var since = sequence
                    for page in 0... {
                        if page == cut { throw ReplicationFault.unreachable("cut") }
                        let changes = try await inner.changes(ChangesRequest(since: since, limit: 10))
                        let isLast = changes.pending == 0
                        let revisions = try await read(changes.changes)
                        continuation.yield(SnapshotPage(revisions: revisions, last: changes.last, isLast: isLast))
                        since = changes.last
                        if isLast { break }
                    }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    func read(_ wanted: [DocumentRevisions]) async throws -> [ReplicatedRevision] {
        let revisions = try await inner.read(wanted)
        state.withLock { $0.sent += revisions.count }
        return revisions
    }

    func information() async throws -> PeerInformation { try await inner.information() }
    func create() async throws { try await inner.create() }
    func log(_ id: String) async throws -> ReplicationLog? { try await inner.log(id) }
    func put(_ log: ReplicationLog, as id: String) async throws -> ReplicationLog { try await inner.put(log, as: id) }
    func changes(_ request: ChangesRequest) async throws -> ChangesPage { try await inner.changes(request) }
    func missing(_ revisions: [DocumentRevisions]) async throws -> [DocumentRevisions] {
        try await inner.missing(revisions)
    }
    func attachment(_ reference: AttachmentReference) async throws -> AttachmentBytes {
        try await inner.attachment(reference)
    }
    func write(
        _ revisions: [ReplicatedRevision], attachments: @escaping AttachmentSource
    ) async throws -> [WriteRefusal] { try await inner.write(revisions, attachments: attachments) }
    func ensureFullCommit() async throws { try await inner.ensureFullCommit() }
}
