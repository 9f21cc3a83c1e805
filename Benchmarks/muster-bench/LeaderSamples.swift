import Foundation
import MusterTerminal

/// The durations of leaders' requests, by kind.
struct LeaderSamples: Sendable {
    /// The order of the requests in a leader's shift.
    private static let kinds = [
        "sign in", "see the team", "open an incident", "incident on the live feed", "call the roll", "mark a person",
        "close the incident",
    ]
    private var milliseconds: [String: [Double]] = [:]
    private var failures: [String: [String]] = [:]

    mutating func add(_ kind: String, _ time: Double) { milliseconds[kind, default: []].append(time) }

    mutating func addFailure(_ kind: String, _ reason: String) { failures[kind, default: []].append(reason) }

    mutating func merge(_ other: LeaderSamples) {
        milliseconds.merge(other.milliseconds, uniquingKeysWith: +)
        failures.merge(other.failures, uniquingKeysWith: +)
    }

    static let heading = "request".padded + "       count      p50 ms      p99 ms  at most ms      failed"

    static func line(_ name: String, _ times: [Double], _ failed: Int) -> String {
        let sorted = times.sorted()
        let numbers = [share(0.5, of: sorted), share(0.99, of: sorted), sorted.last ?? 0]
        return name.padded + String(format: "%12d", sorted.count)
            + numbers.map { String(format: "%12.1f", $0) }.joined() + String(format: "%12d", failed)
    }

    /// The median and the 99th percentile of all requests, in milliseconds.
    var all: (median: Double, slow: Double) {
        let sorted = milliseconds.values.flatMap { $0 }.sorted()
        return (Self.share(0.5, of: sorted), Self.share(0.99, of: sorted))
    }

    /// How many requests failed.
    var failed: Int { failures.values.joined().count }

    var lines: [String] {
        Self.kinds.map { Self.line($0, milliseconds[$0] ?? [], failures[$0]?.count ?? 0) }
            + [Self.line("all of the leaders'", milliseconds.values.flatMap { $0 }, failed)]
    }

    func record() {
        for (kind, times) in milliseconds { Figures.record(kind, sortedMilliseconds: times.sorted()) }
        Figures.record("all of the leaders' requests", sortedMilliseconds: milliseconds.values.flatMap { $0 }.sorted())
    }

    /// The reason why the benchmark fails; nil if leaders could work.
    func fault(limit: Double) -> String? {
        for kind in Self.kinds {
            if let reason = failures[kind]?.first { return "leaders could not always \(kind): \(reason)" }
            guard let times = milliseconds[kind], !times.isEmpty else { return "no leader came to \(kind)" }
            let slow = Self.share(0.99, of: times.sorted())
            // Who signs in waits for a hash, slow on purpose, of the threads that the attackers keep busy.
            let allowed = kind == Self.kinds[0] ? 2 * limit : limit
            if slow > allowed {
                return String(format: "to %@ took leaders %.0f ms (p99); %.0f ms are allowed", kind, slow, allowed)
            }
        }
        return nil
    }

    private static func share(_ part: Double, of sorted: [Double]) -> Double {
        sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))]
    }
}

extension String {
    var padded: String { padding(toLength: 28, withPad: " ", startingAt: 0) }
}
