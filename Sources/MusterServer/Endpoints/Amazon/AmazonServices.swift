import HTTPTypes
import Hummingbird
package import NIOCore

/// One of AWS's services that speak json-1.1: `POST /`, the operation in `X-Amz-Target`.
package protocol AmazonJSONService: Sendable {
    /// What stands before the dot in `X-Amz-Target`: `AWSEvents`.
    var targetPrefix: String { get }
    /// The service in the scope of its signatures: `events`.
    var signingName: String { get }

    /// Carries an operation out.
    ///
    /// - Parameters:
    ///   - operation: what stands behind the dot: `PutRule`.
    ///   - body: a text of JSON, not looked at so far.
    /// - Returns: the answer, a text of JSON.
    /// - Throws: `AmazonError`, or what one can be made of.
    func respond(to operation: String, _ body: ByteBuffer, by principal: Principal) async throws -> [UInt8]
}

extension AmazonError {
    /// There is no such operation.
    package static func unknownOperation(_ name: String) -> AmazonError {
        AmazonError(400, "UnknownOperationException", "There is no operation \(name) here.")
    }
}

/// Hands a request to `POST /` to the service that its `X-Amz-Target` names.
struct AmazonServices: Sendable {
    let authorizer: AmazonAuthorizer
    let services: [any AmazonJSONService]

    private static let contentType = "application/x-amz-json-1.1"

    /// Adds `POST /`, and the same below `/aws`.
    func register(in routes: inout RouteTable) {
        for path in ["/", "/aws"] {
            routes.add(
                Route(
                    .post, path, admits: .provenByHandler(Route.Admission.everyRole),
                    .init(
                        "AWS", "An operation of AWS's json-1.1 services; `X-Amz-Target` says which.",
                        body: [Self.contentType: "Object"],
                        answers: [
                            .init(200, "Done.", body: [Self.contentType: "Object"]),
                            .init(400, "Not this.", body: [Self.contentType: "AmazonError"]),
                            .init(403, "Not by you.", body: [Self.contentType: "AmazonError"]),
                        ]), handler: respond))
        }
    }

    private func respond(to request: Request, _ context: AppRequestContext) async -> Response {
        let target = (request.headers[.amazonTarget] ?? "").split(separator: ".", maxSplits: 1)
        let service = target.count == 2 ? services.first { $0.targetPrefix == target[0] } : nil
        return await authorizer.respond(
            to: request, context, service: service?.signingName, contentType: Self.contentType
        ) { principal, body in
            guard let service else { throw AmazonError.unknownOperation(target.joined(separator: ".")) }
            return try await service.respond(to: String(target[1]), body, by: principal)
        }
    }
}
