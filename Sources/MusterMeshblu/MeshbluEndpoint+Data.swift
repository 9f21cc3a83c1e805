import HTTPTypes
import Hummingbird
import MusterCoding
import MusterCore
import MusterServer
import MusterStore
import MusterWire

/// What devices fire and send.
extension MeshbluEndpoint {
    private static let dataName = "data"
    private static let defaultLimit: Int64 = 10

    func storeData(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let parameters = try await parameters(request)
        let (device, access) = try ownDevice(context)
        guard access.mayReport(for: device) else {
            throw MeshbluRefusal(.unauthorized, "A device's token fires for that device alone.")
        }
        let values = parameters.signalValues
        if let fault = SignalValues.fault(of: values) {
            throw MeshbluRefusal(.unprocessableContent, "The data \(fault).")
        }
        let now = server.configuration.now()
        let sampleTime = try parameters["timestamp"].map { value in
            guard let instant = MeshbluParameters.instant(value) else {
                throw MeshbluRefusal(.unprocessableContent, "timestamp is no time.")
            }
            return instant
        }
        let window = SignalIntake.Window(now: now, retentionDays: server.configuration.retentionDays)
        if let fault = sampleTime.flatMap({ window.fault(of: $0) }) {
            throw MeshbluRefusal(.unprocessableContent, "timestamp \(fault).")
        }
        let signal = Signal(
            id: try Self.id(of: request, named: Self.dataName), name: Self.dataName, sampleTime: sampleTime ?? now,
            receivedTime: now, values: values)
        try await ingest(signal, of: device, by: access)
        return Response(status: .created)
    }

    /// The signal's id: what the client gives as `Idempotency-Key`, or else a new one.
    ///
    /// - Parameter name: the signal's name. The same key is one thing for data, and another for messages and for
    ///   signals of the native API; so the id begins with the name. Of a key that is too long then it has a digest.
    private static func id(of request: Request, named name: String) throws -> String {
        guard let field = HTTPField.Name("Idempotency-Key"), let key = request.headers[field] else {
            return SignalIntake.makeID()
        }
        guard Signal.isValid(word: key) else {
            throw MeshbluRefusal(
                .unprocessableContent, "Idempotency-Key must be 1 to 64 letters, digits and any of . _ -")
        }
        let id = "\(name).\(key)"
        return Signal.isValid(word: id) ? id : "\(name).\(TokenDigest(of: key).bytes.hexadecimal.prefix(48))"
    }

    private func ingest(_ signal: Signal, of device: Device, by access: Access) async throws {
        let observation = SignalIntake.observation(of: signal, of: device.number, by: access)
        _ = try await coordinator.ingest([observation], by: access.principal)
    }

    func listData(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let device = try ownDevice(context).device.number
        var query = Query(request)
        let limit = Int(query.integer("limit", in: 1...1_000) ?? Self.defaultLimit)
        let (from, to) = (try Self.moment("start", in: query), try Self.moment("finish", in: query))
        guard query.faults.isEmpty else { throw MeshbluRefusal(.unprocessableContent, "limit must be 1 to 1000.") }
        let found = try await coordinator.read { store in
            try store.signals(
                of: device, from: from ?? Instant(milliseconds: .min), to: to ?? Instant(milliseconds: .max),
                before: nil, limit: limit)
        }
        let uuid = uuids.uuid(of: device)
        return .json { writer in
            writer.beginObject()
            writer.member("data", listing: found) { writer, kept in
                writer.beginObject()
                writer.member("uuid", uuid)
                writer.member("timestamp", kept.signal.sampleTime)
                writer.members(ofData: kept.signal.values)
                writer.endObject()
            }
            writer.endObject()
        }
    }

    private static func moment(_ name: String, in query: Query) throws -> Instant? {
        guard let text = query.text(name) else { return nil }
        guard let instant = MeshbluParameters.instant(.string(text)) else {
            throw MeshbluRefusal(.unprocessableContent, "\(name) is no time.")
        }
        return instant
    }

    func sendMessage(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let parameters = try await parameters(request)
        let access = try context.access(in: coordinator.directory)
        guard let number = access.principal.device, let device = access.directory.devices[number] else {
            throw MeshbluRefusal(.unauthorized, "A message needs a sender: use a device's UUID and token.")
        }
        guard let message = MeshbluMessage(parameters) else {
            throw MeshbluRefusal(.unprocessableContent, "Invalid Message Format")
        }
        if let fault = SignalValues.fault(of: message.values) {
            throw MeshbluRefusal(.unprocessableContent, "The message \(fault).")
        }
        let now = server.configuration.now()
        let signal = Signal(
            id: try Self.id(of: request, named: MeshbluMessage.signalName), name: MeshbluMessage.signalName,
            sampleTime: now, receivedTime: now,
            values: message.values)
        try await ingest(signal, of: device, by: access)
        return .json { writer in
            writer.beginObject()
            writer.members(of: message)
            writer.endObject()
        }
    }
}

extension JSONWriter {
    /// Writes what a signal carries, without the members that the endpoint itself writes.
    mutating func members(ofData values: [Signal.Value]) {
        for value in values where value.key != "uuid" && value.key != "timestamp" {
            key(value.key)
            self.value(value.text)
        }
    }
}
