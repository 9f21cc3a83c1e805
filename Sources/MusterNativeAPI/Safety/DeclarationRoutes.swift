import Hummingbird
import MusterCoding
import MusterCore
import MusterGeometry
import MusterServer
import MusterStore
import MusterWire

/// Routes for declarations: what people state about their own safety, or about another person's.
struct DeclarationRoutes: NativeRoutes {
    let server: ServerParts

    func register(in routes: inout RouteTable) {
        let path = "\(Self.root)/users/{user}/declarations"
        routes.add(
            Route(
                .post, path, admits: .roles([.admin, .leader, .member], devices: true),
                .init(
                    "Safety",
                    "Declare how you are or, as a leader, how a person of the team is. A repeated id changes nothing.",
                    body: Self.json("NewDeclaration"),
                    answers: [.init(200, "Stored durably.", json: "DeclarationReceipt")]), handler: declare))
        routes.add(
            Route(
                .get, path, admits: .roles([.admin, .analyst, .leader, .member], devices: true),
                .init(
                    "Safety", "List the declarations about a person, oldest first.", query: Self.paging,
                    answers: [.init(200, "Declarations.", json: "DeclarationPage")]), handler: listDeclarations))
    }

    private func declare(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let access = try context.access(in: coordinator.directory)
        let user = try user(context, access)
        let now = configuration.now()
        let declaration = try await declaration(of: user, by: access.principal, at: now, in: request)
        guard access.mayDeclare(declaration.kind, of: user) else { throw Problem.forbidden }
        let receipt = try await coordinator.ingest([.declaration(declaration)], by: access.principal)
        let (safety, directory) = try await coordinator.inspect { engine, directory, _ in
            (engine.safety(of: user.number), directory)
        }
        return .json { writer in
            writer.beginObject()
            writer.member("id", declaration.id)
            writer.member("repeated", receipt.tally.repeated > 0)
            writer.member("late", receipt.tally.late > 0)
            writer.member("sequence", receipt.sequence.rawValue)
            writer.key("safety")
            writer.beginObject()
            writer.members(of: directory.named(safety))
            writer.endObject()
            writer.endObject()
        }
    }

    /// Parses the declaration in a body.
    ///
    /// - Throws: `Problem` with every fault.
    private func declaration(
        of user: User, by principal: Principal, at now: Instant, in request: Request
    ) async throws -> Declaration {
        var fields = try await Fields(request)
        let kind: DeclaredKind? = fields.word("kind", isRequired: true)
        let id = fields.text("id", limitBytes: Declaration.idLimit)
        if let id, !Declaration.isValid(id: id) {
            fields.addFault("id", "must be 1 to 64 letters, digits and any of . _ -")
        }
        let sampleTime = fields.instant("sampleTime") ?? now
        if sampleTime > now.advanced(bySeconds: ReportLimits.futureToleranceSeconds) {
            fields.addFault("sampleTime", "is more than 60 s ahead of \(now.rfc3339)")
        }
        let earliest = now.advanced(bySeconds: -configuration.retentionDays * 86_400)
        if sampleTime < earliest {
            fields.addFault("sampleTime", "is before \(earliest.rfc3339), the oldest stored time")
        }
        let note = fields.text("note", limitBytes: Declaration.noteLimitBytes)
        let latitude = fields.number("latitude", in: -90...90)
        let longitude = fields.number("longitude", in: -180...180)
        if (latitude == nil) != (longitude == nil) {
            fields.addFault("latitude", "must be sent together with longitude")
        }
        try fields.finish()
        guard let kind else { throw Problem.internalError }
        let coordinate = latitude.flatMap { latitude in
            longitude.flatMap { try? Coordinate(latitude: latitude, longitude: $0) }
        }
        return Declaration(
            id: id ?? Base64.encodeUnpadded(SecretToken.randomBytes(18), .forURLs), subject: user.number,
            author: principal.user, device: principal.device, kind: kind.kind, sampleTime: sampleTime,
            receivedTime: now, note: note, coordinate: coordinate)
    }

    private func listDeclarations(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let directory = coordinator.directory
        let user = try user(context, context.access(in: directory)).number
        var query = Query(request)
        let limit = query.limit()
        let cursor = query.declarationKey("cursor")
        try query.finish()
        // Reads one item more than the page holds, to see whether there is a next page.
        let found = try await coordinator.read { store in
            try store.declarations(of: user, after: cursor, limit: limit + 1)
        }
        let page = found.prefix(limit)
        return .json { writer in
            writer.beginObject()
            writer.member("items", listing: page) { writer, kept in
                writer.beginObject()
                writer.members(of: directory.named(kept.declaration, isLate: !kept.isCurrent))
                writer.endObject()
            }
            writer.member("nextCursor", found.count > limit ? page.last?.declaration.cursor : nil)
            writer.endObject()
        }
    }
}

/// The kinds of declarations, with their names in the API.
private enum DeclaredKind: String, CaseIterable {
    case safe, needsHelp, sos, offSite, clear, acknowledge

    var kind: Declaration.Kind {
        switch self {
        case .safe: .safe
        case .needsHelp: .needsHelp
        case .sos: .sos
        case .offSite: .offSite
        case .clear: .clear
        case .acknowledge: .acknowledge
        }
    }
}

extension Declaration {
    /// The cursor after this declaration: eight bytes of its time, then its id.
    fileprivate var cursor: String {
        let time = UInt64(bitPattern: sampleTime.milliseconds)
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: time >> (56 - 8 * $0)) }
        return Base64.encodeUnpadded(bytes + Array(id.utf8), .forURLs)
    }
}

extension Query {
    /// A cursor from an earlier answer.
    fileprivate mutating func declarationKey(_ name: String) -> DeclarationKey? {
        guard let text = text(name) else { return nil }
        guard text.utf8.count < 200, let bytes = Base64.decodeUnpadded(text, .forURLs), bytes.count > 8,
            let id = String(validating: bytes[8...], as: UTF8.self), Declaration.isValid(id: id)
        else { return fault(name, "is not a cursor from an answer") }
        let time = bytes[..<8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return DeclarationKey(sampleTime: Instant(milliseconds: Int64(bitPattern: time)), id: id)
    }
}

extension Fields {
    /// Parses a time in RFC 3339 format.
    mutating func instant(_ key: String) -> Instant? {
        guard let text = text(key) else { return nil }
        do {
            return try Instant(rfc3339: text)
        } catch {
            return fault(key, "\(error)")
        }
    }
}
