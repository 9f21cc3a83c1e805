package import HTTPTypes
package import MusterHTTP
import Synchronization

/// The server's counters since it started, in the Prometheus format.
package final class Metrics: Sendable {
    /// The counters of one route.
    private struct Counts {
        /// The number of answers by the first digit of their status.
        var statuses: [Int: Int] = [:]
        /// The number of answers by the first bound that they lie within.
        var buckets = [Int](repeating: 0, count: Metrics.boundsSeconds.count + 1)
        var seconds = 0.0
    }

    private struct Key: Hashable {
        let method: HTTPRequest.Method
        let path: String
    }

    /// The upper bounds of the latency histogram, in seconds.
    static let boundsSeconds: [Double] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

    private let routes = Mutex<[Key: Counts]>([:])
    private let events = Mutex<[String: Int]>([:])
    private let deliveries = Mutex(DeliveryRecord())
    private let sources = Mutex<[@Sendable () -> [MetricFamily]]>([])

    package init() {}

    /// Counts an answer. The path must be a route's, not a request's, so that the number of labels stays bounded.
    package func count(_ method: HTTPRequest.Method, at path: String?, status: Int, seconds: Double) {
        let key = path.map { Key(method: method, path: $0) } ?? Key(method: .get, path: "none")
        let bucket = Self.boundsSeconds.firstIndex { seconds <= $0 } ?? Self.boundsSeconds.count
        routes.withLock { routes in
            routes[key, default: Counts()].statuses[status / 100, default: 0] += 1
            routes[key, default: Counts()].buckets[bucket] += 1
            routes[key, default: Counts()].seconds += seconds
        }
    }

    /// Counts a notable event by name, such as a malformed report that was acknowledged.
    package func count(event name: StaticString) {
        events.withLock { $0[name.description, default: 0] += 1 }
    }

    /// Adds a source of metrics, called whenever a client reads the metrics.
    package func addSource(_ source: @escaping @Sendable () -> [MetricFamily]) {
        sources.withLock { $0.append(source) }
    }

    /// Stores the dispatcher's latest counts.
    package func setDeliveries(_ record: DeliveryRecord) { deliveries.withLock { $0 = record } }

    /// All metrics, in the Prometheus text format 0.0.4.
    package func text(_ coordinator: CommitStatistics) -> String {
        var text = ""
        text += Self.header("muster_positions_total", "counter", "Positions received, by what became of them.")
        for (outcome, count) in [
            ("accepted", coordinator.accepted), ("late", coordinator.late), ("repeated", coordinator.repeated),
            ("filtered", coordinator.filtered),
        ] {
            text += "muster_positions_total{outcome=\"\(outcome)\"} \(count)\n"
        }
        text += Self.single("muster_commits_total", "counter", "Transactions on disk.", coordinator.commits)
        text += Self.single(
            "muster_failed_commits_total", "counter", "Transactions refused.", coordinator.failedCommits)
        text += Self.single("muster_queue_depth", "gauge", "Observations waiting now.", coordinator.waitingObservations)
        text += deliveriesText
        text += Self.header("muster_events_total", "counter", "Things worth a look.")
        for (name, count) in events.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
            text += "muster_events_total{event=\"\(name)\"} \(count)\n"
        }
        for source in sources.withLock({ $0 }) { text += source().map(\.text).joined() }
        return text + requests
    }

    private var deliveriesText: String {
        let record = deliveries.withLock { $0 }
        var text = Self.header("muster_delivery_attempts_total", "counter", "Attempts at targets, by outcome.")
        for (outcome, count) in [("delivered", record.delivered), ("failed", record.failed)] {
            text += "muster_delivery_attempts_total{outcome=\"\(outcome)\"} \(count)\n"
        }
        let pending = record.waiting.values.reduce(0) { $0 + $1.pending }
        let failing = record.waiting.values.count { $0.isProbing }
        text += Self.single(
            "muster_deliveries_given_up_total", "counter", "Dead letters made.", record.givenUp + record.refused)
        text += Self.single("muster_deliveries_pending", "gauge", "Deliveries waiting or under way.", pending)
        text += Self.single("muster_deliveries_under_way", "gauge", "Attempts under way.", record.underWay)
        return text
            + Self.single(
                "muster_targets_failing", "gauge", "Failing targets: the server sends one delivery at a time.", failing)
    }

    private var requests: String {
        let routes = routes.withLock { $0 }.sorted {
            ($0.key.path, $0.key.method.rawValue) < ($1.key.path, $1.key.method.rawValue)
        }
        var counts = Self.header("muster_requests_total", "counter", "Answers, by route and kind of status.")
        var latencies = Self.header("muster_request_seconds", "histogram", "Time to the answer's head, by route.")
        for (key, count) in routes {
            let labels = "method=\"\(key.method.rawValue)\",route=\"\(key.path)\""
            for (status, number) in count.statuses.sorted(by: { $0.key < $1.key }) {
                counts += "muster_requests_total{\(labels),status=\"\(status)xx\"} \(number)\n"
            }
            var total = 0
            for (bound, number) in zip(Self.boundsSeconds.map { "\($0)" } + ["+Inf"], count.buckets) {
                total += number
                latencies += "muster_request_seconds_bucket{\(labels),le=\"\(bound)\"} \(total)\n"
            }
            latencies += "muster_request_seconds_sum{\(labels)} \(count.seconds)\n"
            latencies += "muster_request_seconds_count{\(labels)} \(total)\n"
        }
        return counts + latencies
    }

    package static func header(_ name: String, _ type: String, _ help: String) -> String {
        "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
    }

    static func single(_ name: String, _ type: String, _ help: String, _ value: Int) -> String {
        header(name, type, help) + "\(name) \(value)\n"
    }
}
