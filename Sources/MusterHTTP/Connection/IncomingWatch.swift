import NIOCore

/// Ends a request that arrives too slowly: a head that does not end, or a body that brings too little.
///
/// Runs on the connection's event loop. There is a timer only while a request is incomplete, so the many idle
/// connections have none.
final class IncomingWatch {
    private let eventLoop: any EventLoop
    private let limits: ConnectionLimits
    private var next: Scheduled<Void>?
    private var began = NIODeadline.now()
    private var bytes = 0

    /// Seconds between two checks of a body.
    private static let lookSeconds: Double = 5

    init(on eventLoop: any EventLoop, _ limits: ConnectionLimits) {
        self.eventLoop = eventLoop
        self.limits = limits
    }

    /// Starts when the first bytes of a head arrive, unless it has started already.
    func watchHead(_ whenOver: @escaping () -> Void) {
        guard next == nil else { return }
        next = schedule(limits.headSeconds, whenOver)
    }

    /// Starts when a body is incomplete, unless it has started already.
    ///
    /// - Parameter isWaiting: whether the server does not read at the moment, so that nothing can arrive.
    func watchBody(isWaiting: @escaping () -> Bool, _ whenOver: @escaping () -> Void) {
        guard next == nil else { return }
        began = .now()
        lookSoon(isWaiting, whenOver)
    }

    /// Counts bytes of the body that arrived.
    func count(_ count: Int) { bytes += count }

    /// Stops, because the head or the request is complete, or the connection has ended.
    func stop() {
        next?.cancel()
        next = nil
        bytes = 0
    }

    private func lookSoon(_ isWaiting: @escaping () -> Bool, _ whenOver: @escaping () -> Void) {
        let pause = min(Self.lookSeconds, limits.bodyGraceSeconds / 2)
        next = schedule(pause) { [self] in
            if isWaiting() { began = began + .nanoseconds(Int64(pause * 1e9)) }
            let seconds = Double((NIODeadline.now() - began).nanoseconds) / 1e9
            let wanted = (seconds - limits.bodyGraceSeconds) * limits.bytesPerSecond
            if seconds > limits.bodySeconds || Double(bytes) < wanted {
                next = nil
                whenOver()
            } else {
                lookSoon(isWaiting, whenOver)
            }
        }
    }

    private func schedule(_ seconds: Double, _ body: @escaping () -> Void) -> Scheduled<Void> {
        eventLoop.assumeIsolated().scheduleTask(in: .nanoseconds(Int64(seconds * 1e9)), body)
    }
}
