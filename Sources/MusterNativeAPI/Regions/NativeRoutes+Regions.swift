import Hummingbird
import MusterCore
import MusterServer
import MusterWire

/// Lookups and edits that the routes about regions share.
extension NativeRoutes {
    /// The collection that the path names, if the caller may change its regions.
    func changeableCollection(_ context: AppRequestContext, _ access: Access) throws(Problem) -> RegionCollection {
        let collection = try collection(context, access)
        try access.requireChange(of: collection)
        return collection
    }

    /// Parses the regions in a body. A large file takes a while, so a reader's thread parses it.
    ///
    /// - Throws: `RegionFaults` with every fault.
    func regionDrafts(of request: Request) async throws -> [RegionDraft] {
        try request.requireJSON()
        let body = try await request.collectBody(.large)
        return try await coordinator.read { _ in
            try body.withUnsafeReadableBytes { bytes in try RegionDraft.decode(bytes) }
        }
    }

    /// Writes a region as a GeoJSON Feature.
    static func write(
        _ region: Region, in directory: Directory, musterRules: [String] = [], to writer: inout JSONWriter
    ) {
        var scanner: String?
        if case .scanner(let device) = region.beacon?.source { scanner = directory.qualifiedName(of: device) }
        writer.feature(region, isMuster: directory.isMuster(region), scanner: scanner, musterRules: musterRules)
    }
}
