/// Recognizes messages that this host sent itself and that the system delivers back to it.
///
/// Another program on this host may send an equal question, which is no echo. So no more copies of a question count as
/// echoes than this host has sent.
struct EchoFilter: Sendable {
    private struct Sent {
        var payload: [UInt8]
        var copies: Int
        var time: Duration
    }

    /// The largest number of messages that are remembered, and the time for which they are.
    private static let limit = 128
    private static let lifetime = Duration.seconds(2)

    private var sent: [Sent] = []

    /// Remembers a message that this host sent.
    ///
    /// - Parameter copies: the number of sockets on which it was sent.
    mutating func recordSent(_ payload: [UInt8], copies: Int, at now: Duration) {
        sent.removeAll { now - $0.time > Self.lifetime }
        if sent.count >= Self.limit { sent.removeFirst() }
        sent.append(Sent(payload: payload, copies: copies, time: now))
    }

    /// Whether a message that came from an address of this host is one that it sent.
    mutating func isEcho(_ payload: [UInt8], at now: Duration) -> Bool {
        guard
            let index = sent.firstIndex(where: {
                $0.copies > 0 && now - $0.time <= Self.lifetime && $0.payload == payload
            })
        else { return false }
        // An answer means the same from every sender, and it may return through several interfaces. So its copies are
        // not counted.
        if payload.count > 2, payload[2] & 0x80 == 0 { sent[index].copies -= 1 }
        return true
    }
}
