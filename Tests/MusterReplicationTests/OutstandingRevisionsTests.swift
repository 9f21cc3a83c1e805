import MusterCore
import MusterReplication
import Synchronization
import Testing

/// What a peer fails at while it answers for all else, and the log that names it.
@Suite struct OutstandingRevisionsTests {
    @Test(arguments: [true, false])
    func `a document that a peer fails at is left out after some attempts, and retried by the next run`(
        _ isSource: Bool
    ) async throws {
        var dice = SeededDice(seed: 9)
        let (source, target) = (MemoryPeer("source"), MemoryPeer("target"))
        for index in 0..<30 { source.edit("d\(index)", on: nil, &dice) }
        (isSource ? source : target).state.withLock { $0.failing = ["d7", "d20"] }
        var options = Replication.Options()
        options.pageLimit = 5
        let replication = Replication(from: source, to: target, options: options, pacing: .seeded(1))
        let done = try await replication.run()
        #expect((done.counts.written, done.counts.refused) == (28, 2))
        #expect(done.refusals.map(\.isPassing) == [true, true])
        #expect(target.outcome.count == 28)
        #expect(done.sequence == PeerSequence(30))
        // The log names them: nothing else is compared again, and they are told once a run.
        let second = try await replication.run()
        #expect((second.counts.checked, second.counts.written, second.counts.refused) == (2, 0, 2))
        (isSource ? source : target).state.withLock { $0.failing = ["d20"] }
        #expect(try await replication.run().counts.written == 1)
        (isSource ? source : target).state.withLock { $0.failing = [] }
        let last = try await replication.run()
        #expect((last.counts.checked, last.counts.written) == (1, 1))
        #expect(source.outcome == target.outcome)
        #expect(try await replication.run().counts.checked == 0)
    }

    @Test func `where winners alone go the log stays before what a peer failed at, for another may win by then`()
        async throws
    {
        var dice = SeededDice(seed: 9)
        let (source, target) = (MemoryPeer("source"), MemoryPeer("target"))
        for index in 0..<30 { source.edit("d\(index)", on: nil, &dice) }
        target.state.withLock { $0.failing = ["d7"] }
        var options = Replication.Options()
        options.pageLimit = 5
        options.takesWinnersOnly = true
        let replication = Replication(from: source, to: target, options: options, pacing: .seeded(1))
        let done = try await replication.run()
        #expect((done.counts.written, done.counts.refused, done.sequence) == (29, 1, PeerSequence(5)))
        target.state.withLock { $0.failing = [] }
        #expect(try await replication.run().counts.written == 1)
        #expect(source.outcome == target.outcome)
    }

    @Test func `a target's replication log names no document outside of the filter`() async throws {
        var dice = SeededDice(seed: 15)
        let (source, target) = (MemoryPeer("source"), MemoryPeer("target"))
        for id in ["open", "secret"] { source.edit(id, on: nil, &dice) }
        var options = Replication.Options()
        options.filter = .documents(["open"])
        let replication = Replication(from: source, to: target, options: options, pacing: .seeded(1))
        try await replication.run()
        let secret = DocumentRevisions(id: "secret", revisions: source.leaves(of: "secret"))
        target.state.withLock { state in
            state.documents = [:]
            for id in state.logs.keys { state.logs[id]?.outstanding = [secret] }
        }
        #expect(try await replication.run().counts.checked == 0)
        #expect(target.outcome.isEmpty)
    }

    @Test func `a continuous replication asks now and then for what a peer failed at`() async throws {
        var dice = SeededDice(seed: 11)
        let (source, target) = (MemoryPeer("source"), MemoryPeer("target"))
        for index in 0..<8 { source.edit("d\(index)", on: nil, &dice) }
        target.state.withLock { $0.failing = ["d3"] }
        var options = Replication.Options()
        options.isContinuous = true
        let replication = Replication(from: source, to: target, options: options, pacing: .seeded(2))
        for try await progress in replication.progress() {
            // It has been left out, and the rest is there: from now on the target would take it.
            if progress.counts.refused == 1 { target.state.withLock { $0.failing = [] } }
            if progress.counts.written == 8, progress.state == .idle { break }
        }
        #expect(source.outcome == target.outcome)
        #expect(target.state.withLock { $0.logs.values.map(\.outstanding) } == [[]])
        #expect(try await replicate(source, target, seed: 3).counts.checked == 0)
    }

