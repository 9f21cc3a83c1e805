package import Logging
import MusterHTTP
import Synchronization

/// Measures how long requests read the store and counts the reads that a limit interrupted, for `/metrics` and the log.
package final class ReadStatistics: Sendable {
    private struct State {
        var seconds = DurationHistogram()
        var cutOff: [String: Int] = [:]
        var nextLine: ContinuousClock.Instant?
    }

    /// The duration, in seconds, from which the log records a read.
    static let slowSeconds = 1.0
    /// Seconds between two log lines, so that a user with many slow reads does not fill the log.
    static let logSeconds = 1.0
    private static let reasons = ["deadline", "steps", "abandoned"]

    private let logger: Logger?
    private let state = Mutex(State())

    /// - Parameter logger: receives slow reads; nil for none.
    package init(logger: Logger? = nil) { self.logger = logger }

    /// Counts one read of a request, and logs it if it was slow. The log line names the route, the address and the
    /// user, but not the data that the request asked for.
    ///
    /// - Parameters:
    ///   - seconds: the duration of the read, without the wait for a thread.
    ///   - fault: the limit that interrupted the read; nil if none did.
    ///   - now: the time at which the read ended.
    func record(
        seconds: Double, of request: RequestWork, fault: WorkLimit.InterruptionError?, at now: ContinuousClock.Instant
    ) {
        let isLogged = state.withLock { state in
            state.seconds.count(seconds)
            if let fault { state.cutOff[fault.name, default: 0] += 1 }
            guard seconds >= Self.slowSeconds, now >= state.nextLine ?? now else { return false }
            state.nextLine = now + .seconds(Self.logSeconds)
            return true
        }
        guard isLogged, let logger else { return }
        var metadata: Logger.Metadata = [
            "route": "\(request.route ?? "unknown")", "address": "\(request.address)",
            "milliseconds": "\(Int(seconds * 1000))",
        ]
        if let client = request.client { metadata["user"] = "\(client.name)" }
        if let fault { metadata["cutOff"] = "\(fault.name)" }
        logger.warning("A request read the store for long", metadata: metadata)
    }

    var families: [MetricFamily] {
        let state = state.withLock { $0 }
        return [
            MetricFamily("muster_read_seconds", "Time that requests read the store, by read.", state.seconds),
            MetricFamily(
                "muster_reads_cut_off_total", .counter, "Reads that were cut off, by reason.", by: "reason",
                Self.reasons.map { ($0, Double(state.cutOff[$0] ?? 0)) }),
        ]
    }
}

extension WorkLimit.InterruptionError {
    /// The name of the reason in `/metrics` and in the log.
    fileprivate var name: String {
        switch self {
        case .deadline: "deadline"
        case .steps: "steps"
        case .abandoned: "abandoned"
        }
    }
}
