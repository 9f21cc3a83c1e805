import HTTPTypes
import Hummingbird
import MusterCore
import MusterHTTP
import MusterServer
import MusterStore
import MusterWire

/// The native API for targets, deliveries under way, and dead letters. Only admins may use it, because targets receive
/// events about everyone.
struct TargetRoutes: NativeRoutes {
    let server: ServerParts

    var vault: SecretVault { identity.vault }
    var dispatcher: DeliveryDispatcher { server.dispatcher }

    static let targets = "\(Self.root)/targets"
    static let admins: Route.Admission = .roles([.admin], devices: false)
    static let targetLimit = 1_000

    func register(in routes: inout RouteTable) {
        addTargets(to: &routes)
        addTargetChanges(to: &routes)
        addDeliveries(to: &routes)
        addWaitingDeliveries(to: &routes)
        addRuns(to: &routes)
        addDeadLetters(to: &routes)
    }

    private func addTargets(to routes: inout RouteTable) {
        routes.add(
            Route(
                .get, Self.targets, admits: Self.admins,
                .init(
                    "Targets", "List targets.", query: Self.paging,
                    answers: [.init(200, "Targets, without their secrets.", json: "TargetPage")]),
                handler: listTargets))
        routes.add(
            Route(
                .post, Self.targets, admits: Self.admins,
                .init(
                    "Targets", "Create a target. The server shows a webhook's secret only once.",
                    body: Self.json("NewTarget"), answers: [.init(201, "Made.", json: "MadeTarget")]),
                handler: makeTarget))
        routes.add(
            Route(
                .get, "\(Self.targets)/{target}", admits: Self.admins,
                .init("Targets", "Read a target.", answers: [.init(200, "The target.", json: "Target")]),
                handler: seeTarget))
    }

    /// The target that the path names.
    func namedTarget(_ context: AppRequestContext, in directory: Directory) throws(Problem) -> Target {
        guard let target = directory.targets[try context.parameter("target")] else { throw .notFound }
        return target
    }

    /// The secret settings of a target; nil where its kind has none.
    ///
    /// - Throws: `SecretVaultError`, `StoreError`.
    func settings(of target: Target) async throws -> TargetSettings? {
        let key = TargetSettings.key(of: target.number)
        let credential = try await coordinator.read { try $0.credential(.targetSecret, key: key) }
        return try credential.map { try TargetSettings($0, of: target.number, openedBy: vault) }
    }

    private func listTargets(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        var query = Query(request)
        let limit = query.limit()
        try query.finish()
        let directory = coordinator.directory
        let page = try Page(of: directory.targets.all, limit: limit, after: query.text("cursor"))
        var shown: [TargetNumber: TargetSettings] = [:]
        for target in page.items { shown[target.number] = try await settings(of: target) }
        let now = configuration.now()
        return .json { writer in page.write(to: &writer) { $0.target($1, shown[$1.number], in: directory, at: now) } }
    }

    private func seeTarget(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let target = try namedTarget(context, in: coordinator.directory)
        return try await response(.ok, target)
    }

    /// The answer with the current state of a target.
    func response(_ status: HTTPResponse.Status, _ target: Target, secret: WebhookSecret? = nil) async throws
        -> Response
    {
        let directory = coordinator.directory
        let target = directory.targets[target.number] ?? target
        let settings = try await settings(of: target)
        return .json(status) { writer in
            writer.beginObject()
            writer.targetMembers(target, settings, in: directory, at: configuration.now())
            writer.member("secret", secret?.text)
            writer.endObject()
        }
    }

    private func makeTarget(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        var fields = try await Fields(request)
        let name = fields.name("name", isRequired: true)
        let kind: Target.Kind? = fields.word("kind", isRequired: true)
        let settings = settings(from: &fields, of: kind, in: coordinator.directory)
        let isByHand = fields.boolean("byHand") ?? false
        if isByHand, kind == .sms { fields.addFault("byHand", Self.textsAreSentAtOnce) }
        if name == "safety" { fields.addFault("name", "is built in: rules name it without a target of their own") }
        try fields.finish()
        guard let name, let kind else { throw Problem.internalError }
        let (vault, now) = (vault, configuration.now())
        let target = try await coordinator.edit(by: context.author) { directory, draft in
            guard directory.targets[name] == nil else { throw Problem.conflict("The target \(name) already exists.") }
            guard directory.targets.count < Self.targetLimit else {
                throw Problem.conflict("There are \(Self.targetLimit) targets already: remove one first.")
            }
            let target = Target(
                number: try draft.transaction.nextTargetNumber(), name: name, kind: kind,
                mode: isByHand ? .byHand(through: coordinator.lastDelivery.rawValue) : .atOnce)
            draft.edits = [.putTarget(target)]
            if let settings { draft.credentials = [settings.credential(of: target.number, sealedBy: vault, at: now)] }
            return target
        }
        return try await response(.created, target, secret: settings?.secrets.first?.secret)
    }

