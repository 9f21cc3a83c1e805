import HTTPTypes
import Hummingbird
import MusterCoding
import MusterCore
import MusterServer
import MusterWire
import NIOCore

/// Amazon Location's trackers and geofences for unmodified AWS clients (rest-json, 2020-11-19; docs/aws.md).
///
/// Translates between both models: a tracker is a team's tracker, a geofence is a region, and positions go through the
/// same pipeline as all others. Clients see the same data as those of the other endpoints.
struct LocationService: Sendable {
    let coordinator: StoreCoordinator
    let keys: AmazonKeys
    let configuration: Configuration

    /// The signing name of the service.
    private static let signingName = "geo"
    private static let contentType = "application/json"
    /// The largest body of a batch of geofences, in bytes: ten geofences of a thousand vertices, or of a geobuf each.
    static let largeBodyLimit = 10_000_000

    /// The default quotas of an AWS account.
    enum Quota {
        static let trackers = 500
        static let fences = 50_000
        static let consumers = 5
    }

    /// Adds all routes, at the paths that clients know and below `/aws`.
    func register(in routes: inout RouteTable) {
        addTrackers(to: &routes)
        addConsumers(to: &routes)
        addPositionUpdates(to: &routes)
        addPositions(to: &routes)
        addHistory(to: &routes)
        addCollections(to: &routes)
        addFences(to: &routes)
        addFenceBatches(to: &routes)
        addEvaluation(to: &routes)
        addForecast(to: &routes)
        addTags(to: &routes)
    }

    /// Adds the route of one operation.
    func add(
        _ operation: String, _ method: HTTPRequest.Method, _ path: String, admits roles: Set<Role>,
        bodyLimit: Int = AmazonProtocol.bodyLimit, query: [Route.Parameter] = [], to routes: inout RouteTable,
        _ handler: @escaping @Sendable (AmazonCall) async throws -> [UInt8]
    ) {
        let hasBody = [.post, .put, .patch].contains(method)
        let wireProtocol = AmazonProtocol(
            keys: keys, contentType: Self.contentType, bodyLimit: bodyLimit, operation: operation
        ) { _ in Self.signingName }
        for prefix in ["", "/aws"] {
            routes.add(
                Route(
                    method, prefix + path, admits: .roles(roles, devices: false), over: wireProtocol,
                    .init(
                        "Amazon Location", "\(operation), as in the AWS API Reference.", query: query,
                        body: hasBody ? [Self.contentType: "Object"] : [:], answers: Self.answers)
                ) { request, context in
                    guard let principal = context.principal else { throw SignatureError.missing }
                    let body = try await request.body.collect(upTo: bodyLimit)
                    return wireProtocol.answer(
                        try await handler(
                            AmazonCall(request: request, context: context, principal: principal, body: body)))
                })
        }
    }

    private static let answers: [Route.Answer] =
        [.init(200, "The response of the operation.", json: "Object")]
        + [400, 402, 403, 404, 409, 413, 429, 500, 503].map { status in
            .init(status, "The error has AWS's form.", json: "AmazonError")
        }

    /// The name of a resource, as clients see it.
    func arn(_ resource: AmazonResource) -> String {
        resource.arn(region: configuration.amazon.region, account: configuration.amazon.account)
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
        var faults = AmazonFaults()
        do {
            let members = try body.withUnsafeReadableBytes { try AmazonMembers(parsing: $0, noting: &faults) }
            let value = try read(members, &faults)
            try faults.finish()
            return value
        } catch let faults as AmazonFaults {
            throw AmazonError(telling: faults)
        }
    }
}

extension AmazonError {
    /// The error for what the API model does not allow.
    init(telling faults: AmazonFaults) {
        let fields = faults.fields.map { Field($0.name, $0.message) }
        let isMissing = faults.fields.allSatisfy(\.isMissing)
        let list = fields.prefix(3).map { "\($0.name): \($0.message)" }.joined(separator: "; ")
        self = .validation(
            "\(fields.count) validation error\(fields.count == 1 ? "" : "s") detected: \(list)",
            isMissing ? .missing : .fieldValidationFailed, fields)
    }

    /// The tracker does not exist, or the caller may not use it for this purpose.
    static func noTracker(_ name: String) -> AmazonError { .notFound("Tracker not found: \(name).") }
    /// The collection does not exist.
    static func noCollection(_ name: String) -> AmazonError { .notFound("Geofence collection not found: \(name).") }
    /// A leader may change only collections that belong to the leader's team alone.
    static let notYourCollection = AmazonError.denied(
        "This collection is not your team's, or other teams use it too: an admin can change it.")
    /// The client's token is not valid for this list.
    static let badToken = AmazonError.validation("NextToken", "must be a token of an earlier response")
}

extension JSONWriter {
    /// Writes a failure within a batch.
    mutating func amazonItemError(_ code: String, _ message: String) {
        key("Error")
        beginObject()
        member("Code", code)
        member("Message", message)
        endObject()
    }
}
