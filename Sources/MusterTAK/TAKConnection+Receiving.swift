import MusterCore
import MusterServer
import MusterWire
import NIOCore

/// Handles what a client sends.
extension TAKConnection {
    /// Handles events in order, also when the connection has closed meanwhile: the client has sent them. Calls for help
    /// come before positions, so that nothing holds them up.
    func handle(_ events: [CoTEvent]) async throws {
        let principal = try await verifyWithRetry().device
        var positions: [CoTEvent] = []
        for event in events {
            if event.endsCall {
                _ = try await intake.end(event, by: principal)
            } else if event.isCall {
                try await intake.call(event, by: principal)
            } else if event.type == CoTEvent.ping {
                // A client that does not read gets no answers that would pile up.
                if channel.isWritable { send(picture.pong(at: parts.configuration.now())) }
            } else if event.type == CoTEvent.versionRequest {
                answer(requestOf: event.detail.requestedVersion)
            } else if isOwn(event) {
                positions.append(event)
            } else {
                parts.metrics.count(event: "tak_left_out")
            }
        }
        try await intake.store(positions, by: principal)
    }

    /// Whether an event reports where this client is. The certificate says whose position it is; the UID only tells
    /// the client's own reports from those about others, such as aircraft that a receiver passes on.
    private func isOwn(_ event: CoTEvent) -> Bool {
        guard event.isReport else { return false }
        if ownUID == nil { ownUID = event.uid }
        if ownUID != event.uid { parts.metrics.count(event: "tak_of_another") }
        return ownUID == event.uid
    }
}
