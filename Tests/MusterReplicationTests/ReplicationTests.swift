import Foundation
import MusterCore
import MusterReplication
import Synchronization
import Testing

@Suite struct ReplicationTests {
    @Test func `two peers that both edited agree on every winner and every leaf`() async throws {
        for seed in UInt64(1)...40 {
            var dice = SeededDice(seed: seed)
            let left = MemoryPeer("left")
            let right = MemoryPeer("right")
            for round in 0..<4 {
                for _ in 0..<30 { randomEdit(on: Bool.random(using: &dice) ? left : right, &dice) }
                try await replicate(left, right, seed: seed)
                // In the middle of things one direction may be all there was.
                if round == 3 || Bool.random(using: &dice) { try await replicate(right, left, seed: seed + 1_000) }
            }
            try await replicate(left, right, seed: seed + 2_000)
            #expect(left.outcome == right.outcome, "seed \(seed)")
            #expect(left.winners == right.winners, "seed \(seed)")
        }
    }

    @Test func `a replication that is cut off anywhere loses nothing and writes nothing twice`() async throws {
        for seed in UInt64(1)...40 {
            var dice = SeededDice(seed: seed)
            let chance = Mutex(SeededDice(seed: seed + 77))
            let cut: @Sendable (String) throws -> Void = { _ in
                if chance.withLock({ Int.random(in: 0..<7, using: &$0) }) == 0 {
                    throw ReplicationError.unreachable("cut")
                }
            }
            let source = MemoryPeer("source", fault: cut)
            let target = MemoryPeer("target", fault: cut)
            for _ in 0..<200 { randomEdit(on: source, &dice) }
            var pacing = ReplicationPacing.seeded(seed)
            pacing.attempts = 10_000
            var options = Replication.Options()
            options.pageLimit = 7
            let progress = try await Replication(from: source, to: target, options: options, pacing: pacing).run()
            #expect(progress.state == .completed)
            #expect(source.outcome == target.outcome, "seed \(seed)")
            let leaves = source.outcome.values.reduce(0) { $0 + $1.count }
            #expect(target.state.withLock { $0.writes } == leaves, "seed \(seed)")
        }
    }

    @Test func `the second run begins where the first ended`() async throws {
        var dice = SeededDice(seed: 3)
        let (source, target) = (MemoryPeer("source"), MemoryPeer("target"))
        for _ in 0..<50 { randomEdit(on: source, &dice) }
        try await replicate(source, target, seed: 1)
        let again = try await replicate(source, target, seed: 2)
        #expect(again.counts.checked == 0)
        randomEdit(on: source, &dice)
        let third = try await replicate(source, target, seed: 3)
        #expect(third.counts.written >= 1)
        #expect(third.counts.checked < 10)
    }

    @Test func `a document that the source forbids is counted once and not read again`() async throws {
        var dice = SeededDice(seed: 10)
        let (source, target) = (MemoryPeer("source"), MemoryPeer("target"))
        for id in ["a", "forbidden", "z"] { source.edit(id, on: nil, &dice) }
        let done = try await replicate(source, target, seed: 1)
        #expect((done.counts.written, done.counts.refused) == (2, 1))
        #expect(try await replicate(source, target, seed: 2).counts.checked == 0)
    }

    @Test func `a source that was set back is read from its new sequence`() async throws {
        var dice = SeededDice(seed: 4)
        let (source, target) = (MemoryPeer("source"), MemoryPeer("target"))
        for index in 0..<10 { source.edit("early-\(index)", on: nil, &dice) }
        try await replicate(source, target, seed: 1)
        let backup = source.state.withLock { $0.documents }
        let logs = source.state.withLock { $0.logs }
        for index in 0..<10 { source.edit("lost-\(index)", on: nil, &dice) }
        try await replicate(source, target, seed: 2)
        source.state.withLock { state in
            state.documents = backup
            state.logs = logs
            state.changed.removeSubrange(10...)
        }
        for index in 0..<5 { source.edit("late-\(index)", on: nil, &dice) }
        try await replicate(source, target, seed: 3)
        for index in 0..<5 { #expect(!target.leaves(of: "late-\(index)").isEmpty) }
    }

    @Test func `a read that is too large is halved`() async throws {
        var dice = SeededDice(seed: 5)
        let source = MemoryPeer("source", readLimit: 3)
        let target = MemoryPeer("target")
        for index in 0..<100 { source.edit("document-\(index)", on: nil, &dice) }
        try await replicate(source, target, seed: 1)
        #expect(source.outcome == target.outcome)
        #expect(source.state.withLock { $0.largestRead } <= 3)
    }

    @Test func `a document too large to read does not stop the others`() async throws {
        var dice = SeededDice(seed: 5)
        let (source, target) = (MemoryPeer("source"), MemoryPeer("target"))
        for id in ["a", "huge", "z"] { source.edit(id, on: nil, &dice) }
        let done = try await replicate(source, target, seed: 1)
        #expect((done.counts.written, done.counts.refused) == (2, 1))
        #expect(done.refusals.map(\.error) == ["too_large"])
        #expect(try await replicate(source, target, seed: 2).counts.checked == 0)
    }

    @Test func `a thousand conflicting leaves arrive as they are`() async throws {
        var dice = SeededDice(seed: 6)
        let (source, target) = (MemoryPeer("source", readLimit: 100), MemoryPeer("target"))
        for _ in 0..<1_000 { source.edit("storm", on: nil, &dice) }
        try await replicate(source, target, seed: 1)
        #expect(target.leaves(of: "storm").count == 1_000)
        #expect(source.winners == target.winners)
    }

    @Test func `a document that the target refuses is counted, and the rest arrives`() async throws {
        var dice = SeededDice(seed: 7)
        let (source, target) = (MemoryPeer("source"), MemoryPeer("target"))
        source.edit("forbidden-1", on: nil, &dice)
        source.edit("welcome", on: nil, &dice)
        let progress = try await replicate(source, target, seed: 1)
        #expect(progress.counts.refused == 1)
        #expect(progress.counts.written == 1)
        #expect(progress.refusals.map(\.id) == ["forbidden-1"])
    }

    @Test func `a peer that stays away ends a run that is not continuous`() async throws {
        let source = MemoryPeer("source", fault: { _ in throw ReplicationError.unreachable("no network") })
        let waits = Mutex<[Double]>([])
        var pacing = ReplicationPacing.seeded(1)
        pacing.attempts = 5
        pacing.sleep = { seconds in waits.withLock { $0.append(seconds) } }
        pacing.random = { 0.999_999 }
        await #expect(throws: ReplicationError.unreachable("no network")) {
            try await Replication(from: source, to: MemoryPeer("target"), pacing: pacing).run()
        }
        #expect(waits.withLock { $0.map { ($0 * 10).rounded() / 10 } } == [0.5, 1, 2, 4])
    }

