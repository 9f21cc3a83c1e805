import Hummingbird
import MusterCore
import MusterServer
import MusterStore
import MusterWire

/// Routes for the audit log.
struct AuditRoutes: NativeRoutes {
    let server: ServerParts

    func register(in routes: inout RouteTable) {
        routes.add(
            Route(
                .get, "\(Self.root)/audit", admits: .roles([.admin, .analyst, .leader], devices: false),
                .init(
                    "Audit",
                    "List the audit log, newest first. An admin sees every entry, a leader those about the team, "
                        + "an analyst those about what analysts read.",
                    query: Self.paging, answers: [.init(200, "Entries.", json: "AuditPage")]), handler: listAudit))
    }

    private func listAudit(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let directory = coordinator.directory
        let access = try context.access(in: directory)
        var query = Query(request)
        let limit = query.limit()
        let cursor = query.auditCursor("cursor")
        try query.finish()
        let found = try await coordinator.read { try $0.audit(before: cursor, limit: limit + 1) }
        // A page may contain fewer entries than were read. Its cursor continues after the last entry read.
        let page = found.prefix(limit)
        let next = found.count > limit ? page.last.map { Cursor.encode([$0.sequence.rawValue]) } : nil
        return .json { writer in
            writer.beginObject()
            writer.member("items", listing: page.filter { access.maySee($0) }) { $0.value($1, to: access) }
            writer.member("nextCursor", next)
            writer.endObject()
        }
    }
}

extension JSONWriter {
    /// Writes an entry as a caller may see it.
    fileprivate mutating func value(_ entry: AuditEntry, to access: Access) {
        let directory = access.directory
        beginObject()
        member("author", directory.name(of: entry.author))
        if let device = entry.device { member("device", directory.qualifiedName(of: device)) }
        if access.mayReadOperators, let name = entry.operatorName {
            member("by", "command line on the server" + (name.isEmpty ? "" : ", user \(name)"))
        }
        key("change")
        value(directory.named(entry.change), sequence: entry.sequence, at: entry.at)
        if access.mayReadDetails(of: entry), let details = entry.details {
            key("details")
            raw(details)
        }
        endObject()
    }
}

extension Query {
    /// A cursor from an earlier answer.
    fileprivate mutating func auditCursor(_ name: String) -> MusterCore.LogSequence? {
        guard let text = text(name) else { return nil }
        guard let numbers = Cursor.decode(text, count: 1) else { return fault(name, "is not a cursor from an answer") }
        return LogSequence(numbers[0])
    }
}
