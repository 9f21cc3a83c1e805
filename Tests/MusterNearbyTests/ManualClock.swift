import MusterCore
import MusterNearby
import Synchronization

/// A clock that goes when the test says so, and never past a reader of its ticks that is not done with the last one.
final class ManualClock: Sendable {
    private struct Ticker {
        let period: Double
        var due: Instant
        let continuation: AsyncStream<Instant>.Continuation
        /// Whether the reader waits for the next tick.
        var isAwaited = false
    }

    private struct State {
        var now = Instant(milliseconds: 1_764_000_000_000)
        var nextID = 0
        var tickers: [Int: Ticker] = [:]
    }

    private let state = Mutex(State())

    var now: Instant { state.withLock { $0.now } }

    var clock: NearbyClock {
        NearbyClock(now: { self.now }) { period in
            let (stream, continuation) = AsyncStream.makeStream(of: Instant.self, bufferingPolicy: .bufferingNewest(1))
            let id = self.state.withLock { state in
                let (id, seconds) = (state.nextID, period / .seconds(1))
                state.nextID += 1
                state.tickers[id] = Ticker(
                    period: seconds, due: state.now.advanced(bySeconds: seconds), continuation: continuation)
                return id
            }
            continuation.onTermination = { _ in self.state.withLock { $0.tickers[id] = nil } }
            return AsyncStream {
                self.state.withLock { $0.tickers[id]?.isAwaited = true }
                for await tick in stream {
                    self.state.withLock { $0.tickers[id]?.isAwaited = false }
                    return tick
                }
                return nil
            }
        }
    }

    /// How many wait for ticks.
    var tickers: Int { state.withLock { $0.tickers.count } }

    /// Advances by steps until a condition is true; false when it is not within five minutes. On a busy machine a
    /// thread may stand still for as long as many steps take. So the next step begins when every reader of ticks waits
    /// for one, and after a moment for those to whom the readers hand something on.
    func advance(by seconds: Double, until condition: () -> Bool) async -> Bool {
        let limit = ContinuousClock.now + .seconds(300)
        while !condition() {
            if ContinuousClock.now > limit { return false }
            step(by: seconds)
            try? await Task.sleep(for: .milliseconds(10))
        }
        return true
    }

    /// Advances once, unless a reader of ticks is not done with its last one.
    private func step(by seconds: Double) {
        let (now, due) = state.withLock { state -> (Instant, [AsyncStream<Instant>.Continuation]) in
            guard state.tickers.values.allSatisfy(\.isAwaited) else { return (state.now, []) }
            state.now = state.now.advanced(bySeconds: seconds)
            let ids = state.tickers.filter { $0.value.due <= state.now }.keys
            for id in ids {
                guard let period = state.tickers[id]?.period else { continue }
                state.tickers[id]?.due = state.now.advanced(bySeconds: period)
                state.tickers[id]?.isAwaited = false
            }
            return (state.now, ids.compactMap { state.tickers[$0]?.continuation })
        }
        for continuation in due { continuation.yield(now) }
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
