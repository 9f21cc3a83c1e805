/// Why a file of map tiles, or one tile of it, cannot be read.
package struct TileFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The path of the file, as it was given.
    package let path: String
    /// Where in the file the fault is, in bytes from its beginning; nil where it has no place.
    package let offset: UInt64?
    /// The fault.
    package let reason: Reason

    init(_ path: String, at offset: UInt64? = nil, _ reason: Reason) {
        self.path = path
        self.offset = offset
        self.reason = reason
    }

    /// The path, the place and the fault; one sentence without a full stop.
    package var description: String { "\(path): \(words)" }

    /// The place and the fault without the path, which not everyone may know.
    package var words: String { offset.map { "at byte \($0): \(reason)" } ?? "\(reason)" }

    /// What can be wrong with a file of tiles.
    package enum Reason: Hashable, Sendable, CustomStringConvertible {
        /// The operating system refused to open or read it.
        case unreadable(cause: String)
        /// It begins neither as PMTiles nor as SQLite does.
        case unknownFormat
        /// It ends before its header does.
        case headerCutOff(fileBytes: UInt64, headerBytes: UInt64)
        case version(UInt8)
        /// The part is compressed by a method that this server does not read.
        case compression(of: Part, String)
        case tileType(String)
        case zooms(least: Int, greatest: Int)
        case bounds(String)
        /// The part reaches beyond the end of what holds it.
        case beyondEnd(Part, offset: UInt64, bytes: UInt64, of: String, endsAt: UInt64)
        case tooLarge(Part, bytes: UInt64, limit: UInt64)
        case damaged(Part, String)
        /// The part inflates to more than the limit.
        case inflatesBeyond(Part, limit: UInt64)
        /// A leaf directory names itself, or one that leads to it.
        case circularDirectory
        case directoriesTooDeep(limit: Int)
        /// The file is no longer what it was when the server opened it.
        case changed
        /// A setting in the table `metadata` is missing or cannot be used.
        case metadata(String)
        /// SQLite's own words.
        case sqlite(String)
        /// A look-up took more steps than the limit.
        case slowQuery

        package var description: String {
            switch self {
            case .unreadable(let cause): "it cannot be read: \(cause)"
            case .unknownFormat: "it is neither a PMTiles nor an MBTiles file"
            case .headerCutOff(let bytes, let needed): "it has \(bytes) bytes, and its header alone has \(needed)"
            case .version(let version): "it is of version \(version) of PMTiles; this server reads version 3"
            case .compression(let part, let method):
                "\(part.phrase) compressed with \(method); this server reads gzip, and what is not compressed"
            case .tileType(let type): "its tiles are \(type); this server has vector tiles (MVT), PNG, JPEG, WebP, AVIF"
            case .zooms(let least, let greatest): "zooms \(least) to \(greatest) are no range within 0 to 30"
            case .bounds(let text): "the bounds \(text) are no box of longitudes and latitudes"
            case .beyondEnd(let part, let offset, let bytes, let whole, let end):
                "\(part.name) of \(bytes) bytes at \(offset) reaches beyond the end of \(whole) at \(end)"
            case .tooLarge(let part, let bytes, let limit): "\(part.name) has \(bytes) bytes; \(limit) at most"
            case .damaged(let part, let what): "\(part.name) is damaged: \(what)"
            case .inflatesBeyond(let part, let limit): "\(part.name) inflates to more than \(limit) bytes"
            case .circularDirectory: "a directory leads back to itself"
            case .directoriesTooDeep(let limit): "directories are nested more than \(limit) deep"
            case .changed: "the file was changed after the server opened it; start the server again"
            case .metadata(let what): "the table metadata: \(what)"
            case .sqlite(let words): "SQLite says: \(words)"
            case .slowQuery: "finding a tile takes too long; the file has no index of its tiles"
            }
        }
    }

    /// A part of a file.
    package enum Part: Hashable, Sendable {
        case rootDirectory, leafDirectory, metadata, leafDirectories, tileData, tile, directories, tiles

        var name: String {
            switch self {
            case .rootDirectory: "the root directory"
            case .leafDirectory: "a leaf directory"
            case .metadata: "the metadata"
            case .leafDirectories: "the section of leaf directories"
            case .tileData: "the section of tiles"
            case .tile: "the tile"
            case .directories: "the directories"
            case .tiles: "the tiles"
            }
        }

        /// The name with the verb that follows it.
        var phrase: String { "\(name) \([.directories, .tiles].contains(self) ? "are" : "is")" }
    }
}
