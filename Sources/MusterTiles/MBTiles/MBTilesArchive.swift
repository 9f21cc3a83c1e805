import MusterWire
import NIOCore
import Synchronization

/// An MBTiles file of version 1.x: an SQLite database with the tables, or views, `metadata` and `tiles`
/// (https://github.com/mapbox/mbtiles-spec/blob/master/1.3/spec.md). Its rows count from the south.
final class MBTilesArchive: TileArchive {
    let summary: TileSummary
    let areTilesPacked: Bool? = nil
    private let tiles: Mutex<TileTable>
    /// Notices when the file is written to.
    private let file: RandomAccessFile

    static let magic = Array("SQLite format 3\0".utf8)

    /// Where SQLite's header has the size of a page, the number of pages, and a number that says whether that is known
    /// (https://www.sqlite.org/fileformat2.html, section 1.3).
    private enum Field {
        static let pageSize = 16, changes = 24, pages = 28, changesAtPages = 92
    }

    private static let headerBytes = 100

    /// Opens a file, and reads its metadata.
    ///
    /// - Throws: the first fault; SQLite's words where it finds one.
    init(_ file: RandomAccessFile) throws(TileFileError) {
        self.file = file
        try Self.checkLength(file)
        let table = try TileTable(path: file.path)
        summary = try MBTilesMetadata(try table.metadata(), path: file.path).summary { () throws(TileFileError) in
            try table.zooms()
        }
        tiles = Mutex(table)
    }

    func content(at coordinate: TileCoordinate) throws(TileFileError) -> StoredTile? {
        try file.requireUnchanged()
        let outcome = tiles.withLock { table in
            Result { () throws(TileFileError) in try table.tile(at: coordinate) }
        }
        return try outcome.get().map { StoredTile(bytes: $0, offset: nil) }
    }

    /// Finds a file that was cut off, of which SQLite would see only the pages that it happens to read.
    private static func checkLength(_ file: RandomAccessFile) throws(TileFileError) {
        guard file.byteCount >= UInt64(headerBytes) else {
            throw TileFileError(
                file.path, at: file.byteCount,
                .headerCutOff(fileBytes: file.byteCount, headerBytes: UInt64(headerBytes)))
        }
        let header = try file.read(at: 0, count: headerBytes)
        let written: UInt16 = header.getInteger(at: Field.pageSize) ?? 0
        let pageSize: UInt64 = written == 1 ? 65_536 : UInt64(written)
        let pages: UInt32 = header.getInteger(at: Field.pages) ?? 0
        let areKnown =
            header.getInteger(at: Field.changes, as: UInt32.self)
            == header.getInteger(at: Field.changesAtPages, as: UInt32.self)
        guard areKnown, UInt64(pages) * pageSize > file.byteCount else { return }
        throw TileFileError(
            file.path, at: UInt64(Field.pages),
            .damaged(.tiles, "the file has \(file.byteCount) bytes, and should have \(UInt64(pages) * pageSize)"))
    }
}

/// The questions that an MBTiles file is asked.
private struct TileTable: ~Copyable {
    private let database: SQLiteFile
    private let tileQuery: SQLiteFile.Statement

    private static let mostMetadataRows = 1_000

    init(path: String) throws(TileFileError) {
        let database = try SQLiteFile(path: path, longestValue: TileFile.mostTileBytes)
        tileQuery = try database.prepare(
            "SELECT tile_data FROM tiles WHERE zoom_level = ?1 AND tile_column = ?2 AND tile_row = ?3 LIMIT 1")
        self.database = database
    }

    func tile(at coordinate: TileCoordinate) throws(TileFileError) -> ByteBuffer? {
        let row = (Int64(1) << Int64(coordinate.zoom)) - 1 - Int64(coordinate.row)
        var found: ByteBuffer?
        try database.ask(tileQuery, [Int64(coordinate.zoom), Int64(coordinate.column), row]) { values in
            switch values.first {
            case .blob(let bytes): found = bytes
            case .text(let text): found = ByteBuffer(string: text)
            default: break
            }
            return false
        }
        return found
    }