    @Test func `two runs of one replication beside each other keep one log, and neither fails`() async throws {
        var dice = SeededDice(seed: 16)
        let (source, target) = (MemoryPeer("source"), MemoryPeer("target"))
        for index in 0..<200 { source.edit("d\(index)", on: nil, &dice) }
        var options = Replication.Options()
        options.pageLimit = 3
        try await withThrowingTaskGroup(of: Void.self) { group in
            for seed in UInt64(1)...4 {
                var pacing = ReplicationPacing.seeded(seed)
                // Every page is written down.
                pacing.logSeconds = 0
                pacing.attempts = 1
                let replication = Replication(from: source, to: target, options: options, pacing: pacing)
                group.addTask { try await replication.run() }
            }
            try await group.waitForAll()
        }
        #expect(source.outcome == target.outcome)
        #expect(try await replicate(source, target, seed: 5).counts.checked == 0)
    }

    @Test func `a target set back during a replication gets what it lost`() async throws {
        var dice = SeededDice(seed: 17)
        let (source, target) = (MemoryPeer("source"), MemoryPeer("target"))
        for index in 0..<10 { source.edit("early-\(index)", on: nil, &dice) }
        try await replicate(source, target, seed: 1)
        let (backup, logs) = target.state.withLock { ($0.documents, $0.logs) }
        for index in 0..<10 { source.edit("later-\(index)", on: nil, &dice) }
        var options = Replication.Options()
        options.isContinuous = true
        var late = SeededDice(seed: 18)
        var isSetBack = false
        for try await progress in Replication(from: source, to: target, options: options, pacing: .seeded(2)).progress()
        where progress.state == .idle {
            if !isSetBack {
                isSetBack = true
                target.state.withLock { state in
                    state.documents = backup
                    state.logs = logs
                }
                source.edit("last", on: nil, &late)
            } else if source.outcome == target.outcome {
                break
            }
        }
        #expect(source.outcome == target.outcome)
    }

    @Test func `a document that a peer failed at is settled by an edit or its removal`() async throws {
        var dice = SeededDice(seed: 12)
        let (source, target) = (MemoryPeer("source"), MemoryPeer("target"))
        for id in ["edited", "gone"] { source.edit(id, on: nil, &dice) }
        target.state.withLock { $0.failing = ["edited", "gone"] }
        let first = try await replicate(source, target, seed: 1)
        #expect(first.counts.refused == 2)
        source.edit("edited", on: source.leaves(of: "edited")[0], &dice)
        source.state.withLock { $0.documents["gone"] = nil }
        target.state.withLock { $0.failing = [] }
        let second = try await replicate(source, target, seed: 2)
        #expect(second.counts.refused == 0)
        #expect(source.outcome == target.outcome)
        #expect(try await replicate(source, target, seed: 3).counts.checked == 0)
    }

    @Test func `repeated replications retry a document that a peer fails at once a minute`() async throws {
        var dice = SeededDice(seed: 13)
        let (source, target) = (MemoryPeer("source"), MemoryPeer("target"))
        for index in 0..<3 { source.edit("d\(index)", on: nil, &dice) }
        target.state.withLock { $0.failing = ["d1"] }
        let clock = Mutex(Instant(milliseconds: 0))
        var pacing = ReplicationPacing.seeded(4)
        pacing.now = { clock.withLock { $0 } }
        var replication = Replication(from: source, to: target, pacing: pacing)
        replication.retryMemory = Replication.RetryMemory()
        #expect(try await replication.run().counts.refused == 1)
        for _ in 0..<3 { #expect(try await replication.run().counts.checked == 0) }
        clock.withLock { $0 = $0.advanced(bySeconds: 60) }
        let asked = try await replication.run().counts
        // It was told before.
        #expect((asked.checked, asked.refused) == (1, 0))
        target.state.withLock { $0.failing = [] }
        clock.withLock { $0 = $0.advanced(bySeconds: 60) }
        #expect(try await replication.run().counts.written == 1)
    }

    @Test func `a peer that fails at more documents than can be remembered fails the replication`() async throws {
        var dice = SeededDice(seed: 14)
        // Both seeds replicate in pages of 13.
        let (source, target) = (MemoryPeer("source"), MemoryPeer("target"))
        for index in 0...1_000 { source.edit("d\(index)", on: nil, &dice) }
        target.state.withLock { state in state.failing = Set((0...1_000).map { "d\($0)" }) }
        await #expect(throws: ReplicationError.busy(status: 500, retryAfterSeconds: nil)) {
            try await replicate(source, target, seed: 12)
        }
        target.state.withLock { $0.failing = [] }
        try await replicate(source, target, seed: 25)
        #expect(source.outcome == target.outcome)
    }
}
