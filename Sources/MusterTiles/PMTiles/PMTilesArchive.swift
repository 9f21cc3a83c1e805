import MusterHTTP
import MusterWire
import NIOCore

/// A PMTiles file of version 3, of which only the root directory and the leaf directories used last are in memory.
final class PMTilesArchive: TileArchive {
    let summary: TileSummary
    let areTilesPacked: Bool?
    private let file: RandomAccessFile
    private let header: PMTilesHeader
    private let root: TileDirectory
    private let leaves = DirectoryCache()

    /// How deep directories may be nested: the root, and three below it. Writers make two levels.
    private static let deepest = 4

    /// Opens a file, and checks its header, its root directory and its metadata.
    ///
    /// - Throws: the first fault.
    init(_ file: RandomAccessFile) throws(TileFileError) {
        self.file = file
        let start = try file.read(at: 0, count: Int(min(file.byteCount, PMTilesHeader.byteCount)))
        header = try PMTilesHeader(start, fileBytes: file.byteCount, path: file.path)
        root = try Self.directory(header.root, .rootDirectory, header, file)
        let metadata = try Self.metadata(header, file)
        areTilesPacked = header.areTilesPacked
        summary = TileSummary(
            format: header.format, zooms: header.zooms, bounds: header.bounds, attribution: metadata.attribution,
            layers: header.format.isVector ? metadata.layers : [])
    }

    func content(at coordinate: TileCoordinate) throws(TileFileError) -> StoredTile? {
        let number = coordinate.number
        var directory = root
        var visited: Set<UInt64> = []
        for _ in 0..<Self.deepest {
            guard let entry = directory.entry(for: number) else { return nil }
            guard entry.isLeaf else { return try tile(entry) }
            let section = PMTilesHeader.Section(
                offset: header.leaves.offset + entry.offset, byteCount: UInt64(entry.byteCount))
            guard visited.insert(section.offset).inserted else {
                throw TileFileError(file.path, at: section.offset, .circularDirectory)
            }
            directory = try leaves.directory(at: section.offset) {
                Result { () throws(TileFileError) in
                    try Self.directory(section, .leafDirectory, header, file)
                }
            }
        }
        throw TileFileError(file.path, at: header.leaves.offset, .directoriesTooDeep(limit: Self.deepest))
    }

    private func tile(_ entry: TileDirectory.Entry) throws(TileFileError) -> StoredTile {
        let offset = header.tileData.offset + entry.offset
        guard Int(entry.byteCount) <= TileFile.mostTileBytes else {
            throw TileFileError(
                file.path, at: offset,
                .tooLarge(.tile, bytes: UInt64(entry.byteCount), limit: UInt64(TileFile.mostTileBytes)))
        }
        return StoredTile(bytes: try file.read(at: offset, count: Int(entry.byteCount)), offset: offset)
    }

    private static func directory(
        _ section: PMTilesHeader.Section, _ part: TileFileError.Part, _ header: PMTilesHeader, _ file: RandomAccessFile
    ) throws(TileFileError) -> TileDirectory {
        guard section.byteCount <= PMTilesHeader.longestDirectory else {
            throw TileFileError(
                file.path, at: section.offset,
                .tooLarge(part, bytes: section.byteCount, limit: PMTilesHeader.longestDirectory))
        }
        let bytes = try content(section, part, limit: TileDirectory.mostBytes, header, file)
        do throws(TileDirectory.Fault) {
            return try TileDirectory(
                parsing: bytes.readableBytesView, tileBytes: header.tileData.byteCount,
                leafBytes: header.leaves.byteCount)
        } catch {
            throw TileFileError(file.path, at: section.offset, .damaged(part, error.words))
        }
    }

    private static func metadata(
        _ header: PMTilesHeader, _ file: RandomAccessFile
    ) throws(TileFileError) -> TileMetadata {
        if header.metadata.byteCount == 0 { return TileMetadata() }
        let limit = Int(PMTilesHeader.longestMetadata) * 4
        let bytes = try content(header.metadata, .metadata, limit: limit, header, file)
        do throws(JSONError) {
            return try TileMetadata(parsing: Array(bytes.readableBytesView))
        } catch {
            throw TileFileError(
                file.path, at: header.metadata.offset,
                .damaged(.metadata, "it is no JSON object that this server reads: \(error)"))
        }
    }

    /// Reads a section that is compressed as directories are.
    private static func content(
        _ section: PMTilesHeader.Section, _ part: TileFileError.Part, limit: Int, _ header: PMTilesHeader,
        _ file: RandomAccessFile
    ) throws(TileFileError) -> ByteBuffer {
        let bytes = try file.read(at: section.offset, count: Int(section.byteCount))
        guard header.isDirectoryPacked else { return bytes }
        return try TileFile.inflate(bytes, part, limit: limit, path: file.path, at: section.offset)
    }
}
