import Foundation
import MusterHTTP
import NIOCore

/// Writes PMTiles files byte by byte, as they should not be.
struct PMTilesBuilder {
    struct Entry {
        var number: UInt64
        var offset: UInt64
        var byteCount: UInt64
        var runLength: UInt64 = 1
    }

    var version: UInt8 = 3
    var directoryCompression: UInt8 = 1
    var tileCompression: UInt8 = 1
    var tileType: UInt8 = 2
    var zooms: (UInt8, UInt8) = (0, 4)
    var bounds: [Int32] = [-1_800_000_000, -850_000_000, 1_800_000_000, 850_000_000]
    var root = directory([Entry(number: 0, offset: 0, byteCount: 5)])
    var metadata = Array("{}".utf8)
    var leaves: [UInt8] = []
    var tiles = Array("tile!".utf8)

    /// The bytes of a directory.
    static func directory(_ entries: [Entry]) -> [UInt8] {
        var bytes = varint(UInt64(entries.count))
        var before: UInt64 = 0
        for entry in entries {
            bytes += varint(entry.number &- before)
            before = entry.number
        }
        for entry in entries { bytes += varint(entry.runLength) }
        for entry in entries { bytes += varint(entry.byteCount) }
        for entry in entries { bytes += varint(entry.offset + 1) }
        return bytes
    }

    static func varint(_ value: UInt64) -> [UInt8] {
        var (value, bytes) = (value, [UInt8]())
        while value > 0x7F {
            bytes.append(UInt8(value & 0x7F) | 0x80)
            value >>= 7
        }
        return bytes + [UInt8(value)]
    }

    /// The bytes compressed, which must get smaller.
    static func packed(_ bytes: [UInt8]) -> [UInt8] {
        Gzip.pack(ByteBuffer(bytes: bytes)).map { Array($0.readableBytesView) } ?? bytes
    }

    var bytes: [UInt8] {
        var header = Array("PMTiles".utf8) + [version]
        var offset: UInt64 = 127
        for section in [root, metadata, leaves, tiles] {
            header += Self.littleEndian(offset) + Self.littleEndian(UInt64(section.count))
            offset += UInt64(section.count)
        }
        for count: UInt64 in [1, 1, 1] { header += Self.littleEndian(count) }
        header += [1, directoryCompression, tileCompression, tileType, zooms.0, zooms.1]
        for degrees in bounds { header += Self.littleEndian(degrees) }
        header += [0] + Self.littleEndian(Int32(0)) + Self.littleEndian(Int32(0))
        return header + root + metadata + leaves + tiles
    }

    static func littleEndian(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }
}

/// A folder that is gone after `body`.
func withFolder<Result>(_ body: (String) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: "muster-tiles-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder.path)
}

/// Hands `body` the path of a file with these bytes.
func withFile<Result>(_ bytes: [UInt8], _ body: (String) throws -> Result) throws -> Result {
    try withFolder { folder in
        let path = folder + "/file"
        try Data(bytes).write(to: URL(filePath: path))
        return try body(path)
    }
}

/// The path of a file beside the tests, or below the root of the package.
enum TestFile {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()

    static func path(_ name: String) -> String { folder.appending(path: "Files/\(name)").path }

    static var world: String {
        folder.deletingLastPathComponent().deletingLastPathComponent().appending(path: "Web/basemap/world.pmtiles").path
    }

    static func bytes(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: path))) }
}
