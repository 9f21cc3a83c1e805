import Hummingbird
import MusterCore
import MusterServer
import MusterStore
import NIOCore

/// Routes for the log of changes.
struct ChangeRoutes: NativeRoutes {
    let server: ServerParts

    func register(in routes: inout RouteTable) {
        routes.add(
            Route(
                .get, "\(Self.root)/changes", admits: .roles([.admin, .analyst, .leader, .member], devices: true),
                .init(
                    "Changes", "Read changes of the log that you may see.",
                    query: [
                        .init(
                            "since", "The sequence number after which to begin; 0 for all stored changes.",
                            schema: Schema.since),
                        .init("limit", "The number of changes to examine, approximately.", schema: Schema.limit),
                    ], answers: [.init(200, "Changes.", json: "ChangePage")]), handler: listChanges))
    }

    private func listChanges(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        var query = Query(request)
        let since = query.sequence("since") ?? .zero
        let limit = query.limit()
        try query.finish()
        // Reads the end first, so that a change committed in between is not skipped.
        let (newest, changes) = try await coordinator.read { store in
            (store.lastSequence, try store.changes(since: since, limit: limit))
        }
        let directory = coordinator.directory
        let access = try context.access(in: directory)
        // The client continues after the last change read, whether or not the client may see it.
        let last = changes.last?.sequence ?? newest
        var bytes = Array(#"{"items":["#.utf8)
        for change in changes where access.maySee(change.change) {
            if bytes.last != UInt8(ascii: "[") { bytes.append(UInt8(ascii: ",")) }
            bytes += LiveEvent(change, directory: directory).json
        }
        bytes += #"],"lastSequence":\#(last.rawValue),"more":\#(last < newest)}"#.utf8
        return Response(ByteBuffer(bytes: bytes), as: "application/json", answering: request)
    }
}
