import HTTPTypes
package import MusterCore
package import MusterServer
import MusterWire

/// The operation that a client chooses by the topic that it publishes to, in Meshblu's MQTT API.
///
/// Source: `lib/mqttServer.js` of https://github.com/octoblu/meshblu and https://github.com/octoblu/node-meshblu-mqtt
package enum MeshbluOperation: String, Hashable, Sendable, CaseIterable {
    /// Sends a message to devices.
    case message
    /// Fires a signal of the client's own device, or of the device with the `uuid`.
    case data
    /// Sets properties of the client's own device, or of the device with the `uuid`.
    case update
    /// Asks for the client's own device.
    case whoami
    /// Replaces all tokens of a device by a new one.
    case resetToken
    /// Makes another token of a device.
    case generateAndStoreToken
    /// Asks for the public key of a device.
    case getPublicKey

    /// Whether the operation only supplies an observation to store, and so has no answer unless it is refused.
    package var isObservation: Bool { self == .message || self == .data }
}

/// The result of an operation.
package enum MeshbluResult: Sendable {
    /// The observation to store; the client gets no answer.
    case observed(Observation, of: DeviceNumber)
    /// The message that tells the client that the operation was carried out or refused.
    case answered(MeshbluTopicMessage)
}

/// A message to clients of Meshblu: `{"topic":…,"data":…,"_request":…}`, published to the topic that is a UUID.
package struct MeshbluTopicMessage: Hashable, Sendable {
    package var topic: String
    package var payload: [UInt8]
    /// Until when the message may be sent; nil for no limit.
    package var expiresAt: Instant?
}

extension MeshbluIntake {
    /// Carries out an operation that a client published.
    ///
    /// - Throws: `JSONError` for a payload that is not JSON; `IdentityError`, `CoordinatorError` and `StoreError` when
    ///   the server cannot answer now. An operation that the client may not perform has an answer that refuses it.
    package func performOperation(
        _ operation: MeshbluOperation, _ payload: [UInt8], by principal: Principal
    ) async throws -> MeshbluResult {
        var parameters = try MeshbluParameters(query: "", body: payload, mediaType: nil)
        let access = Access(principal, in: coordinator.directory)
        let request = Request(parameters, of: ownUUID(of: principal))
        // `callbackId` only relates the answer to the request, so it is neither data nor a property.
        let key = parameters.removeMember("callbackId")?.string
        do {
            switch operation {
            case .message:
                let observation = try message(parameters, by: access, key: key).observation
                guard let sender = principal.device else { throw MeshbluRefusal.noDevice }
                return .observed(observation, of: sender)
            case .data:
                let device = try named(parameters, access)
                return .observed(try data(parameters, of: device, by: access, key: key), of: device.number)
            case .update:
                _ = try await change(try named(parameters, access), parameters, by: access)
                return .answered(
                    request.answerMessage("update") { writer in
                        writer.beginObject()
                        writer.endObject()
                    })
            case .whoami:
                let device = try named(MeshbluParameters(), access)
                let properties = try await properties(of: device.number)
                return .answered(request.answerMessage("whoami") { $0.value(device, properties, uuids, token: nil) })
            case .resetToken: return try await answerWithToken(parameters, isOnly: true, "token", request, access)
            case .generateAndStoreToken:
                return try await answerWithToken(parameters, isOnly: false, "generateAndStoreToken", request, access)
            case .getPublicKey: throw MeshbluRefusal(.notFound, "No device of this server has a public key.")
            }
        } catch let refusal as MeshbluRefusal {
            return .answered(request.refusal(refusal.words))
        } catch let fault as MeshbluPropertiesError {
            return .answered(request.refusal("\(fault)"))
        } catch IdentityError.tooMany(_, let limit) {
            return .answered(request.refusal("The device has \(limit) tokens already."))
        }
    }

    /// The topic on which a client receives answers: the UUID of its device, or else of its user.
    private func ownUUID(of principal: Principal) -> String {
        principal.device.map { uuids.uuid(of: $0) } ?? uuids.uuid(of: principal.user)
    }

    /// The device with the `uuid` among the parameters; the client's own device when there is none.
    private func named(_ parameters: MeshbluParameters, _ access: Access) throws(MeshbluRefusal) -> Device {
        if let uuid = parameters["uuid"] { return try ownDevice(uuid.string ?? "", of: access) }
        guard let own = access.principal.device.flatMap({ access.directory.devices[$0] }) else {
            throw MeshbluRefusal(.unprocessableContent, "Name a device by its uuid.")
        }
        return own
    }

    private func answerWithToken(
        _ parameters: MeshbluParameters, isOnly: Bool, _ topic: String, _ request: Request, _ access: Access
    ) async throws -> MeshbluResult {
        let device = try named(parameters, access)
        let token = try await makeToken(of: device, isOnly: isOnly, by: access)
        return .answered(
            request.answerMessage(topic) { writer in
                writer.beginObject()
                writer.member("uuid", uuids.uuid(of: device.number))
                writer.member("token", token)
                if let tag = parameters["tag"] {
                    writer.key("tag")
                    writer.value(tag)
                }
                writer.endObject()
            })
    }

    /// A client's request, which its answer repeats.
    private struct Request {
        private let parameters: MeshbluParameters
        private let uuid: String

        /// - Parameter uuid: the client's own UUID, the topic of the answer.
        init(_ parameters: MeshbluParameters, of uuid: String) {
            self.parameters = parameters
            self.uuid = uuid
        }

        func answerMessage(_ topic: String, _ data: (inout JSONWriter) -> Void) -> MeshbluTopicMessage {
            let payload = JSONWriter.object { writer in
                writer.member("topic", topic)
                writer.key("data")
                data(&writer)
                writer.key("_request")
                writer.beginObject()
                for member in parameters.members where member.key != "token" && member.key != "fromUuid" {
                    writer.key(member.key)
                    writer.value(member.value)
                }
                writer.member("fromUuid", uuid)
                writer.endObject()
            }
            return MeshbluTopicMessage(topic: uuid, payload: payload)
        }

        func refusal(_ words: String) -> MeshbluTopicMessage {
            answerMessage("error") { writer in
                writer.beginObject()
                writer.member("message", words)
                writer.endObject()
            }
        }
    }
}
