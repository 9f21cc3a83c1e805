import MusterCore
import MusterReplication
import Synchronization
import Testing

/// A first replication that is cut off, and goes on.
@Suite struct SnapshotTests {
    @Test func `a snapshot that was cut off resumes behind its last mark`() async throws {
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

    @Test func `before the first mark, received documents are not sent again`() async throws {
        let (source, target) = (SnapshotPeer(documents: 100, cutAfterPages: [4]), MemoryPeer("target"))
        let clock = SteppingClock(secondsPerLook: 0)
        try await Replication(from: source, to: target, pacing: clock.pacing).run()
        #expect(source.inner.outcome == target.outcome)
        #expect(source.snapshots == ["0"])
        #expect(source.sent == 100)
    }

    @Test func `a snapshot resumes however often its peer was away`() async throws {
        // The first attempt is cut off in the snapshot, the three after it before they come to it.
        let asked = Mutex(0)
        let source = SnapshotPeer(documents: 100, cutAfterPages: [4]) { call in
            guard call == "information" else { return }
            let count = asked.withLock { asked in
                asked += 1
                return asked
            }
            if 2...4 ~= count { throw ReplicationError.unreachable("away") }
        }
        let target = MemoryPeer("target")
        try await Replication(from: source, to: target, pacing: SteppingClock(secondsPerLook: 10).pacing).run()
        #expect(source.inner.outcome == target.outcome)
        #expect(source.snapshots == ["0", "40"])
        #expect(source.sent == 100)
    }

    @Test func `a new start after a cut resumes the snapshot behind its last mark`() async throws {
        let (source, target) = (SnapshotPeer(documents: 100, cutAfterPages: [6, 2]), MemoryPeer("target"))
        var pacing = SteppingClock(secondsPerLook: 10).pacing
        pacing.attempts = 1
        for _ in 0..<2 {
            await #expect(throws: ReplicationError.self) {
                try await Replication(from: source, to: target, pacing: pacing).run()
            }
        }
        let progress = try await Replication(from: source, to: target, pacing: pacing).run()
        #expect(source.inner.outcome == target.outcome)
        #expect(source.snapshots == ["0", "60", "80"])
        #expect(progress.counts.written == 20)
        #expect(source.sent == 100)
        // It has come to its end: what is new comes as changes.
        var dice = SeededDice(seed: 2)
        source.inner.edit("new", on: nil, &dice)
        try await Replication(from: source, to: target, pacing: pacing).run()
        #expect(source.inner.outcome == target.outcome)
        #expect(source.snapshots.count == 3)
    }

    @Test func `a network that lasts for a few pages at a time carries any number of them`() async throws {
        let calls = Mutex(0)
        let source = MemoryPeer("source") { _ in
            let count = calls.withLock { calls in
                calls += 1
                return calls
            }
            if count % 12 == 0 { throw ReplicationError.unreachable("cut") }
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
struct SteppingClock {
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
    let inner: MemoryPeer
    private let state: Mutex<(cuts: [Int], snapshots: [String], sent: Int)>

    /// - Parameter fault: called before every call; may throw.
    init(
        documents: Int, cutAfterPages cuts: [Int],
        fault: @escaping @Sendable (_ call: String) throws -> Void = { _ in }
    ) {
        inner = MemoryPeer("source", fault: fault)
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
            state.snapshots.append(sequence.name)
            return state.cuts.isEmpty ? nil : state.cuts.removeFirst()
        }
        return SnapshotPages { continuation in
            let task = Task {
                do {
                    var since = sequence
                    for page in 0... {
                        if page == cut { throw ReplicationError.unreachable("cut") }
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
