import MusterCore
import MusterNearby
import Synchronization

/// A clock that goes when the test says so.
final class ManualClock: Sendable {
    private struct State {
        var now = Instant(milliseconds: 1_764_000_000_000)
        var nextID = 0
        var tickers: [Int: (period: Double, due: Instant, continuation: AsyncStream<Instant>.Continuation)] = [:]
    }

    private let state = Mutex(State())

    var now: Instant { state.withLock { $0.now } }

    var clock: NearbyClock {
        NearbyClock(now: { self.now }) { period in
            let (stream, continuation) = AsyncStream.makeStream(of: Instant.self, bufferingPolicy: .bufferingNewest(1))
            self.state.withLock { state in
                let (id, seconds) = (state.nextID, period / .seconds(1))
                state.nextID += 1
                state.tickers[id] = (seconds, state.now.advanced(bySeconds: seconds), continuation)
                continuation.onTermination = { _ in self.state.withLock { $0.tickers[id] = nil } }
            }
            return stream
        }
    }

    /// How many wait for ticks.
    var tickers: Int { state.withLock { $0.tickers.count } }

    func advance(by seconds: Double) {
        let due = state.withLock { state in
            state.now = state.now.advanced(bySeconds: seconds)
            let ids = state.tickers.filter { $0.value.due <= state.now }.keys
            for id in ids {
                guard let period = state.tickers[id]?.period else { continue }
                state.tickers[id]?.due = state.now.advanced(bySeconds: period)
            }
            return (state.now, ids.compactMap { state.tickers[$0]?.continuation })
        }
        for continuation in due.1 { continuation.yield(due.0) }
    }

    /// Advances by steps until a condition is true; false when it never is. On a busy machine another thread may stand
    /// still during all steps, so they go on for some seconds.
    func advance(by seconds: Double, until condition: () -> Bool) async -> Bool {
        let limit = ContinuousClock.now + .seconds(5)
        for step in 0... {
            if condition() { return true }
            if step >= 20_000, ContinuousClock.now > limit { break }
            advance(by: seconds)
            await Task.yield()
        }
        return false
    }
}

/// Collects what a stream yields, and how it ends.
final class Collected<Element: Sendable>: Sendable {
    private let state = Mutex<(elements: [Element], error: (any Error)?, isOver: Bool)>(([], nil, false))

    var elements: [Element] { state.withLock { $0.elements } }
    var error: (any Error)? { state.withLock { $0.error } }
    var isOver: Bool { state.withLock { $0.isOver } }

    /// Reads to the end, or to so many elements.
    func read<Stream: AsyncSequence & Sendable>(_ stream: Stream, atMost limit: Int = .max) -> Task<Void, Never>
    where Stream.Element == Element {
        Task {
            do {
                for try await element in stream {
                    let count = state.withLock { state in
                        state.elements.append(element)
                        return state.elements.count
                    }
                    if count >= limit { break }
                }
            } catch {
                state.withLock { $0.error = error }
            }
            state.withLock { $0.isOver = true }
        }
    }
}
