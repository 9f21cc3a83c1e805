import NIOCore

/// The first 127 bytes of a PMTiles file of version 3
/// (https://github.com/protomaps/PMTiles/blob/main/spec/v3/spec.md, section 3). Numbers are little-endian.
struct PMTilesHeader {
    /// A piece of the file.
    struct Section: Hashable, Sendable {
        let offset: UInt64
        let byteCount: UInt64
    }

    static let byteCount: UInt64 = 127
    static let magic = Array("PMTiles".utf8)

    /// The offset of each field in the header, bytes.
    private enum Field {
        static let version = 7, root = 8, metadata = 24, leaves = 40, tileData = 56
        static let directoryCompression = 97, tileCompression = 98, tileType = 99, zooms = 100, bounds = 102
    }

    let root: Section
    let metadata: Section
    let leaves: Section
    let tileData: Section
    let isDirectoryPacked: Bool
    let areTilesPacked: Bool
    let format: TileSummary.Format
    let zooms: ClosedRange<Int>
    let bounds: TileSummary.Bounds

    /// The longest root directory and leaf directory in the file. The specification has a root end within the first
    /// 16,384 bytes; leaves of the whole planet have some 20,000.
    static let longestDirectory: UInt64 = 1 << 20
    static let longestMetadata: UInt64 = 4 << 20

    /// Reads and checks the header of a file.
    ///
    /// - Parameter bytes: the file's first bytes; all 127, unless the file is shorter.
    /// - Throws: the first fault, with its place.
    init(_ bytes: ByteBuffer, fileBytes: UInt64, path: String) throws(TileFileError) {
        let fields = Fields(bytes: bytes, fileBytes: fileBytes, path: path)
        guard bytes.readableBytes > Field.version, bytes.readableBytesView.starts(with: Self.magic) else {
            throw TileFileError(path, at: 0, .unknownFormat)
        }
        let version = fields.byte(Field.version)
        guard version == 3 else { throw TileFileError(path, at: UInt64(Field.version), .version(version)) }
        guard UInt64(bytes.readableBytes) == Self.byteCount else {
            throw TileFileError(path, at: fileBytes, .headerCutOff(fileBytes: fileBytes, headerBytes: Self.byteCount))
        }
        root = try fields.section(Field.root, .rootDirectory, limit: Self.longestDirectory)
        metadata = try fields.section(Field.metadata, .metadata, limit: Self.longestMetadata)
        leaves = try fields.section(Field.leaves, .leafDirectories)
        tileData = try fields.section(Field.tileData, .tileData)
        isDirectoryPacked = try fields.isPacked(Field.directoryCompression, .directories, unknownIsNone: false)
        format = try fields.format(Field.tileType)
        areTilesPacked = try fields.isPacked(Field.tileCompression, .tiles, unknownIsNone: !format.isVector)
        zooms = try fields.zooms(Field.zooms)
        bounds = try fields.bounds(Field.bounds)
    }
}

/// The fields of a header, each read from its place.
private struct Fields {
    let bytes: ByteBuffer
    let fileBytes: UInt64
    let path: String

    func byte(_ field: Int) -> UInt8 { bytes.getInteger(at: bytes.readerIndex + field) ?? 0 }

    private func number<Number: FixedWidthInteger>(_ field: Int, as: Number.Type = Number.self) -> Number {
        bytes.getInteger(at: bytes.readerIndex + field, endianness: .little) ?? 0
    }

    func section(
        _ field: Int, _ part: TileFileError.Part, limit: UInt64? = nil
    ) throws(TileFileError) -> PMTilesHeader.Section {
        let offset: UInt64 = number(field)
        let length: UInt64 = number(field + 8)
        guard offset <= fileBytes, length <= fileBytes - offset else {
            throw TileFileError(
                path, at: UInt64(field),
                .beyondEnd(part, offset: offset, bytes: length, of: "the file", endsAt: fileBytes))
        }
        if let limit, length > limit {
            throw TileFileError(path, at: UInt64(field + 8), .tooLarge(part, bytes: length, limit: limit))
        }
        return PMTilesHeader.Section(offset: offset, byteCount: length)
    }

    func isPacked(_ field: Int, _ part: TileFileError.Part, unknownIsNone: Bool) throws(TileFileError) -> Bool {
        let method =
            switch byte(field) {
            case 0: "an unknown method"
            case 1: ""
            case 2: "gzip"
            case 3: "brotli"
            case 4: "zstd"
            default: "method \(byte(field))"
            }
        if byte(field) == 2 { return true }
        if byte(field) == 1 || (byte(field) == 0 && unknownIsNone) { return false }
        throw TileFileError(path, at: UInt64(field), .compression(of: part, method))
    }

    func format(_ field: Int) throws(TileFileError) -> TileSummary.Format {
        switch byte(field) {
        case 1: return .mvt
        case 2: return .png
        case 3: return .jpeg
        case 4: return .webp
        case 5: return .avif
        case 0: throw TileFileError(path, at: UInt64(field), .tileType("of no type that the file names"))
        case 6: throw TileFileError(path, at: UInt64(field), .tileType("MapLibre tiles (MLT)"))
        case let other: throw TileFileError(path, at: UInt64(field), .tileType("of the unknown type \(other)"))
        }
    }

    func zooms(_ field: Int) throws(TileFileError) -> ClosedRange<Int> {
        let (least, greatest) = (Int(byte(field)), Int(byte(field + 1)))
        guard least <= greatest, greatest <= TileCoordinate.greatestZoom else {
            throw TileFileError(path, at: UInt64(field), .zooms(least: least, greatest: greatest))
        }
        return least...greatest
    }

    func bounds(_ field: Int) throws(TileFileError) -> TileSummary.Bounds {
        let degrees = (0..<4).map { Double(number(field + 4 * $0, as: Int32.self)) / 1e7 }
        // Writers that know no bounds leave zeros.
        if degrees.allSatisfy({ $0 == 0 }) { return .world }
        guard
            let bounds = TileSummary.Bounds(
                fromWest: degrees[0], south: degrees[1], toEast: degrees[2], north: degrees[3])
        else {
            let text = degrees.map { "\($0)" }.joined(separator: ", ")
            throw TileFileError(path, at: UInt64(field), .bounds(text))
        }
        return bounds
    }
}
