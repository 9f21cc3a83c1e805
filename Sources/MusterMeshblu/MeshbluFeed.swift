import Hummingbird
import MusterCore
import MusterServer
import MusterWire
import NIOCore
import Synchronization

/// A live feed of the signals and data of one owner's devices: a JSON object a line.
final class MeshbluFeed: FeedContent {
    private let server: ServerParts
    private let uuids: MeshbluUUIDs
    /// Verified again before each batch and heartbeat, so that the feed ends when the token does.
    private let proof: any RequestProof
    /// The only device to listen to; nil for all of the owner's.
    private let source: DeviceNumber?
    /// The last change that was sent or passed over.
    private let cursor: Mutex<LogSequence>
    let beatSeconds: Double?

    var topic: LogFeeds.Topic { .changes }
    var timeoutSeconds: Double? { nil }

    /// Makes the feed of the signals that are stored from now on.
    init(_ server: ServerParts, uuids: MeshbluUUIDs, proof: any RequestProof, source: DeviceNumber?) {
        self.server = server
        self.uuids = uuids
        self.proof = proof
        self.source = source
        cursor = Mutex(server.coordinator.lastSequence)
        beatSeconds = server.configuration.heartbeatSeconds
    }

    func begin(_ writer: inout any ResponseBodyWriter) async throws -> Bool { try await sendSignals(&writer) }

    func send(_ reasons: LogFeed.WakeReasons, _ writer: inout any ResponseBodyWriter) async throws -> Bool {
        if reasons.isTouched, try await !sendSignals(&writer) { return false }
        if reasons.isBeat {
            _ = try await proof.verify(by: server.identity, atOpening: false)
            // The heartbeat keeps proxies from closing an idle connection, and a failed write shows that the reader is
            // gone.
            try await writer.write(ByteBuffer(bytes: [UInt8(ascii: "\n")]))
        }
        return true
    }

    func end(_ writer: inout any ResponseBodyWriter) {}

    /// - Returns: whether the feed continues; false when the log cannot be read. The client then subscribes again.
    private func sendSignals(_ writer: inout any ResponseBodyWriter) async throws -> Bool {
        while true {
            guard let events = try? await server.feeds.recent.events(since: cursor.withLock { $0 }) else {
                return false
            }
            guard let last = events.last else { return true }
            let principal = try await proof.verify(by: server.identity, atOpening: false)
            var lines = JSONWriter()
            var bytes: [UInt8] = []
            for event in events {
                guard case .signal(let signal, let device) = event.change, isFor(principal, signal, of: device) else {
                    continue
                }
                lines = JSONWriter()
                lines.line(signal, from: uuids.uuid(of: device))
                bytes += lines.bytes + [UInt8(ascii: "\n")]
            }
            if !bytes.isEmpty { try await writer.write(ByteBuffer(bytes: bytes)) }
            cursor.withLock { $0 = last.sequence }
        }
    }

    /// Whether the feed carries a signal, whose device must belong to the reader's user. A feed of one source carries
    /// what that device fires, and the messages addressed to it. Any other feed of a user carries everything. That of a
    /// device's token carries data, messages to all, and the messages addressed to the device.
    private func isFor(_ principal: Principal, _ signal: Signal, of device: DeviceNumber) -> Bool {
        guard server.coordinator.directory.devices[device]?.user == principal.user else { return false }
        let addressees = MeshbluMessage(signal)?.devices ?? ["*"]
        if let source {
            return device == source || addressees.contains(uuids.uuid(of: source))
        }
        guard let reader = principal.device, !addressees.contains("*") else { return true }
        return addressees.contains(uuids.uuid(of: reader))
    }
}

extension JSONWriter {
    /// Writes a signal as a message.
    fileprivate mutating func line(_ signal: Signal, from uuid: String) {
        beginObject()
        if let message = MeshbluMessage(signal) {
            members(of: message)
        } else {
            member("devices", listing: ["*"]) { $0.value($1) }
            key("payload")
            beginObject()
            members(ofData: signal.values)
            member("timestamp", signal.sampleTime)
            endObject()
        }
        member("fromUuid", uuid)
        endObject()
    }
}
