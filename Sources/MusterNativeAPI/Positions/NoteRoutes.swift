import Hummingbird
import MusterCoding
import MusterCore
import MusterServer
import MusterStore
import MusterWire

/// Routes for the notes that devices send about themselves.
struct NoteRoutes: NativeRoutes {
    let server: ServerParts

    func register(in routes: inout RouteTable) {
        routes.add(
            Route(
                .get, "\(Self.root)/users/{user}/devices/{device}/notes",
                admits: .roles([.admin, .analyst, .leader, .member], devices: true),
                .init(
                    "Notes", "List what a device reports about itself: the latest note of each kind and key.",
                    query: [.init("kind", "Only notes of this kind.", schema: Schema.noteKind)] + Self.paging,
                    answers: [.init(200, "Notes.", json: "NotePage")]), handler: listNotes))
    }

    private func listNotes(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let device = try device(context, context.access(in: coordinator.directory)).number
        var query = Query(request)
        let kind = query.noteKind("kind")
        let limit = query.limit()
        let cursor = query.noteName("cursor")
        try query.finish()
        // Reads one item more than the page holds, to see whether there is a next page.
        let found = try await coordinator.read { store in
            try store.notes(of: device, kind: kind, after: cursor, limit: limit + 1)
        }
        let page = found.prefix(limit)
        return .json { writer in
            writer.beginObject()
            writer.member("items", listing: page) { $0.value($1) }
            writer.member("nextCursor", found.count > limit ? page.last?.name.text : nil)
            writer.endObject()
        }
    }
}

extension DeviceNote.Name {
    /// The cursor after this note: its kind in one byte, then its key.
    fileprivate var text: String { Base64.encodeUnpadded([kind.rawValue] + Array(key.utf8), .forURLs) }

    fileprivate init?(text: String) {
        guard text.utf8.count < 200, let bytes = Base64.decodeUnpadded(text, .forURLs), let first = bytes.first,
            let kind = DeviceNote.Kind(rawValue: first),
            let key = String(validating: bytes.dropFirst(), as: UTF8.self)
        else { return nil }
        self.init(kind, key: key)
    }
}

extension Query {
    /// A kind of notes, by its name in the API.
    fileprivate mutating func noteKind(_ name: String) -> DeviceNote.Kind? {
        guard let text = text(name) else { return nil }
        guard let kind = DeviceNote.Kind.allCases.first(where: { $0.wireName.description == text }) else {
            let names = DeviceNote.Kind.allCases.map(\.wireName.description).joined(separator: ", ")
            return fault(name, "must be one of \(names)")
        }
        return kind
    }

    /// A cursor from an earlier answer.
    fileprivate mutating func noteName(_ name: String) -> DeviceNote.Name? {
        guard let text = text(name) else { return nil }
        return DeviceNote.Name(text: text) ?? fault(name, "is not a cursor from an answer")
    }
}
