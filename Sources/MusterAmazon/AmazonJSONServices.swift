import HTTPTypes
import Hummingbird
import MusterHTTP
package import MusterServer
import MusterWire
package import NIOCore

/// An AWS service of the json-1.1 protocol: `POST /`, with the operation in `X-Amz-Target`.
package protocol AmazonJSONService: Sendable {
    /// The part before the dot in `X-Amz-Target`, such as `AWSEvents`.
    var targetPrefix: String { get }
    /// The service's name in the scope of signatures, such as `events`.
    var signingName: String { get }
    /// The operations that clients do not sign. Each authenticates the caller by its own members, or is open to anyone.
    var unsignedOperations: Set<String> { get }

    /// Carries out an operation.
    ///
    /// - Returns: the answer as JSON text.
    /// - Throws: `AmazonError`, or an error that can be turned into one.
    func respond(to call: AmazonJSONCall) async throws -> [UInt8]

    /// Returns the service's own form of an error; nil where the service has none.
    func error(mapping error: any Error, in call: AmazonJSONCall) -> AmazonError?
}

extension AmazonJSONService {
    package var unsignedOperations: Set<String> { [] }

    package func error(mapping error: any Error, in call: AmazonJSONCall) -> AmazonError? { nil }
}

/// A call of an operation of a json-1.1 service.
package struct AmazonJSONCall: Sendable {
    /// The part after the dot, such as `PutRule`.
    package let operation: String
    /// JSON text, not yet parsed.
    package let body: ByteBuffer
    /// The address of the service as the client calls it, such as `https://muster.example`.
    package let serverAddress: String
    package let context: AppRequestContext
    /// The principal that signed the request; nil for an operation that clients do not sign.
    private let signer: Principal?

    init(
        operation: String, body: ByteBuffer, serverAddress: String, context: AppRequestContext, signer: Principal?
    ) {
        self.operation = operation
        self.body = body
        self.serverAddress = serverAddress
        self.context = context
        self.signer = signer
    }

    /// The principal that signed the request.
    ///
    /// - Throws: `SignatureError.missing` for an operation that clients do not sign.
    package var principal: Principal {
        get throws(SignatureError) {
            guard let signer else { throw .missing }
            return signer
        }
    }

    /// Parses the body.
    ///
    /// - Throws: `AmazonError` with everything that the API model does not allow.
    func read<Value>(_ read: (AmazonMembers, inout AmazonFaults) throws -> Value) throws -> Value {
        try body.readAmazonMembers(read)
    }
}

extension ByteBuffer {
    /// Parses a body against the API model.
    ///
    /// - Throws: `AmazonError` with everything that the model does not allow.
    func readAmazonMembers<Value>(_ read: (AmazonMembers, inout AmazonFaults) throws -> Value) throws -> Value {
        var faults = AmazonFaults()
        do {
            let members = try withUnsafeReadableBytes { try AmazonMembers(parsing: $0, noting: &faults) }
            let value = try read(members, &faults)
            try faults.finish()
            return value
        } catch let faults as AmazonFaults {
            throw AmazonError(mapping: faults)
        }
    }
}

extension AmazonError {
    /// Returns the error for an operation that the service does not have.
    package static func unknownOperation(_ name: String) -> AmazonError {
        AmazonError(400, "UnknownOperationException", "There is no operation \(name) here.")
    }
}

/// Passes a request to `POST /` on to the service that its `X-Amz-Target` names.
struct AmazonJSONServices: Sendable {
    let keys: AmazonKeys
    let services: [any AmazonJSONService]
    let configuration: Configuration

    private static let contentType = "application/x-amz-json-1.1"
    /// The largest body of an operation that anyone may call, in bytes: a few tokens and a password.
    private static let unsignedBodyLimit = 32 << 10

    /// Adds `POST /` and `POST /aws`.
    func register(in routes: inout RouteTable) {
        let wireProtocol = AmazonProtocol(
            keys: keys, contentType: Self.contentType, isUnsigned: { self.isUnsigned($0) },
            service: { self.service(of: $0)?.0.signingName })
        for prefix in ["", "/aws"] {
            // The protocol refuses a request without a signature, unless clients do not sign the operation.
            routes.add(
                Route(
                    .post, prefix.isEmpty ? "/" : prefix, admits: .anyoneIdentified, over: wireProtocol,
                    .init(
                        "AWS", "An operation of AWS's json-1.1 services, which `X-Amz-Target` names.",
                        body: [Self.contentType: "Object"],
                        answers: [
                            .init(200, "The response of the operation.", body: [Self.contentType: "Object"]),
                            .init(400, "The request is invalid.", body: [Self.contentType: "AmazonError"]),
                            .init(403, "The caller may not do this.", body: [Self.contentType: "AmazonError"]),
                        ])
                ) { request, context in wireProtocol.response(try await respond(request, context, below: prefix)) })
        }
    }

    private func respond(
        _ request: Request, _ context: AppRequestContext, below prefix: String
    ) async throws -> [UInt8] {
        let signer = isUnsigned(request) ? nil : context.principal
        guard signer != nil || isUnsigned(request) else { throw SignatureError.missing }
        guard let (service, operation) = service(of: request) else {
            throw AmazonError.unknownOperation(request.headers[.amazonTarget] ?? "")
        }
        let body = try await request.body.collect(
            upTo: signer == nil ? Self.unsignedBodyLimit : AmazonProtocol.bodyLimit)
        let call = AmazonJSONCall(
            operation: operation, body: body, serverAddress: request.serverAddress(in: configuration) + prefix,
            context: context, signer: signer)
        do {
            return try await service.respond(to: call)
        } catch {
            throw service.error(mapping: error, in: call) ?? error
        }
    }

    private func isUnsigned(_ request: Request) -> Bool {
        service(of: request).map { $0.0.unsignedOperations.contains($0.operation) } ?? false
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
