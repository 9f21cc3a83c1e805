import Synchronization
import Testing

@testable import MusterKit

@Suite struct EmissionsTests {
    /// An emission that says when it begins, and ends when it is let.
    private final class Gate: Sendable {
        private let counts = Mutex((begun: 0, running: 0, most: 0))
        private let steps = AsyncStream.makeStream(of: Void.self)
        private let beginnings = AsyncStream.makeStream(of: Void.self)

        func pass() async -> Bool {
            counts.withLock { counts in
                counts.begun += 1
                counts.running += 1
                counts.most = max(counts.most, counts.running)
            }
            beginnings.continuation.yield()
            for await _ in steps.stream { break }
            counts.withLock { $0.running -= 1 }
            return !Task.isCancelled
        }

        func open() { steps.continuation.yield() }
        func waitForBeginning() async { for await _ in beginnings.stream { return } }
        var begun: Int { counts.withLock { $0.begun } }
        var most: Int { counts.withLock { $0.most } }
    }

    @Test func `a caller waits for the emission under way while nothing new is recorded`() async {
        let gate = Gate()
        let emissions = Emissions(cancelled: false) { 1 }
        async let first = emissions.emit { await gate.pass() }
        await gate.waitForBeginning()
        async let others = withTaskGroup(of: Bool.self) { group in
            for _ in 0..<50 { group.addTask { await emissions.emit { await gate.pass() } } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        while emissions.waiting < 51 { await Task.yield() }
        gate.open()
        #expect(await first)
        #expect(await others.allSatisfy { $0 })
        #expect(gate.begun == 1)
    }

    @Test func `recordings during an emission are sent by one more, however many callers ask`() async {
        let gate = Gate()
        let recorded = Mutex<Int64>(1)
        let emissions = Emissions(cancelled: false) { recorded.withLock { $0 } }
        async let first = emissions.emit { await gate.pass() }
        await gate.waitForBeginning()
        recorded.withLock { $0 = 2 }
        async let others = withTaskGroup(of: Bool.self) { group in
            for _ in 0..<50 { group.addTask { await emissions.emit { await gate.pass() } } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        while emissions.waiting < 51 { await Task.yield() }
        #expect(gate.begun == 1)
        gate.open()
        await gate.waitForBeginning()
        gate.open()
        #expect(await first)
        #expect(await others.allSatisfy { $0 })
        #expect(gate.begun == 2)
        #expect(gate.most == 1)
    }

    @Test func `an emission runs while any caller waits for it, and the next waits for its end`() async {
        let gate = Gate()
        let emissions = Emissions(cancelled: false) { 1 }
        let impatient = Task { await emissions.emit { await gate.pass() } }
        await gate.waitForBeginning()
        let patient = Task { await emissions.emit { await gate.pass() } }
        while emissions.waiting < 2 { await Task.yield() }
        impatient.cancel()
        while emissions.waiting > 1 { await Task.yield() }
        gate.open()
        #expect(await patient.value)
        #expect(gate.begun == 1)
        // Nobody waits for this one any more.
        let lonely = Task { await emissions.emit { await gate.pass() } }
        await gate.waitForBeginning()
        lonely.cancel()
        #expect(await !lonely.value)
        gate.open()
        #expect(await emissions.emit { true })
        #expect(gate.most == 1)
    }

    @Test func `a cancelled caller waits no longer, though the emission goes on for another`() async {
        let gate = Gate()
        let emissions = Emissions(cancelled: false) { 1 }
        let patient = Task { await emissions.emit { await gate.pass() } }
        await gate.waitForBeginning()
        let impatient = Task { await emissions.emit { await gate.pass() } }
        while emissions.waiting < 2 { await Task.yield() }
        impatient.cancel()
        #expect(await !impatient.value)
        gate.open()
        #expect(await patient.value)
    }

    @Test func `ending cancels the emission that runs and the one that waits, and later ones`() async {
        let gate = Gate()
        let recorded = Mutex<Int64>(1)
        let emissions = Emissions(cancelled: false) { recorded.withLock { $0 } }
        async let first = emissions.emit { await gate.pass() }
        await gate.waitForBeginning()
        recorded.withLock { $0 = 2 }
        async let second = emissions.emit { await gate.pass() }
        while emissions.waiting < 2 { await Task.yield() }
        await emissions.end()
        #expect(await !first)
        #expect(await !second)
        #expect(await !emissions.emit { true })
        #expect(gate.begun == 1)
    }
}