    static let textsAreSentAtOnce = "texts leave at once, or not at all: a late one misleads"

    /// The settings of a new target in a request.
    private func settings(
        from fields: inout Fields, of kind: Target.Kind?, in directory: Directory
    ) -> TargetSettings? {
        let url = url(from: &fields, isRequired: kind != nil && kind != .log)
        let headers = headers(from: &fields)
        var secret: WebhookSecret?
        if let text = fields.text("secret", limitBytes: 100) {
            secret = WebhookSecret(text)
            if secret == nil { fields.addFault("secret", "must be whsec_ and 24 to 64 bytes in base 64") }
        }
        switch kind {
        case .webhook:
            guard let url else { return nil }
            let first = TargetSettings.Secret(secret: secret ?? WebhookSecret(), expiresAt: nil)
            return TargetSettings(url: url, secrets: [first], fields: headers ?? [])
        case .slack:
            if secret != nil { fields.addFault("secret", "Slack checks none: the URL itself is the secret") }
            return url.map { TargetSettings(url: $0, fields: headers ?? []) }
        case .sms:
            if secret != nil { fields.addFault("secret", "no gateway checks one: it knows Muster by a header field") }
            guard let texts = texts(from: &fields, in: directory), let url else { return nil }
            return TargetSettings(url: url, fields: headers ?? [], texts: texts)
        case .log, nil:
            if url != nil || headers != nil || secret != nil {
                fields.addFault("url", "the log has no URL, no headers and no secret")
            }
            return nil
        }
    }

    /// The URL in a request; nil when it is absent or may not be called.
    func url(from fields: inout Fields, isRequired: Bool = false) -> String? {
        guard let url = fields.text("url", isRequired: isRequired, limitBytes: HTTPAddress.limitBytes) else {
            return nil
        }
        do throws(HTTPAddress.ParsingError) {
            let address = try HTTPAddress(url)
            if let refusal = dispatcher.caller.refusal(of: address) { fields.addFault("url", refusal) }
        } catch {
            fields.addFault("url", error.detail)
        }
        return url
    }

    /// The header fields in a request.
    func headers(from fields: inout Fields) -> [TargetSettings.Field]? {
        guard let texts = fields.texts("headers", limit: TargetSettings.fieldLimit) else { return nil }
        let headers = texts.map { TargetSettings.Field(name: $0.key, value: $0.text) }
        for header in headers {
            if let fault = TargetSettings.fault(of: header) { fields.addFault("headers", fault) }
        }
        return headers
    }
}

extension JSONWriter {
    /// Writes a target: of its address only the scheme, host and port, and of its fields only the names.
    mutating func target(_ target: Target, _ settings: TargetSettings?, in directory: Directory, at now: Instant) {
        beginObject()
        targetMembers(target, settings, in: directory, at: now)
        endObject()
    }

    fileprivate mutating func targetMembers(
        _ target: Target, _ settings: TargetSettings?, in directory: Directory, at now: Instant
    ) {
        member("name", target.name)
        member("kind", target.kind.rawValue)
        member("enabled", target.isEnabled)
        member("byHand", target.mode != .atOnce)
        if let settings {
            member("server", (try? HTTPAddress(settings.url))?.shown)
            member("headers", listing: settings.fields) { $0.value($1.name) }
            if target.kind == .webhook { member("secretsInUse", settings.keys(at: now).count) }
            if let texts = settings.texts { textMembers(texts, in: directory, at: now) }
        }
        member("createdAt", target.times.createdAt)
        member("updatedAt", target.times.updatedAt)
    }
}
