import Hummingbird
import MusterCoding
import MusterCore
import MusterServer
import MusterWire

/// Routes for push devices: phones and browsers that the server notifies of changes while they sleep. Except for the
/// test, each route acts on the caller's own push devices.
struct PushRoutes: NativeRoutes {
    let server: ServerParts

    var pushes: PushDispatcher { server.pushes }

    func register(in routes: inout RouteTable) {
        let push = "\(Self.root)/push"
        let everyone: Route.Admission = .roles(Route.Admission.everyRole, devices: false)
        routes.add(
            Route(
                .get, "\(push)/key", admits: everyone,
                .init(
                    "Push", "The key that browsers subscribe to Web Push with (VAPID).",
                    answers: [.init(200, "The key.", json: "PushKey")]), handler: seeKey))
        routes.add(
            Route(
                .get, "\(push)/devices", admits: everyone,
                .init(
                    "Push", "List one's own push devices, each with the datasets that it hears of.",
                    answers: [.init(200, "Devices, without their addresses.", json: "PushDevicePage")]),
                handler: listDevices))
        routes.add(
            Route(
                .post, "\(push)/devices", admits: everyone,
                .init(
                    "Push",
                    "Register a push device, or the same one again: an app by its token, a browser by a subscription. "
                        + "A token of ActivityKit is registered beside it.",
                    body: Self.json("NewPushDevice"), answers: [.init(201, "Registered.", json: "PushDevice")]),
                handler: registerDevice))
        routes.add(
            Route(
                .delete, "\(push)/devices/{device}", admits: everyone,
                .init("Push", "Remove a push device of one's own.", answers: [.init(204, "Removed.")]),
                handler: removeDevice))
        routes.add(
            Route(
                .post, "\(push)/test", admits: everyone,
                .init(
                    "Push", "Send a test message to each push device of one's own, or as admin of another's.",
                    body: Self.json("PushTest"),
                    answers: [.init(200, "What each device's service answered.", json: "PushTestResults")]),
                handler: testDevices))
        addSubscriptions(to: &routes, admits: everyone)
    }

    private func addSubscriptions(to routes: inout RouteTable, admits everyone: Route.Admission) {
        let subscription = "\(Self.root)/datasets/{dataset}/subscriptions/{device}"
        routes.add(
            Route(
                .put, subscription, admits: everyone,
                .init(
                    "Push", "Let a push device hear of a dataset of one's own, which need not be there yet.",
                    answers: [.init(204, "Subscribed.")]), handler: subscribe))
        routes.add(
            Route(
                .delete, subscription, admits: everyone,
                .init("Push", "End a subscription.", answers: [.init(204, "Ended.")]), handler: unsubscribe))
    }

    private func seeKey(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let key = try await pushes.webPushKey()
        return .json { writer in
            writer.beginObject()
            writer.member("key", key)
            writer.endObject()
        }
    }

    private func listDevices(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let owner = try context.access(in: coordinator.directory).principal.user
        let devices = try await pushes.devices(of: owner)
        return .json { writer in
            writer.beginObject()
            writer.member("items", listing: devices) { $0.device($1.device, datasets: $1.datasets) }
            writer.endObject()
        }
    }

    private func registerDevice(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let access = try context.access(in: coordinator.directory)
        var fields = try await Fields(request, BodyLimits(bytes: 16 << 10, inflatedBytes: 16 << 10))
        let address = address(from: &fields)
        try fields.finish()
        guard let address else { throw Problem.internalError }
        let owner = access.principal.user
        let device = try await pushes.register(address, for: owner, by: Author(access.principal))
        let datasets = try await pushes.devices(of: owner).first { $0.device.id == device.id }?.datasets ?? []
        return .json(.created) { $0.device(device, datasets: datasets) }
    }

    /// The address in a request; nil where it is invalid, which `fields` records as a fault.
    private func address(from fields: inout Fields) -> PushAddress? {
        let platform: PushPlatform? = fields.word("platform", isRequired: true)
        let token = fields.text("token", limitBytes: PushAddress.tokenLimitBytes)
        let subscription = fields.json("subscription")
        let page = fields.text("page", limitBytes: 1_024)
        let activity = fields.json("activity")
        guard let platform else { return nil }
        do throws(PushAddress.ParsingError) {
            let activity = try activity.map { value throws(PushAddress.ParsingError) in try Self.activity(value) }
            guard platform == .webPush else {
                if subscription != nil { throw PushAddress.ParsingError("subscription", "is for webpush") }
                if page != nil { throw PushAddress.ParsingError("page", "is for webpush") }
                guard let token else { throw PushAddress.ParsingError("token", "is required") }
                return try PushAddress(platform, token: token, activity: activity)
            }
            if activity != nil { throw PushAddress.ParsingError("activity", "is for apns and apns-sandbox") }
            if token != nil { throw PushAddress.ParsingError("token", "is of apps: webpush has a subscription") }
            guard let subscription else { throw PushAddress.ParsingError("subscription", "is required") }
            let keys = try Self.keys(of: subscription)
            guard let endpoint = subscription["endpoint"]?.string else {
                throw PushAddress.ParsingError("subscription", "has no endpoint, a string")
            }
            let address = try PushAddress(
                endpoint: endpoint, keys: keys, page: page, allowsPlain: configuration.allowsPrivateTargets)
            if let refusal = pushes.refusal(of: address) { throw PushAddress.ParsingError("subscription", refusal) }
            return address
        } catch {
            fields.addFault(error.field, error.detail)
            return nil
        }
    }

