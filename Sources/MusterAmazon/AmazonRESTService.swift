import HTTPTypes
import Hummingbird
import MusterCoding
import MusterCore
import MusterServer
import MusterWire
import NIOCore

/// An AWS service of the rest-json protocol: a method and a path for each operation.
protocol AmazonRESTService: Sendable {
    /// The service's name in OpenAPI.
    static var title: String { get }
    /// The service's name in the scope of signatures, such as `geo`.
    static var signingName: String { get }
    /// The content type of every answer.
    static var contentType: String { get }
    /// The service's own names for errors that every service has, by Amazon Location's.
    static var errorNames: [String: String] { get }
    var keys: AmazonKeys { get }
}

extension AmazonRESTService {
    static var errorNames: [String: String] { [:] }

    /// Adds the route of one operation, at the path that clients know and below `/aws`.
    func add(
        _ operation: String, _ method: HTTPRequest.Method, _ path: String, admits roles: Set<Role>,
        bodyLimit: Int = AmazonProtocol.bodyLimit, query: [Route.Parameter] = [], to routes: inout RouteTable,
        _ handler: @escaping @Sendable (AmazonCall) async throws -> [UInt8]
    ) {
        let hasBody = [.post, .put, .patch].contains(method)
        let wireProtocol = AmazonProtocol(
            keys: keys, contentType: Self.contentType, bodyLimit: bodyLimit, operation: operation,
            errorNames: Self.errorNames
        ) { _ in Self.signingName }
        for prefix in ["", "/aws"] {
            routes.add(
                Route(
                    method, prefix + path, admits: .roles(roles, devices: false), over: wireProtocol,
                    .init(
                        Self.title, "\(operation), as in the AWS API Reference.", query: query,
                        body: hasBody ? [Self.contentType: "Object"] : [:], answers: Self.answers)
                ) { request, context in
                    guard let principal = context.principal else { throw SignatureError.missing }
                    let body = try await request.body.collect(upTo: bodyLimit)
                    return wireProtocol.response(
                        try await handler(
                            AmazonCall(request: request, context: context, principal: principal, body: body)))
                })
        }
    }

    private static var answers: [Route.Answer] {
        [.init(200, "The response of the operation.", body: [contentType: "Object"])]
            + [400, 402, 403, 404, 409, 413, 429, 500, 503].map { status in
                .init(status, "The error has AWS's form.", body: [contentType: "AmazonError"])
            }
    }
}

/// An authorized call of an operation.
struct AmazonCall: Sendable {
    let request: Request
    let context: AppRequestContext
    let principal: Principal
    let body: ByteBuffer

    /// The author of the call, for the audit log.
    var author: Author { Author(principal) }

    /// The rights of the caller.
    func access(in directory: Directory) -> Access { Access(principal, in: directory) }

    /// A part of the path, percent-decoded.
    func parameter(_ name: String) throws(AmazonError) -> String {
        guard let raw = context.parameters[name[...]], let text = PercentEncoding.decode(raw) else {
            throw .validation("The path is not UTF-8.", .cannotParse)
        }
        return text
    }

    /// Parses the body.
    ///
    /// - Throws: `AmazonError` with everything that the API model does not allow.
    func read<Value>(
        _ read: (AmazonMembers, inout AmazonFaults) throws -> Value
    ) throws -> Value {
        try body.readAmazonMembers(read)
    }
}
