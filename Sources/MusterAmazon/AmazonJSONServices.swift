import HTTPTypes
import Hummingbird
package import MusterServer
package import NIOCore

/// An AWS service of the json-1.1 protocol: `POST /`, with the operation in `X-Amz-Target`.
package protocol AmazonJSONService: Sendable {
    /// The part before the dot in `X-Amz-Target`, such as `AWSEvents`.
    var targetPrefix: String { get }
    /// The service's name in the scope of signatures, such as `events`.
    var signingName: String { get }

    /// Carries out an operation.
    ///
    /// - Parameters:
    ///   - operation: the part after the dot, such as `PutRule`.
    ///   - body: JSON text, not yet parsed.
    /// - Returns: the answer as JSON text.
    /// - Throws: `AmazonError`, or an error that can be turned into one.
    func respond(to operation: String, _ body: ByteBuffer, by principal: Principal) async throws -> [UInt8]
}

extension AmazonError {
    /// The service has no such operation.
    package static func unknownOperation(_ name: String) -> AmazonError {
        AmazonError(400, "UnknownOperationException", "There is no operation \(name) here.")
    }
}

/// Passes a request to `POST /` on to the service that its `X-Amz-Target` names.
struct AmazonJSONServices: Sendable {
    let keys: AmazonKeys
    let services: [any AmazonJSONService]

    private static let contentType = "application/x-amz-json-1.1"

    /// Adds `POST /` and `POST /aws`.
    func register(in routes: inout RouteTable) {
        let wireProtocol = AmazonProtocol(keys: keys, contentType: Self.contentType) { request in
            service(of: request)?.0.signingName
        }
        for path in ["/", "/aws"] {
            routes.add(
                Route(
                    .post, path, admits: .roles(Route.Admission.everyRole, devices: false), over: wireProtocol,
                    .init(
                        "AWS", "An operation of AWS's json-1.1 services, which `X-Amz-Target` names.",
                        body: [Self.contentType: "Object"],
                        answers: [
                            .init(200, "The response of the operation.", body: [Self.contentType: "Object"]),
                            .init(400, "The request is invalid.", body: [Self.contentType: "AmazonError"]),
                            .init(403, "The caller may not do this.", body: [Self.contentType: "AmazonError"]),
                        ])
                ) { request, context in wireProtocol.response(try await respond(request, context)) })
        }
    }

    private func respond(_ request: Request, _ context: AppRequestContext) async throws -> [UInt8] {
        guard let principal = context.principal else { throw SignatureError.missing }
        guard let (service, operation) = service(of: request) else {
            throw AmazonError.unknownOperation(request.headers[.amazonTarget] ?? "")
        }
        let body = try await request.body.collect(upTo: AmazonProtocol.bodyLimit)
        return try await service.respond(to: operation, body, by: principal)
    }

    /// The service and the operation that a request names; nil for an unknown service.
    private func service(of request: Request) -> (any AmazonJSONService, operation: String)? {
        let target = (request.headers[.amazonTarget] ?? "").split(separator: ".", maxSplits: 1)
        guard target.count == 2, let service = services.first(where: { $0.targetPrefix == target[0] }) else {
            return nil
        }
        return (service, String(target[1]))
    }
}
