import HTTPTypes
import Hummingbird
import MusterCoding
package import MusterServer
import MusterWire

/// Authenticates requests to Meshblu's API: by a UUID and a token in a pair of header fields, or else by
/// `Authorization`. Where a request has several pairs, the first in the order of `pairs` counts.
struct MeshbluProtocol: RouteProtocol {
    let uuids: MeshbluUUIDs

    /// The pairs of header fields, in the order in which they are looked for.
    private static let pairs: [(uuid: HTTPField.Name, token: HTTPField.Name)] = [
        ("X-Meshblu-UUID", "X-Meshblu-Token"), ("meshblu_auth_uuid", "meshblu_auth_token"),
        ("skynet_auth_uuid", "skynet_auth_token"),
    ].compactMap { uuid, token in
        HTTPField.Name(uuid).flatMap { uuid in HTTPField.Name(token).map { (uuid, $0) } }
    }

    var proofFields: [HTTPField.Name] { Self.pairs.flatMap { [$0.uuid, $0.token] } }

    func proof(in request: inout Request, _ context: AppRequestContext) -> (any RequestProof)? {
        for pair in Self.pairs {
            let (name, token) = (request.headers[pair.uuid], request.headers[pair.token])
            if name == nil && token == nil { continue }
            return MeshbluProof(
                name: name ?? "", token: token ?? "", address: context.remoteAddress, uuids: uuids)
        }
        guard let authorization = request.headers[.authorization] else { return nil }
        let value = authorization.split(separator: " ", maxSplits: 1).last ?? ""
        if let bytes = Base64.decodeUnpadded(String(value), .standard),
            let text = String(validating: bytes, as: UTF8.self), let colon = text.firstIndex(of: ":")
        {
            return MeshbluProof(
                name: String(text[..<colon]), token: String(text[text.index(after: colon)...]),
                address: context.remoteAddress, uuids: uuids)
        }
        return HeaderProof(authorization, from: context.remoteAddress)
    }

    func response(to error: any Error, _ context: AppRequestContext) -> Response? {
        switch error {
        case IdentityError.missing, IdentityError.refused:
            Self.refusal(.unauthorized, "A UUID and its token are needed, or they are wrong.")
        case is RoleRefusal: Self.refusal(.unauthorized, "A device's token may not do this.")
        case let refusal as MeshbluRefusal: Self.refusal(refusal.status, refusal.words)
        case let fault as MeshbluPropertiesError: Self.refusal(.unprocessableContent, "\(fault)")
        case is JSONError: Self.refusal(.unprocessableContent, "The body is neither JSON nor a form.")
        default: nil
        }
    }

    static func refusal(_ status: HTTPResponse.Status, _ words: String) -> Response {
        .json(status) { writer in
            writer.beginObject()
            if status == .notFound {
                writer.member("message", words)
                writer.member("code", status.code)
            } else {
                writer.member("error", words)
            }
            writer.endObject()
        }
    }
}

/// A request that Meshblu's endpoint refuses, in its own form.
struct MeshbluRefusal: Error {
    let status: HTTPResponse.Status
    let words: String

    init(_ status: HTTPResponse.Status, _ words: String) {
        self.status = status
        self.words = words
    }

    /// The answer is the same for a device that does not exist and for one of somebody else.
    static let noDevice = MeshbluRefusal(.notFound, "Devices not found")
}

/// A UUID and a token, or a user's name and an API key or password.
package struct MeshbluProof: RequestProof {
    let name: String
    let token: String
    let address: String
    let uuids: MeshbluUUIDs

    init(name: String, token: String, address: String, uuids: MeshbluUUIDs) {
        self.name = name
        self.token = token
        self.address = address
        self.uuids = uuids
    }

    /// Makes the proof of an MQTT client that signs in with a UUID; nil for any other user name.
    package init?(userName: String, password: String, from address: String, to storeID: String) {
        guard MeshbluUUIDs.isUUID(userName) else { return nil }
        self.init(name: userName, token: password, address: address, uuids: MeshbluUUIDs(storeID: storeID))
    }

    /// Whether the token is a random secret, which the server verifies without a name: a device's token or an API key.
    var isToken: Bool {
        token.hasPrefix(SecretToken.Kind.device.rawValue) || token.hasPrefix(SecretToken.Kind.apiKey.rawValue)
    }

    package func verify(by identity: Identity, atOpening isOpening: Bool) async throws -> Principal {
        let basic = Base64.encode(Array("\(name):\(token)".utf8))
        let principal = try await identity.authenticate(
            isToken ? "Bearer \(token)" : "Basic \(basic)", from: address)
        guard uuids.isName(name, of: principal) else { throw IdentityError.refused }
        return principal
    }
}
