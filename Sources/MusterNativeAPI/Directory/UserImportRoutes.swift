import Hummingbird
import MusterCore
import MusterServer
import MusterWire
import NIOCore

/// The route that makes many users at once.
struct UserImportRoutes: NativeRoutes {
    let server: ServerParts

    func register(in routes: inout RouteTable) {
        let boolean = #"{"type":"boolean"}"#
        routes.add(
            // The route is not below `/users`, because a user may be called `import`.
            Route(
                .post, "\(Self.root)/user-imports", admits: .roles([.admin], devices: false),
                .init(
                    "Users", "Create the users of a table, all or none.",
                    query: [
                        .init("dryRun", "Only say what would be made, and every fault.", schema: boolean),
                        .init("makeTeams", "Create the teams that do not exist.", schema: boolean),
                        .init("device", "Create a device of this name for each user.", schema: Schema.name),
                    ],
                    body: ["text/csv": "UserTable"],
                    answers: [
                        .init(200, "What would be made.", json: "UserImport"),
                        .init(201, "What was made.", json: "UserImport"),
                    ]), handler: importUsers))
    }

    private func importUsers(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        var query = Query(request)
        let isDryRun = query.boolean("dryRun") ?? false
        let makesTeams = query.boolean("makeTeams") ?? false
        let device = query.text("device")
        if let device, !EntityName.isValid(device) { query.addFault("device", "must be \(Fields.nameRule)") }
        try query.finish()
        // A page of another server can send other types without asking this one first.
        guard request.mediaType == "text/csv" else { throw Problem.unsupportedMediaType("Send text/csv.") }
        let body = try await request.collectBody(.table)
        let directory = coordinator.directory
        // A table with faults never reaches the writer. The writer checks again, as the directory may have changed.
        let (users, preview) = try await coordinator.read { _ in
            let table = body.withUnsafeReadableBytes { UserTable(parsing: $0) }
            let users = UserImport(table: table, makesTeams: makesTeams, device: device)
            return (users, try users.preview(in: directory))
        }
        if isDryRun { return response(preview, .ok) }
        let made = try await coordinator.edit(by: context.author) { directory, draft in
            try Self.requireRight(of: context, in: directory)
            return try users.add(to: &draft, in: directory)
        }
        return response(made, .created)
    }

    /// Checks the caller's right again: a large body takes long, and an admin may have become none meanwhile.
    private static func requireRight(of context: AppRequestContext, in directory: Directory) throws(Problem) {
        guard let principal = context.principal, let caller = directory.users[principal.user],
            Access(Principal(caller, device: principal.device, proof: principal.proof), in: directory).mayChangeAccounts
        else { throw .forbidden }
    }

    private func response(_ made: UserImport.Made, _ status: HTTPResponse.Status) -> Response {
        .json(status) { writer in
            writer.beginObject()
            writer.member("users", made.users)
            writer.member("teams", made.teams)
            writer.member("crews", made.crews)
            writer.member("devices", made.devices)
            writer.endObject()
        }
    }
}
