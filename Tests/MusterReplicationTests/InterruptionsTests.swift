import MusterCore
import Synchronization
import Testing

@testable import MusterReplication

/// What cuts teach a replication, and how it forgets that again.
@Suite struct InterruptionsTests {
    @Test func `every cut halves the time between marks, and every mark doubles it again`() {
        var learned = Interruptions()
        #expect(learned.markSeconds(unhurried: 8) == 8)
        for seconds in [4.0, 2, 1] {
            learned.noteCut()
            #expect(learned.markSeconds(unhurried: 8) == seconds)
        }
        for seconds in [2.0, 4, 8, 8] {
            learned.noteMark()
            #expect(learned.markSeconds(unhurried: 8) == seconds)
        }
    }

    @Test func `one mark an attempt keeps the pace of marks, and none raises it`() {
        var learned = Interruptions()
        for _ in 0..<5 { learned.noteCut() }
        let before = learned.haste
        for _ in 0..<100 {
            learned.noteMark()
            learned.noteCut()
            #expect(learned.haste == before)
            #expect(learned.failures == 1)
        }
        for _ in 0..<100 { learned.noteCut() }
        #expect(learned.haste == Interruptions.hasteLimit)
        #expect(learned.failures == 101)
    }

    @Test func `a replication that makes progress is not failing, though no checkpoint was written`() {
        var learned = Interruptions()
        for _ in 0..<3 { learned.noteCut() }
        learned.noteProgress()
        #expect(learned.failures == 0)
        #expect(learned.haste == 3)
    }

    @Test func `after twenty cuts a replication goes back to writing its log less often`() async throws {
        let cuts = Mutex(20)
        let puts = Mutex(0)
        let source = MemoryPeer("source") { call in
            guard call == "information" else { return }
            let isCut = cuts.withLock { cuts in
                cuts -= 1
                return cuts >= 0
            }
            if isCut { throw ReplicationError.unreachable("cut") }
        }
        let target = MemoryPeer("target") { call in if call == "put" { puts.withLock { $0 += 1 } } }
        var dice = SeededDice(seed: 6)
        for index in 0..<500 { source.edit("d\(index)", on: nil, &dice) }
        var options = Replication.Options()
        options.pageLimit = 1
        var pacing = SteppingClock(secondsPerLook: 0.01).pacing
        pacing.attempts = 30
        try await Replication(from: source, to: target, options: options, pacing: pacing).run()
        #expect(source.outcome == target.outcome)
        #expect(puts.withLock { $0 } > 10)
        #expect(puts.withLock { $0 } < 40)
    }

    @Test(arguments: [(100.0, [0.375, 0.375, 0.375, 0.375]), (0.0, [0.375, 0.75, 1.5, 3])])
    func `a feed cut after a quiet wait reconnects at once, one cut at once backs off`(
        secondsPerLook: Double, expected: [Double]
    ) async throws {
        let asked = Mutex(0)
        let (idle, noteIdle) = AsyncStream.makeStream(of: Void.self)
        // The first page of an attempt comes through. The wait for the next is cut off once the first has arrived.
        let source = MemoryPeer("source") { call in
            guard call == "changes" else { return }
            let count = asked.withLock { asked in
                asked += 1
                return asked
            }
            guard count.isMultiple(of: 2) else { return }
            for await _ in idle { break }
            throw ReplicationError.unreachable("cut")
        }
        let waits = Mutex<[Double]>([])
        var pacing = SteppingClock(secondsPerLook: secondsPerLook).pacing
        pacing.sleep = { seconds in
            let count = waits.withLock { waits in
                waits.append(seconds)
                return waits.count
            }
            if count == expected.count { throw CancellationError() }
        }
        var options = Replication.Options()
        options.isContinuous = true
        await #expect(throws: CancellationError.self) {
            try await Replication(from: source, to: MemoryPeer("target"), options: options, pacing: pacing).run {
                if $0.state == .idle { noteIdle.yield() }
            }
        }
        #expect(waits.withLock { $0 } == expected)
    }
}
