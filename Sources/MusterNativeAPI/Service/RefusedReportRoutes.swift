import Hummingbird
import MusterCore
import MusterServer
import MusterStore
import MusterWire

/// Routes for admins that show the reports which the server could not read.
struct RefusedReportRoutes: NativeRoutes {
    let server: ServerParts

    func register(in routes: inout RouteTable) {
        let admins = Route.Admission.roles([.admin], devices: false)
        routes.add(
            Route(
                .get, "\(Self.root)/refused-reports", admits: admins,
                .init(
                    "Service",
                    "List reports of devices that the server could not read and their senders will not send again, the "
                        + "newest first.",
                    query: [.init("user", "Only those of this user's credentials.", schema: Schema.name)] + Self.paging,
                    answers: [.init(200, "Reports, without their bodies.", json: "RefusedReportPage")]),
                handler: listReports))
        routes.add(
            Route(
                .get, "\(Self.root)/refused-reports/{report}", admits: admins,
                .init(
                    "Service", "Read a report that the server could not read, with its body as text.",
                    answers: [.init(200, "The report.", json: "RefusedReport")]), handler: seeReport))
    }

    private func listReports(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let directory = coordinator.directory
        var query = Query(request)
        let limit = query.limit()
        try query.finish()
        var user: UserNumber?
        if let name = query.text("user") {
            guard let found = directory.users[name] else { throw Problem.invalid("?user", "there is no such user") }
            user = found.number
        }
        var before: Int64?
        if let cursor = query.text("cursor") {
            guard let numbers = Cursor.decode(cursor, count: 1) else {
                throw Problem.invalid("?cursor", "is not a cursor from an answer")
            }
            before = numbers[0]
        }
        let (owner, end) = (user, before)
        let found = try await coordinator.read { try $0.refusedReports(of: owner, before: end, limit: limit + 1) }
        let items = found.prefix(limit)
        return .json { writer in
            writer.beginObject()
            writer.member("items", listing: items) { writer, report in
                writer.beginObject()
                writer.members(of: report, in: directory)
                writer.endObject()
            }
            if found.count > limit, let last = items.last {
                writer.member("nextCursor", Cursor.encode([last.number]))
            }
            writer.endObject()
        }
    }

    private func seeReport(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        guard let number = Int64(try context.parameter("report")),
            let report = try await coordinator.read({ try $0.refusedReport(number) })
        else { throw Problem.notFound }
        let directory = coordinator.directory
        return .json { writer in
            writer.beginObject()
            writer.members(of: report, in: directory)
            writer.member("body", String(decoding: report.body, as: UTF8.self))
            writer.endObject()
        }
    }
}

extension JSONWriter {
    fileprivate mutating func members(of report: RefusedReport, in directory: Directory) {
        member("number", report.number)
        member("receivedTime", report.receivedAt)
        member("user", directory.users[report.user]?.name)
        if let device = report.device { member("device", directory.qualifiedName(of: device)) }
        member("topic", report.topic)
        member("reason", report.reason)
        member("bytes", report.byteCount)
    }
}