    /// The Live Activities that a token is for: `"start"`, or the number of an incident.
    private static func activity(_ value: JSONValue) throws(PushAddress.ParsingError) -> PushActivity {
        if value.string == "start" { return .start }
        guard let number = value.integer.flatMap({ Int32(exactly: $0) }), number > 0 else {
            throw PushAddress.ParsingError("activity", "must be \"start\" or the number of an incident")
        }
        return .incident(IncidentNumber(number))
    }

    private static func keys(of subscription: JSONValue) throws(PushAddress.ParsingError) -> WebPushKeys {
        guard let keys = subscription["keys"], let key = keys["p256dh"]?.string, let secret = keys["auth"]?.string,
            let keyBytes = Base64.decodeUnpadded(key.trimmingPadding, .forURLs),
            let secretBytes = Base64.decodeUnpadded(secret.trimmingPadding, .forURLs)
        else {
            throw PushAddress.ParsingError("subscription", "has no keys, an object with p256dh and auth in base64url")
        }
        do throws(WebPushKeys.KeyError) {
            return try WebPushKeys(publicKey: keyBytes, secret: secretBytes)
        } catch {
            throw PushAddress.ParsingError("subscription", error.detail)
        }
    }

    private func removeDevice(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let owner = try context.access(in: coordinator.directory).principal.user
        try await pushes.remove(try context.parameter("device"), of: owner)
        return .noContent
    }

    private func testDevices(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        var fields = try await Fields(request)
        let name = fields.name("user")
        try fields.finish()
        let access = try context.access(in: coordinator.directory)
        guard let user = name.map({ access.directory.users[$0] }) ?? access.directory.users[access.principal.user],
            access.mayTestPushes(to: user)
        else { throw Problem.invalid("/user", "there is no such user") }
        let results = try await pushes.test(user.number)
        return .json { writer in
            writer.beginObject()
            writer.member("user", user.name)
            writer.member("devices", listing: results) { writer, result in
                writer.beginObject()
                writer.member("id", result.device.id)
                writer.member("platform", result.device.platform.rawValue)
                writer.member("service", result.device.service)
                writer.member("outcome", result.outcome.word)
                writer.member("reason", result.outcome.reason)
                writer.endObject()
            }
            writer.endObject()
        }
    }

    private func subscribe(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let (device, dataset, owner) = try subscription(context)
        try await pushes.subscribe(device, to: dataset, of: owner)
        return .noContent
    }

    private func unsubscribe(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let (device, dataset, owner) = try subscription(context)
        try await pushes.unsubscribe(device, from: dataset, of: owner)
        return .noContent
    }

    /// The device and the dataset in the path, and their owner, the caller.
    ///
    /// - Throws: `Problem.notFound` for a text that no dataset can have as its name.
    private func subscription(
        _ context: AppRequestContext
    ) throws -> (device: String, dataset: String, owner: UserNumber) {
        let dataset = try context.parameter("dataset")
        guard DatasetLimits.isName(dataset) else { throw Problem.notFound }
        let owner = try context.access(in: coordinator.directory).principal.user
        return (try context.parameter("device"), dataset, owner)
    }
}

extension JSONWriter {
    fileprivate mutating func device(_ device: PushDevice, datasets: [String]) {
        beginObject()
        member("id", device.id)
        member("platform", device.platform.rawValue)
        member("service", device.service)
        member("createdAt", device.createdAt)
        switch device.activity {
        case .start?: member("activity", "start")
        case .incident(let number)?: member("activity", number.rawValue)
        case nil: break
        }
        member("datasets", listing: datasets) { $0.value($1) }
        endObject()
    }
}

extension String {
    /// The text without the padding of base 64, which some clients write.
    fileprivate var trimmingPadding: Substring { self[..<(firstIndex(of: "=") ?? endIndex)] }
}
