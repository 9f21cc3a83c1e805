import MusterHTTP
import Synchronization

/// Counts the messages received and sent since the server started.
final class MQTTTraffic: Sendable {
    private let received = Atomic<Int>(0)
    private let sent = Atomic<Int>(0)

    func countReceived(_ count: Int) { received.add(count, ordering: .relaxed) }
    func countSent(_ count: Int) { sent.add(count, ordering: .relaxed) }

    var families: [MetricFamily] {
        [
            MetricFamily(
                "muster_mqtt_messages_total", .counter, "MQTT messages, by direction.", by: "direction",
                [
                    ("in", Double(received.load(ordering: .relaxed))),
                    ("out", Double(sent.load(ordering: .relaxed))),
                ])
        ]
    }
}