    @Test func `a refusal of who asks is not tried again`() async throws {
        let source = MemoryPeer("source", fault: { _ in throw ReplicationError.unauthorized("no") })
        await #expect(throws: ReplicationError.unauthorized("no")) {
            try await Replication(from: source, to: MemoryPeer("target"), pacing: .seeded(1)).run()
        }
    }

    @Test func `a source that may only be read keeps no log, and is replicated all the same`() async throws {
        var dice = SeededDice(seed: 9)
        let asked = Mutex(0)
        let source = MemoryPeer("source") { call in
            guard call == "put" else { return }
            asked.withLock { $0 += 1 }
            throw ReplicationError.unauthorized("it may only be read")
        }
        let target = MemoryPeer("target")
        for index in 0..<40 { source.edit("document-\(index)", on: nil, &dice) }
        var options = Replication.Options()
        options.pageLimit = 1
        var pacing = ReplicationPacing.seeded(1)
        pacing.logSeconds = 0
        let first = try await Replication(from: source, to: target, options: options, pacing: pacing).run()
        #expect(first.counts.written == 40)
        #expect(source.outcome == target.outcome)
        #expect(asked.withLock { $0 } == 1)
        // What only one of them remembers is not believed.
        let second = try await replicate(source, target, seed: 2)
        #expect(second.counts.checked == 40)
        #expect(second.counts.written == 0)
    }

    @Test func `a sequence of how it goes ends with all of it`() async throws {
        var dice = SeededDice(seed: 8)
        let (source, target) = (MemoryPeer("source"), MemoryPeer("target"))
        for index in 0..<20 { source.edit("document-\(index)", on: nil, &dice) }
        var last: ReplicationProgress?
        for try await progress in Replication(from: source, to: target, pacing: .seeded(1)).progress() {
            last = progress
        }
        #expect(last?.state == .completed)
        #expect(last?.counts.written == 20)
    }

    @Test func `a replication ends when the reader of its progress stops`() async throws {
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        let asked = Mutex(0)
        let source = MemoryPeer("source") { call in
            guard call == "changes" else { return }
            let count = asked.withLock { asked in
                asked += 1
                return asked
            }
            // The first page comes; the wait for the next lasts until nobody wants it any more.
            guard count > 1 else { return }
            try? await Task.sleep(for: .seconds(3_600))
            end.finish()
            throw CancellationError()
        }
        var dice = SeededDice(seed: 10)
        source.edit("document", on: nil, &dice)
        var options = Replication.Options()
        options.isContinuous = true
        let target = MemoryPeer("target")
        for try await progress in Replication(from: source, to: target, options: options, pacing: .seeded(1)).progress()
        where progress.state == .idle { break }
        for await _ in ended {}
        #expect(source.outcome == target.outcome)
    }

    // MARK: Pieces

    private func randomEdit(on peer: MemoryPeer, _ dice: inout SeededDice) {
        let id = "document-\(Int.random(in: 0..<12, using: &dice))"
        let leaves = peer.leaves(of: id)
        let parent = Int.random(in: 0..<8, using: &dice) == 0 ? nil : leaves.randomElement(using: &dice)
        peer.edit(id, on: parent, isDeleted: parent != nil && Int.random(in: 0..<5, using: &dice) == 0, &dice)
    }
}
