import NIOCore

/// Runs tasks on an event loop, where they reach the loop's channels without a change of threads.
final class LoopExecutor: TaskExecutor {
    let eventLoop: any EventLoop

    /// - Parameter eventLoop: a loop that is never shut down.
    init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    /// Runs a function after the present task of the event loop; at once on any other thread.
    func performSoon(_ body: @escaping @Sendable () -> Void) {
        if eventLoop.inEventLoop { eventLoop.execute(body) } else { body() }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        eventLoop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
