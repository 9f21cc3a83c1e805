import Foundation
import MusterReplication
import Synchronization

/// A side of a replication whose process dies, by kill -9, at a step of its own or the other side's.
///
/// Steps are before and after every call, and with every piece of an attachment and every page of a snapshot.
struct DoomedPeer: ReplicationPeer {
    let inner: any ReplicationPeer
    let fate: Fate

    /// What both sides count together.
    final class Fate: Sendable {
        private let left: Mutex<Int>
        private let turns: Int
        private let isBegun: Mutex<Bool>

        /// - Parameters:
        ///   - steps: how many are still taken.
        ///   - turns: how often every other thread may go on before it is the end, so that the next call is begun.
        ///   - isBegun: whether steps count already; otherwise they do from `begin()` on.
        init(steps: Int, turns: Int, isBegun: Bool = true) {
            left = Mutex(steps)
            self.turns = turns
            self.isBegun = Mutex(isBegun)
        }

        func begin() { isBegun.withLock { $0 = true } }

        func step() {
            guard isBegun.withLock({ $0 }) else { return }
            let isLast = left.withLock { left in
                left -= 1
                return left == 0
            }
            guard isLast else { return }
            let turns = turns
            Thread.detachNewThread {
                for _ in 0..<turns { sched_yield() }
                Self.die()
            }
        }

        static func die() { kill(getpid(), SIGKILL) }
    }

    private func between<Success>(_ call: () async throws -> Success) async rethrows -> Success {
        fate.step()
        let result = try await call()
        fate.step()
        return result
    }

    func information() async throws -> PeerInformation { try await between { try await inner.information() } }
    func create() async throws { try await between { try await inner.create() } }
    func log(_ id: String) async throws -> ReplicationLog? { try await between { try await inner.log(id) } }
    func put(_ log: ReplicationLog, as id: String) async throws -> ReplicationLog {
        try await between { try await inner.put(log, as: id) }
    }
    func changes(_ request: ChangesRequest) async throws -> ChangesPage {
        try await between { try await inner.changes(request) }
    }
    func missing(_ revisions: [DocumentRevisions]) async throws -> [DocumentRevisions] {
        try await between { try await inner.missing(revisions) }
    }
    func read(_ wanted: [DocumentRevisions]) async throws -> [ReplicatedRevision] {
        try await between { try await inner.read(wanted) }
    }
    func attachment(_ reference: AttachmentReference) async throws -> AttachmentBytes {
        stepping(try await between { try await inner.attachment(reference) })
    }
    func write(
        _ revisions: [ReplicatedRevision], attachments: @escaping AttachmentSource
    ) async throws -> [WriteRefusal] {
        try await between { try await inner.write(revisions, attachments: attachments) }
    }
    func ensureFullCommit() async throws { try await between { try await inner.ensureFullCommit() } }
    func snapshot(since sequence: PeerSequence) async throws -> SnapshotPages? {
        try await between { try await inner.snapshot(since: sequence) }.map { stepping($0) }
    }

    private func stepping<Piece: Sendable>(
        _ pieces: AsyncThrowingStream<Piece, any Error>
    ) -> AsyncThrowingStream<Piece, any Error> {
        let fate = fate
        return AsyncThrowingStream { continuation in
            let task = Task {
                do {
                    for try await piece in pieces {
                        fate.step()
                        continuation.yield(piece)
                    }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}
