import Crypto
import Foundation
package import Logging
import MusterCoding
import MusterCore
import MusterHTTP
package import MusterTiles
package import NIOCore
import Synchronization

/// The files of map tiles that the server has, by name, and the threads that read them.
///
/// Anyone may read them: they are no person's data, and a page loads tiles by their addresses, which must hold no
/// token.
package final class TileCatalog: Sendable {
    /// The name of the map of the world that comes with the web page.
    package static let world = "world"

    /// A file with its name.
    package struct Entry: Sendable {
        package let name: String
        package let file: TileFile
    }

    /// A tile in the form in which it is sent.
    package struct Answer: Sendable {
        package let bytes: ByteBuffer
        package let isPacked: Bool
        /// The tile's `ETag` (RFC 9110, section 8.8.3): that of its stored bytes, and of the encoding they are sent in.
        package let tag: String
    }

    /// The entries in their order: the world, and then as the operator named them.
    package let entries: [Entry]
    private let byName: [String: TileFile]
    private let threads = WorkerPool<ReadingLane>(threads: 2, jobs: ReadingLimits.jobs)
    private let logger: Logger
    /// The faults that were logged, so that a damaged tile that is asked for again and again is logged once.
    private let logged = Mutex<Set<TileFileError>>([])

    private static let mostLogged = 1_000

    /// Opens the operator's files, and the map of the world where the page has one.
    ///
    /// - Parameter worldPath: the shipped map's file; nil where there is none. If it is damaged the server goes on
    ///   without it, and logs that.
    /// - Throws: `TileFileError` for the first file of the operator's that cannot be read.
    package init(_ settings: [Configuration.Tiles], worldPath: String?, logger: Logger) throws(TileFileError) {
        var entries: [Entry] = []
        if let worldPath {
            do throws(TileFileError) {
                entries.append(Entry(name: Self.world, file: try TileFile(path: worldPath)))
            } catch {
                logger.warning("The live map lacks the map of the world: \(error)")
            }
        }
        for setting in settings { entries.append(Entry(name: setting.name, file: try TileFile(path: setting.path))) }
        self.entries = entries
        byName = Dictionary(entries.map { ($0.name, $0.file) }, uniquingKeysWith: { first, _ in first })
        self.logger = logger
    }

    /// Opens the files that a server's settings name, and the map of the world beside its web page.
    package convenience init(_ settings: Configuration, logger: Logger) throws(TileFileError) {
        let world = settings.webRoot.map { "\($0)/basemap/world.pmtiles" }
        try self.init(
            settings.tiles, worldPath: world.flatMap { FileManager.default.fileExists(atPath: $0) ? $0 : nil },
            logger: logger)
    }

    deinit { threads.shutDownSoon() }

    /// The file of a name; nil when there is none.
    package func file(named name: String) -> TileFile? { byName[name] }

    /// Reads a tile on a thread that may block.
    ///
    /// - Parameter isPacked: whether the client takes gzip.
    /// - Returns: nil when the file has no such tile.
    /// - Throws: `TileFileError`, which is logged here; `WorkError` when too many reads wait.
    package func tile(of file: TileFile, at coordinate: TileCoordinate, packed isPacked: Bool) async throws -> Answer? {
        let work = RequestWork.current
        let lane = work.map { work in
            work.client.map { ReadingLane.user(UserNumber($0.number)) } ?? .address(AddressPrefix.of(work.address))
        }
        let share = WorkerPool<ReadingLane>.Share(threads: 2, jobs: ReadingLimits.jobsOfOne)
        return try await threads.run(lane ?? .server, share: share, isAbandoned: { work?.isAbandoned ?? false }) {
            do throws(TileFileError) {
                guard let tile = try file.tile(at: coordinate) else { return nil }
                let isSentPacked = tile.isPacked && isPacked
                return Answer(
                    bytes: isSentPacked ? tile.bytes : try file.inflate(tile), isPacked: isSentPacked,
                    tag: Self.tag(of: tile.bytes, isPacked: isSentPacked))
            } catch {
                self.log(error)
                throw error
            }
        }
    }

    private static func tag(of bytes: ByteBuffer, isPacked: Bool) -> String {
        var hash = SHA256()
        bytes.withUnsafeReadableBytes { hash.update(bufferPointer: $0) }
        return "\"\(Base64.encodeUnpadded(Array(hash.finalize().prefix(15)), .forURLs))\(isPacked ? "-gzip" : "")\""
    }

    private func log(_ error: TileFileError) {
        let isNew = logged.withLock { $0.count < Self.mostLogged && $0.insert(error).inserted }
        if isNew { logger.warning("A map tile cannot be read: \(error)") }
    }
}
