/// A metric with its samples, as `/metrics` shows it (Prometheus text format 0.0.4).
package struct MetricFamily: Sendable {
    /// The type of a metric in Prometheus.
    package enum Kind: String, Sendable {
        case counter, gauge, histogram
    }

    private let name: String
    private let kind: Kind
    private let help: String
    private var samples: [(suffix: String, value: Double)] = []

    /// Makes a metric without samples.
    ///
    /// - Parameter help: one line of plain text.
    package init(_ name: String, _ kind: Kind, _ help: String) {
        self.name = name
        self.kind = kind
        self.help = help
    }

    /// Makes a metric with one value and no labels.
    package init(_ name: String, _ kind: Kind, _ help: String, _ value: Double) {
        self.init(name, kind, help)
        samples.append(("", value))
    }

    /// Makes a metric with one label, and a sample for each of the label's values.
    package init(_ name: String, _ kind: Kind, _ help: String, by label: String, _ values: [(String, Double)]) {
        self.init(name, kind, help)
        samples = values.map { (#"{\#(label)="\#($0)"}"#, $1) }
    }

    package init(_ name: String, _ help: String, _ durations: DurationHistogram) {
        self.init(name, .histogram, help)
        var total = 0
        for (bound, count) in zip(DurationHistogram.boundsSeconds.map { "\($0)" } + ["+Inf"], durations.counts) {
            total += count
            samples.append((#"_bucket{le="\#(bound)"}"#, Double(total)))
        }
        samples.append(("_sum", durations.seconds))
        samples.append(("_count", Double(total)))
    }

    /// The metric's lines in the text format.
    package var text: String {
        samples.reduce(into: "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n") { text, sample in
            text += "\(name)\(sample.suffix) \(Self.text(of: sample.value))\n"
        }
    }

    private static func text(of value: Double) -> String { Int64(exactly: value).map { "\($0)" } ?? "\(value)" }
}

/// Counts durations by the bounds that they lie within.
package struct DurationHistogram: Equatable, Sendable {
    /// The upper bounds, in seconds. Longer durations are counted too.
    package static let boundsSeconds: [Double] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

    package private(set) var counts = [Int](repeating: 0, count: DurationHistogram.boundsSeconds.count + 1)
    /// The sum of all durations, in seconds.
    package private(set) var seconds = 0.0

    package init(
        counts: [Int] = [Int](repeating: 0, count: DurationHistogram.boundsSeconds.count + 1), seconds: Double = 0.0
    ) {
        self.counts = counts
        self.seconds = seconds
    }

    /// Counts one duration.
    package mutating func count(_ seconds: Double) {
        counts[Self.boundsSeconds.firstIndex { seconds <= $0 } ?? Self.boundsSeconds.count] += 1
        self.seconds += seconds
    }
}