    func metadata() throws(TileFileError) -> [String: String] {
        var rows: [String: String] = [:]
        let query = try database.prepare("SELECT name, value FROM metadata LIMIT \(Self.mostMetadataRows)")
        try database.ask(query) { values in
            guard values.count == 2, case .text(let name) = values[0] else { return true }
            switch values[1] {
            case .text(let value): rows[name] = value
            case .integer(let value): rows[name] = "\(value)"
            case .blob, .null: break
            }
            return true
        }
        return rows
    }

    /// The least and the greatest zoom that have tiles; nil for a file without tiles.
    func zooms() throws(TileFileError) -> (least: Int, greatest: Int)? {
        var ends: [Int] = []
        for function in ["min", "max"] {
            let query = try database.prepare("SELECT \(function)(zoom_level) FROM tiles")
            try database.ask(query) { values in
                if case .integer(let zoom)? = values.first { ends.append(Int(clamping: zoom)) }
                return false
            }
        }
        return ends.count == 2 ? (ends[0], ends[1]) : nil
    }
}

/// The table `metadata`: names and values, all of them texts.
private struct MBTilesMetadata {
    let rows: [String: String]
    let path: String

    init(_ rows: [String: String], path: String) {
        self.rows = rows
        self.path = path
    }

    /// - Parameter findZooms: finds the zooms where the table does not say them.
    func summary(
        findZooms: () throws(TileFileError) -> (least: Int, greatest: Int)?
    ) throws(TileFileError) -> TileSummary {
        let format = try format()
        return TileSummary(
            format: format, zooms: try zooms(findZooms), bounds: try bounds(),
            attribution: rows["attribution"].flatMap(TileMetadata.plainText),
            layers: format.isVector ? try layers() : [])
    }

    private func format() throws(TileFileError) -> TileSummary.Format {
        guard let text = rows["format"] else { throw TileFileError(path, .metadata("it has no row format")) }
        switch text.lowercased() {
        case "pbf", "mvt", "application/vnd.mapbox-vector-tile", "application/x-protobuf": return .mvt
        case "png", "png8", "png24", "png32", "image/png": return .png
        case "jpg", "jpeg", "image/jpeg": return .jpeg
        case "webp", "image/webp": return .webp
        case "avif", "image/avif": return .avif
        default: throw TileFileError(path, .tileType("of the format '\(text.prefix(40))'"))
        }
    }

    private func zooms(
        _ find: () throws(TileFileError) -> (least: Int, greatest: Int)?
    ) throws(TileFileError) -> ClosedRange<Int> {
        var ends: (least: Int, greatest: Int)?
        if let least = rows["minzoom"].flatMap({ Int($0) }), let greatest = rows["maxzoom"].flatMap({ Int($0) }) {
            ends = (least, greatest)
        } else {
            ends = try find()
        }
        guard let ends else { throw TileFileError(path, .metadata("it has no minzoom and maxzoom, and no tiles")) }
        guard ends.least <= ends.greatest, ends.least >= 0, ends.greatest <= TileCoordinate.greatestZoom else {
            throw TileFileError(path, .zooms(least: ends.least, greatest: ends.greatest))
        }
        return ends.least...ends.greatest
    }

    private func bounds() throws(TileFileError) -> TileSummary.Bounds {
        guard let text = rows["bounds"], !text.isEmpty else { return .world }
        let degrees = text.split(separator: ",").map { Double($0.filter { $0 != " " }) ?? .nan }
        guard degrees.count == 4,
            let bounds = TileSummary.Bounds(
                fromWest: degrees[0], south: degrees[1], toEast: degrees[2], north: degrees[3])
        else { throw TileFileError(path, .bounds("'\(text.prefix(100))'")) }
        return bounds
    }

    private func layers() throws(TileFileError) -> [TileSummary.Layer] {
        guard let text = rows["json"], !text.isEmpty else { return [] }
        do throws(JSONError) {
            return try TileMetadata(parsing: Array(text.utf8)).layers
        } catch {
            throw TileFileError(path, .metadata("its row json is no JSON object that this server reads: \(error)"))
        }
    }
}
