import HTTPTypes
import Hummingbird
import MusterCore
import MusterGeometry
import MusterServer
import MusterWire
import NIOCore

/// All regions of a collection as one KML file. Beacon regions are left out: KML has no word for what a radio decides,
/// and a file that is imported again must not turn them into regions that fixes decide.
struct RegionExport: Sendable {
    private let collection: RegionCollection
    /// The directory as it was when the request came. The file is of that moment, whatever is edited meanwhile.
    private let directory: Directory

    /// About how many bytes are written at once.
    private static let pieceBytes = 64 << 10

    init(of collection: RegionCollection, in directory: Directory) {
        self.collection = collection
        self.directory = directory
    }

    /// Whether a request asks for KML: by the query, otherwise by the first format of `Accept` that there is.
    static func isWanted(by request: Request, _ query: inout Query) -> Bool {
        if let name = query.text("format") {
            if name != "kml", name != "geojson" { query.addFault("format", "must be geojson or kml") }
            return name == "kml"
        }
        let known = [KMLWriter.mediaType, RegionRoutes.geoJSON, "application/json"]
        let accepted = (request.headers[.accept] ?? "").split(separator: ",").lazy
        return accepted.map { $0.prefix { $0 != ";" }.lowercased().filter { $0 != " " } }
            .first { known.contains($0) } == KMLWriter.mediaType
    }

    var response: Response {
        Response(
            status: .ok, headers: [.contentType: KMLWriter.mediaType],
            body: ResponseBody { writer in
                var file = KMLWriter()
                file.begin(named: collection.name, describedBy: lines)
                var bytes = 0
                for number in directory.regions(in: collection.number) {
                    guard let region = directory.regions[number], region.beacon == nil else { continue }
                    file.append(region, isMuster: directory.isMuster(region))
                    bytes += 200 + (region.shape?.positionCount ?? 0) * 25
                    guard bytes > Self.pieceBytes else { continue }
                    try await writer.write(ByteBuffer(bytes: file.takeBytes()))
                    bytes = 0
                }
                file.end()
                try await writer.write(ByteBuffer(bytes: file.takeBytes()))
                try await writer.finish(nil)
            })
    }

    /// What the file lacks.
    private var lines: [String] {
        let count = directory.regions(in: collection.number).count { directory.regions[$0]?.beacon != nil }
        return count == 0 ? [] : ["\(count) beacon regions are left out: KML cannot say what a radio decides."]
    }
}
