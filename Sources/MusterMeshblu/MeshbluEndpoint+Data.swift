import HTTPTypes
import Hummingbird
import MusterCore
import MusterServer
import MusterStore
import MusterWire

/// Routes for the signals and data of devices.
extension MeshbluEndpoint {
    private static let defaultLimit: Int64 = 10

    func storeData(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let parameters = try await parameters(request)
        let (device, access) = try ownDevice(context)
        let observation = try intake.data(parameters, of: device, by: access, key: try Self.key(in: request))
        _ = try await coordinator.ingest([observation], by: access.principal)
        return Response(status: .created)
    }

    /// The request's `Idempotency-Key`; nil when it has none.
    private static func key(in request: Request) throws(MeshbluRefusal) -> String? {
        guard let field = HTTPField.Name("Idempotency-Key"), let key = request.headers[field] else { return nil }
        guard Signal.isValid(word: key) else {
            throw MeshbluRefusal(
                .unprocessableContent, "Idempotency-Key must be 1 to 64 letters, digits and any of . _ -")
        }
        return key
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
            throw MeshbluRefusal(.unprocessableContent, noTime(name))
        }
        return instant
    }

    /// The refusal of a value that is not a time.
    static func noTime(_ name: String) -> String {
        "\(name) is not a time: use RFC 3339 or milliseconds since 1970."
    }

    func sendMessage(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let parameters = try await parameters(request)
        let access = try context.access(in: coordinator.directory)
        let (message, observation) = try intake.message(parameters, by: access, key: try Self.key(in: request))
        _ = try await coordinator.ingest([observation], by: access.principal)
        return .json { writer in
            writer.beginObject()
            writer.members(of: message)
            writer.endObject()
        }
    }
}

extension JSONWriter {
    /// Writes the values of a signal, without `uuid` and `timestamp`, which the endpoint itself writes, and without
    /// what is about its message.
    mutating func members(ofData values: [Signal.Value]) {
        for value in values where !["uuid", "timestamp", MessageExpiry.member].contains(value.key) {
            key(value.key)
            self.value(value.text)
        }
    }
}
