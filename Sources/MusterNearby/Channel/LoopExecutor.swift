import MusterMutex
import NIOCore

/// Runs functions on an event loop, where they reach the loop's channels without a change of threads.
final class LoopExecutor: EventLoopExecutor {
    let eventLoop: any EventLoop

    /// - Parameter eventLoop: a loop that is never shut down.
    init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    func performSoon(_ body: @escaping @Sendable () -> Void) {
        if eventLoop.inEventLoop { eventLoop.execute(body) } else { body() }
    }

    func perform(_ body: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            eventLoop.execute {
                body()
                continuation.resume()
            }
        }
    }

    func repeatCalls(every period: Duration, _ body: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        let calls = LoopCalls(eventLoop, every: period, body)
        calls.scheduleNext()
        return { calls.stop() }
    }
}

/// The repeated calls of a function on an event loop, by the loop's own timer.
private final class LoopCalls: Sendable {
    private let eventLoop: any EventLoop
    private let grid: TickGrid
    private let body: @Sendable () -> Void
    private let isOver = Mutex(false)

    init(_ eventLoop: any EventLoop, every period: Duration, _ body: @escaping @Sendable () -> Void) {
        self.eventLoop = eventLoop
        grid = TickGrid(period)
        self.body = body
    }

    func stop() { isOver.withLock { $0 = true } }

    func scheduleNext() {
        let wait = grid.next() - ContinuousClock.now
        eventLoop.scheduleTask(in: TimeAmount(wait)) {
            guard !self.isOver.withLock({ $0 }) else { return }
            self.body()
            self.scheduleNext()
        }
    }
}
