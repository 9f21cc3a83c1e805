import HTTPTypes
import Hummingbird
import MusterCore
import MusterServer
import MusterStore
import MusterWire
import NIOCore

/// Routes for an incident's report and its log.
struct IncidentReportRoutes: NativeRoutes {
    let server: ServerParts

    /// The number of record lines read at once.
    private static let recordPageSize = 1000
    /// The largest number of lines about PAR from which the report's table of rounds is made. The changes have all.
    private static let parLineLimit = 100_000

    func register(in routes: inout RouteTable) {
        routes.add(
            Route(
                .get, "\(Self.root)/incidents/{incident}/report",
                admits: .roles([.admin, .analyst, .leader], devices: false),
                .init(
                    "Incidents", "Read the complete report on an incident: as JSON, as CSV, or as HTML to print.",
                    query: [
                        .init("format", "The format. Without it, `Accept` decides.", schema: Schema.reportForm)
                    ],
                    answers: [
                        .init(
                            200, "The report.",
                            body: ["application/json": "IncidentReport", "text/csv": "Text", "text/html": "Text"])
                    ]), handler: seeReport))
    }

    private func seeReport(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let access = try context.access(in: coordinator.directory)
        let incident = try await incident(context, access)
        guard access.mayReadRoll(of: incident) else { throw Problem.notFound }
        var query = Query(request)
        let form = Self.reportForm(of: request, &query)
        try query.finish()
        let roll = try await roll(of: incident, for: access)
        let report = IncidentReport(on: roll, parRounds: try await parRounds(of: incident, roll, access), as: form)
        let names = Dictionary(roll.people.map { ($0.number, $0.user) }) { $1 }
        // The first page is read before the head of the answer is sent, so that errors still get their own status.
        let first = try await lines(of: incident, after: 0)
        var headers: HTTPFields = [
            .contentType: form.contentType, .contentSecurityPolicy: "default-src 'none'; style-src 'unsafe-inline'",
            .xContentTypeOptions: "nosniff",
        ]
        if form == .csv {
            headers[.contentDisposition] = "attachment; filename=\"incident-\(incident.number.rawValue).csv\""
        }
        return Response(
            status: .ok, headers: headers,
            body: ResponseBody { writer in
                try await write(report, on: incident, first, to: &writer) { access.directory.named($0, names) }
            })
    }

    /// Every round of PAR. The open one is as it is now.
    private func parRounds(
        of incident: Incident, _ roll: NamedRoll, _ access: Access
    ) async throws -> [NamedPARRound] {
        let lines = try await coordinator.read { try $0.parLines(of: incident.number, limit: Self.parLineLimit) }
        var rounds = PARRound.rounds(of: lines).map { access.directory.named($0) }
        if let newest = roll.par?.newest, newest.round.number == rounds.last?.round.number {
            rounds[rounds.count - 1] = newest
        }
        return rounds
    }

    /// Writes page after page, and holds only one in memory.
    private func write(
        _ report: IncidentReport, on incident: Incident, _ first: [RecordLine],
        to writer: inout any ResponseBodyWriter, _ named: (IncidentEntry) -> NamedRecordLine
    ) async throws {
        var report = report
        var page = first
        report.begin()
        while true {
            for line in page { report.append(named(line.entry)) }
            guard page.count == Self.recordPageSize, let last = page.last else { break }
            try await writer.write(ByteBuffer(bytes: report.takeBytes()))
            page = try await lines(of: incident, after: last.place)
        }
        report.end()
        try await writer.write(ByteBuffer(bytes: report.takeBytes()))
        try await writer.finish(nil)
    }

    private func lines(of incident: Incident, after place: Int64) async throws -> [RecordLine] {
        try await coordinator.read { store in
            try store.record(of: incident.number, after: place, limit: Self.recordPageSize)
        }
    }

    /// The format that the query names, or the first supported one that the client accepts; JSON where it accepts any.
    private static func reportForm(of request: Request, _ query: inout Query) -> IncidentReport.Form {
        if let name = query.text("format") {
            guard let form = IncidentReport.Form(rawValue: name) else {
                return query.fault("format", "must be one of json, csv, html") ?? .json
            }
            return form
        }
        let accepted = (request.headers[.accept] ?? "").split(separator: ",").lazy
        return accepted.compactMap { IncidentReport.Form(mediaType: String($0)) }.first ?? .json
    }
}

extension HTTPField.Name {
    /// The field of the Fetch standard that keeps browsers from running text as a program.
    static let xContentTypeOptions = HTTPField.Name("X-Content-Type-Options")!
}
