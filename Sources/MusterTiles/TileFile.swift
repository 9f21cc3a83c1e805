import MusterHTTP
package import NIOCore
import Synchronization

/// A file of map tiles that is open for reading: PMTiles of version 3, or MBTiles. Any number of threads may read it.
///
/// A file that is damaged where it can be seen at once does not open. Where the damage is in one tile or one directory,
/// only the tiles in it are refused. Nothing in a file makes the server keep, or hand on, more than the limits here.
package final class TileFile: Sendable {
    package let summary: TileSummary
    private let archive: any TileArchive
    private let path: String
    /// The tiles whose compressed bytes were inflated once, and were whole and within the limit.
    private let checked = Mutex<Set<TileCoordinate>>([])

    /// The longest tile, as it is stored, and inflated. Tiles of real maps stay below 1 MiB.
    package static let mostTileBytes = 16 << 20

    /// How many tiles are remembered as checked. Beyond that they are checked again.
    private static let mostChecked = 65_536

    /// A tile as it is stored.
    package struct Tile: Sendable {
        package let bytes: ByteBuffer
        /// Whether the bytes are compressed with gzip.
        package let isPacked: Bool
    }

    /// Opens a file. Its first bytes decide which format it has.
    ///
    /// - Throws: what is wrong with the file, and where.
    package init(path: String) throws(TileFileError) {
        let file = try RandomAccessFile(path: path)
        let start = try file.read(at: 0, count: Int(min(file.byteCount, 16)))
        if start.readableBytesView.elementsEqual(MBTilesArchive.magic) {
            archive = try MBTilesArchive(file)
        } else {
            archive = try PMTilesArchive(file)
        }
        self.path = path
        summary = archive.summary
    }

    /// Returns a tile; nil when the file has none there. Blocks while the disk is read.
    ///
    /// - Throws: what is wrong with the tile, or with a directory on the way to it.
    package func tile(at coordinate: TileCoordinate) throws(TileFileError) -> Tile? {
        guard summary.zooms.contains(coordinate.zoom), let stored = try archive.content(at: coordinate) else {
            return nil
        }
        let bytes = stored.bytes
        guard summary.format.isVector else { return Tile(bytes: bytes, isPacked: false) }
        let isPacked = bytes.readableBytesView.prefix(2).elementsEqual([0x1F, 0x8B])
        if let promised = archive.areTilesPacked, promised != isPacked {
            throw TileFileError(
                path, at: stored.offset,
                .damaged(.tile, promised ? "it is not compressed with gzip" : "it is compressed with gzip"))
        }
        if isPacked, !checked.withLock({ $0.contains(coordinate) }) {
            _ = try Self.inflate(bytes, .tile, limit: Self.mostTileBytes, path: path, at: stored.offset)
            checked.withLock { checked in
                if checked.count >= Self.mostChecked { checked.removeAll(keepingCapacity: true) }
                checked.insert(coordinate)
            }
        }
        return Tile(bytes: bytes, isPacked: isPacked)
    }

    /// Returns the bytes of a tile without compression.
    package func inflate(_ tile: Tile) throws(TileFileError) -> ByteBuffer {
        guard tile.isPacked else { return tile.bytes }
        return try Self.inflate(tile.bytes, .tile, limit: Self.mostTileBytes, path: path)
    }

    static func inflate(
        _ bytes: ByteBuffer, _ part: TileFileError.Part, limit: Int, path: String, at offset: UInt64? = nil
    ) throws(TileFileError) -> ByteBuffer {
        do throws(InflateError) {
            return try Gzip.inflate(bytes, limitBytes: limit)
        } catch {
            switch error {
            case .tooLarge: throw TileFileError(path, at: offset, .inflatesBeyond(part, limit: UInt64(limit)))
            case .damaged: throw TileFileError(path, at: offset, .damaged(part, "its gzip stream is not whole"))
            }
        }
    }
}

/// What a format of tile files has to say.
protocol TileArchive: Sendable {
    var summary: TileSummary { get }
    /// Whether vector tiles are compressed with gzip; nil where each may be, or not.
    var areTilesPacked: Bool? { get }
    /// The stored bytes of a tile within the file's zooms; nil when it has none there.
    func content(at coordinate: TileCoordinate) throws(TileFileError) -> StoredTile?
}

/// The bytes of a tile, and where they lie in the file; nil where the format has no such place.
struct StoredTile {
    let bytes: ByteBuffer
    let offset: UInt64?
}
