import Hummingbird
import MusterCore
import MusterGeometry
import MusterServer
import MusterStore
import MusterWire
import NIOCore

// The route that reads a device's position history, and exports it in other formats.

/// The part of a device's history that a request asks for.
private struct HistoryRange: Sendable {
    let device: DeviceNumber
    let name: String
    let from: Instant
    let to: Instant
    /// The largest number of positions; nil for all.
    let limit: Int?
    let cursor: HistoryCursor?
}

/// Routes for devices' positions over time.
struct HistoryRoutes: NativeRoutes {
    let server: ServerParts

    /// The number of positions read at once.
    private static let pageSize = 1000
    /// Later than every time in RFC 3339 format: the year 10000.
    static let endOfTime = Instant(milliseconds: 253_402_300_800_000)

    func register(in routes: inout RouteTable) {
        routes.add(
            Route(
                .get, "\(Self.root)/users/{user}/devices/{device}/positions",
                admits: .roles([.admin, .analyst, .leader, .member], devices: true),
                .init(
                    "Positions",
                    "Read a device's positions, oldest first. JSON comes in pages, other formats in one piece.",
                    query: [
                        .init("from", "The first sample time, RFC 3339.", schema: Schema.time),
                        .init("to", "The end of the sample times, exclusive, RFC 3339.", schema: Schema.time),
                        .init("format", "The format. Without it, `Accept` decides.", schema: Schema.exportForm),
                    ] + Self.paging,
                    answers: [
                        .init(
                            200, "Positions.",
                            body: [
                                "application/json": "HistoryPage", "application/geo+json": "FeatureCollection",
                                "application/gpx+xml": "Text", "text/csv": "Text", "application/x-ndjson": "Text",
                            ])
                    ]), handler: seeHistory))
    }

    private func seeHistory(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let directory = coordinator.directory
        let device = try device(context, context.access(in: directory))
        var query = Query(request)
        let from = query.instant("from") ?? Instant(milliseconds: 0)
        let to = query.instant("to") ?? Self.endOfTime
        let form = try Self.form(of: request, &query)
        let limit = form == .json ? query.limit() : query.integer("limit", in: 1...1_000_000).map { Int($0) }
        let cursor = query.historyCursor("cursor")
        try query.finish()
        let range = HistoryRange(
            device: device.number, name: directory.qualifiedName(of: device.number) ?? "", from: from, to: to,
            limit: limit, cursor: cursor)
        // The first page is read before the head of the answer is sent, so that errors still get their own status.
        let first = try await page(of: range, after: cursor, held: 0)
        return Response(
            status: .ok, headers: [.contentType: form.contentType],
            body: ResponseBody { writer in try await write(range, first, as: form, to: &writer) })
    }

    /// Writes page after page, and holds only one in memory.
    private func write(
        _ range: HistoryRange, _ first: [Position], as form: PositionExport.Form,
        to writer: inout any ResponseBodyWriter
    ) async throws {
        var export = PositionExport(as: form)
        export.begin()
        var page = first
        var held = 0
        var last: Position?
        var hasMore = false
        while true {
            let room = range.limit.map { $0 - held } ?? .max
            hasMore = page.count > room
            let directory = coordinator.directory
            for position in page.prefix(room) {
                let reporter = position.reporter.map { directory.name(of: $0) }
                export.append(position, device: range.name, reporter: reporter)
            }
            held += min(page.count, room)
            last = page.prefix(room).last ?? last
            guard page.count == Self.pageSize, !hasMore, let end = page.last else { break }
            try await writer.write(ByteBuffer(bytes: export.takeBytes()))
            page = try await self.page(of: range, after: HistoryCursor(end), held: held)
        }
        export.end(nextCursor: hasMore ? last.map { HistoryCursor($0).text } : nil)
        try await writer.write(ByteBuffer(bytes: export.takeBytes()))
        try await writer.finish(nil)
    }

    /// The next positions, at most a page. Includes one more than the request wants, to see whether there are more.
    private func page(of range: HistoryRange, after cursor: HistoryCursor?, held: Int) async throws -> [Position] {
        let limit = range.limit.map { min(Self.pageSize, $0 - held + 1) } ?? Self.pageSize
        return try await coordinator.read { store in
            try store.positions(of: range.device, from: range.from, to: range.to, after: cursor, limit: limit)
        }
    }

    /// The format that the query names, or the first supported one that the client accepts; JSON where it accepts any.
    private static func form(of request: Request, _ query: inout Query) throws(Problem) -> PositionExport.Form {
        if let name = query.text("format") {
            guard let form = PositionExport.Form(rawValue: name) else {
                let names = PositionExport.Form.allCases.map(\.rawValue).joined(separator: ", ")
                return query.fault("format", "must be one of \(names)") ?? .json
            }
            return form
        }
        let accepted = (request.headers[.accept] ?? "").split(separator: ",").lazy
        return accepted.compactMap { PositionExport.Form(mediaType: String($0)) }.first ?? .json
    }
}

extension Query {
    /// A cursor from an earlier answer.
    fileprivate mutating func historyCursor(_ name: String) -> HistoryCursor? {
        guard let text = text(name) else { return nil }
        guard let cursor = HistoryCursor(text: text) else { return fault(name, "is not a cursor from an answer") }
        return cursor
    }
}
