import Foundation
import MusterTerminal

/// The figures of this run for `Benchmarks/measure`, which makes docs/performance.md of them.
///
/// Where the environment variable MUSTER_BENCH_FIGURES names a file, each figure is one line of JSON at its end.
/// Otherwise nothing is written.
enum Figures {
    private struct Line: Encodable {
        var bench: String
        var row: String
        var figure: String
        var value: Double
    }

    private struct Absence: Encodable { var absent: String }

    /// Records a figure of a row.
    ///
    /// - Parameter figure: the name of the figure, with its unit.
    static func record(_ row: String, _ figure: String, _ value: Double) {
        guard value.isFinite else { return }
        append(Line(bench: CommandLine.arguments.dropFirst().first ?? "", row: row, figure: figure, value: value))
    }

    /// Records a number of bytes in megabytes; nothing for nil.
    static func record(_ row: String, bytes: Int?) {
        if let bytes { record(row, "MB", Double(bytes) / 1e6) }
    }

    /// Records the median and the 99th percentile of sorted durations, in milliseconds.
    static func record(_ row: String, sortedMilliseconds: [Double]) {
        guard !sortedMilliseconds.isEmpty else { return }
        func share(_ part: Double) -> Double { sortedMilliseconds[Int(Double(sortedMilliseconds.count - 1) * part)] }
        record(row, "p50 ms", share(0.5))
        record(row, "p99 ms", share(0.99))
    }

    /// Records that a peer is not installed here, so its rows cannot be made.
    static func recordAbsence(of peer: String) { append(Absence(absent: peer)) }

    private static func append(_ line: some Encodable) {
        guard let path = ProcessInfo.processInfo.environment["MUSTER_BENCH_FIGURES"] else { return }
        guard let text = try? JSONEncoder().encode(line), let file = fopen(path, "a") else {
            return remark("\(path) cannot be written: the figures are lost")
        }
        fputs(String(decoding: text, as: UTF8.self) + "\n", file)
        fclose(file)
    }
}
