import MusterCore
import MusterHTTP
import MusterServer
import MusterWire

/// Bounds the memory that a connection holds of what has not arrived whole.
extension MQTTConnection {
    /// Limits and counts the bytes of a WebSocket frame that has not arrived whole. Until a CONNECT has arrived, a
    /// frame may be as large as a CONNECT.
    func countIncompleteFrame(bytes: Int) {
        guard phase != .closed, fault == nil else { return }
        incompleteFrameBytes = bytes
        do throws(MQTTError) {
            let isConnectMissing = phase == .awaitingConnect && inbox.isEmpty
            let limit =
                (isConnectMissing ? MQTTLimits.connectBytes : MQTTLimits.packetBytes) + MQTTLimits.frameHeaderBytes
            guard bytes <= limit else {
                throw MQTTError(.packetTooLarge, "a WebSocket frame of more than \(limit) bytes")
            }
            try holdMemory()
        } catch {
            fault = error
        }
        handleInbox()
    }

    /// Counts a client's unparsed bytes against the memory for bodies, and those of a connection that has not signed in
    /// against a smaller budget, so that many strangers cannot keep clients from sending.
    func holdMemory() throws(MQTTError) {
        let bytes = reader.waitingBytes + incompleteFrameBytes
        if isStranger {
            let counted = max(0, bytes - MQTTLimits.freeBytesOfStranger)
            guard sessions.changeStrangerBytes(from: address, by: counted - strangerBytes) else {
                parts.metrics.count(event: "mqtt_stranger_memory")
                throw MQTTError(.quotaExceeded, "too much is incomplete of connections that have not signed in")
            }
            strangerBytes = counted
            return
        }
        guard bytes > MQTTLimits.freeBytes else {
            guard hold.bytes > 0 else { return }
            parts.connections.bodies.release(hold)
            hold = BodyBudget.Hold(from: address)
            return
        }
        guard bytes > hold.bytes else { return }
        do throws(BodyBudget.Refusal) {
            try parts.connections.bodies.countBytes(bytes - hold.bytes, for: &hold, of: principal?.user.rawValue)
        } catch {
            throw MQTTError(.quotaExceeded, error.words)
        }
    }

    /// Removes this connection from the count of those that have not signed in.
    func leaveStrangers() {
        guard isStranger else { return }
        isStranger = false
        sessions.strangers.remove(from: address)
        _ = sessions.changeStrangerBytes(from: address, by: -strangerBytes)
        strangerBytes = 0
    }
}
