import HTTPTypes
import Hummingbird
import MusterCore
package import MusterServer
import MusterWire

/// Meshblu's HTTP API (version 1), for apps and gadgets that fire triggers with it. A Meshblu device is a device of
/// Muster, and data posted for it is a signal. Only the owner can reach a device and its data. docs/meshblu.md has the
/// table.
package struct MeshbluEndpoint: Endpoint {
    let coordinator: StoreCoordinator
    let identity: Identity
    let server: ServerParts
    let intake: MeshbluIntake
    let uuids: MeshbluUUIDs
    private let follower: FeedFollower

    package init(_ parts: ServerParts) {
        coordinator = parts.coordinator
        identity = parts.identity
        server = parts
        intake = MeshbluIntake(parts)
        uuids = intake.uuids
        follower = FeedFollower(parts)
    }

    private static let all: Route.Admission = .roles(Route.Admission.everyRole, devices: true)
    private static let owners: Route.Admission = .roles([.admin, .leader, .member], devices: false)
    private static let form = ["application/json": "Object", "application/x-www-form-urlencoded": "Object"]

    /// Adds the routes at Meshblu's own paths, and below `/meshblu`.
    package func register(in routes: inout RouteTable) {
        for prefix in ["", "/meshblu"] {
            addDevices(below: prefix, to: &routes)
            addTokens(below: prefix, to: &routes)
            addMessages(below: prefix, to: &routes)
        }
    }

    private func add(
        _ method: HTTPRequest.Method, _ path: String, admits admission: Route.Admission, _ summary: String,
        _ answer: Route.Answer, query: [Route.Parameter] = [], hasBody: Bool = false, to routes: inout RouteTable,
        _ handler: @escaping Route.Handler
    ) {
        routes.add(
            Route(
                method, path, admits: admission, over: MeshbluProtocol(uuids: uuids),
                .init("Meshblu", summary, query: query, body: hasBody ? Self.form : [:], answers: [answer]),
                handler: handler))
    }

    private func addDevices(below prefix: String, to routes: inout RouteTable) {
        let found = Route.Answer(200, "The devices.", json: "Object")
        add(
            .get, "\(prefix)/status", admits: .anyone, "Whether the endpoint is there.",
            .init(200, "It is.", json: "Object"), to: &routes
        ) { _, _ in
            .json { writer in
                writer.beginObject()
                writer.member("meshblu", "online")
                writer.endObject()
            }
        }
        add(
            .post, "\(prefix)/devices", admits: Self.owners, "Create a device, with a token.",
            .init(201, "The device. The server shows its token only once.", json: "Object"), hasBody: true,
            to: &routes, makeDevice)
        add(
            .get, "\(prefix)/devices", admits: Self.all, "List your devices with the given properties.", found,
            to: &routes, listDevices)
        add(
            .get, "\(prefix)/mydevices", admits: Self.all, "List your devices with the given properties.", found,
            to: &routes, listDevices)
        add(
            .get, "\(prefix)/devices/{uuid}", admits: Self.all, "Read a device of yours.", found, to: &routes,
            seeDevice)
        add(
            .put, "\(prefix)/devices/{uuid}", admits: Self.all, "Set properties of a device.",
            .init(200, "The device.", json: "Object"), hasBody: true, to: &routes, changeDevice)
        add(
            .delete, "\(prefix)/devices/{uuid}", admits: Self.owners, "Remove a device and everything it reported.",
            .init(200, "Gone.", json: "Object"), to: &routes, removeDevice)
    }

    private func addTokens(below prefix: String, to routes: inout RouteTable) {
        let token = "The token. The server shows it only once."
        add(
            .post, "\(prefix)/devices/{uuid}/token", admits: Self.owners, "Revoke a device's tokens, and make one.",
            .init(201, token, json: "Object"), to: &routes, replaceTokens)
        add(
            .post, "\(prefix)/devices/{uuid}/tokens", admits: Self.owners, "Make another token for a device.",
            .init(200, token, json: "Object"), to: &routes, makeToken)
        add(
            .delete, "\(prefix)/devices/{uuid}/tokens/{token}", admits: Self.owners, "Revoke a token of a device.",
            .init(204, "Revoked."), to: &routes, removeToken)
        add(
            .get, "\(prefix)/authenticate/{uuid}", admits: .anyone, "Whether a token is the device's.",
            .init(200, "It is.", json: "Object"),
            query: [.init("token", "The token.", schema: #"{"type":"string"}"#)], to: &routes, authenticate)
    }

    private func addMessages(below prefix: String, to routes: inout RouteTable) {
        add(
            .post, "\(prefix)/data/{uuid}", admits: Self.all, "Fire a signal of a device: a trigger.",
            .init(201, "Stored durably."), hasBody: true, to: &routes, storeData)
        add(
            .get, "\(prefix)/data/{uuid}", admits: Self.all, "List what a device of yours fired, the newest first.",
            .init(200, "The data.", json: "Object"),
            query: [
                .init("start", "The first time, RFC 3339 or milliseconds since 1970.", schema: #"{"type":"string"}"#),
                .init("finish", "The end of the times, exclusive.", schema: #"{"type":"string"}"#),
                .init(
                    "limit", "The largest number of items.",
                    schema: #"{"type":"integer","minimum":1,"maximum":1000,"default":10}"#),
            ], to: &routes, listData)
        add(
            .post, "\(prefix)/messages", admits: .roles(Route.Admission.everyRole, devices: true),
            "Send a message to devices of yours.", .init(200, "The message.", json: "Object"), hasBody: true,
            to: &routes, sendMessage)
        for path in ["\(prefix)/subscribe", "\(prefix)/subscribe/{uuid}"] {
            add(
                .get, path, admits: Self.all, "Receive what your devices fire and send, a JSON object a line.",
                .init(200, "A stream that does not end.", json: "Object"), to: &routes, subscribe)
        }
    }

    // MARK: Path parameters

    /// The caller's own device that the path names, and the caller's rights.
    ///
    /// - Throws: `MeshbluRefusal.noDevice` for a device that does not exist or that is somebody else's.
    func ownDevice(_ context: AppRequestContext) throws -> (device: Device, access: Access) {
        let access = try context.access(in: coordinator.directory)
        return (try intake.ownDevice(try context.parameter("uuid"), of: access), access)
    }

    func parameters(_ request: Request) async throws -> MeshbluParameters {
        let body = try await request.collectBody(.small)
        return try MeshbluParameters(
            query: request.uri.query ?? "", body: Array(buffer: body), mediaType: request.mediaType)
    }

    private func subscribe(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        guard let principal = context.principal, let proof = context.proof else { throw IdentityError.missing }
        let source = context.parameters.get("uuid") == nil ? nil : try ownDevice(context).device.number
        let headers: HTTPFields = [
            .contentType: "application/json", .cacheControl: "no-store", .init("X-Accel-Buffering")!: "no",
        ]
        // An answer to HEAD has no body, so it opens no feed.
        if request.method == .head { return Response(status: .ok, headers: headers) }
        let feed = MeshbluFeed(server, uuids: uuids, proof: proof, source: source)
        do throws(FeedShares.Refusal) {
            return Response(
                status: .ok, headers: headers,
                body: try follower.open(feed, by: FeedOwner(principal), on: context.channel))
        } catch {
            throw MeshbluRefusal(error == .isStopping ? .serviceUnavailable : .tooManyRequests, error.words)
        }
    }
}
