import NIOCore
import Testing

@testable import MusterTiles

/// Files that someone cut, damaged or made to do harm.
struct DamagedTileFileTests {
    private typealias Entry = PMTilesBuilder.Entry

    private let origin = TileCoordinate(zoom: 0, column: 0, row: 0)!

    /// Makes a file and reads its first tile.
    private func readFirst(_ builder: PMTilesBuilder) throws -> String? {
        try withFile(builder.bytes) { path in
            let file = try TileFile(path: path)
            return try file.tile(at: origin).map { String(buffer: try file.inflate($0)) }
        }
    }

    private func check(_ builder: PMTilesBuilder, at offset: UInt64?, _ words: String) throws {
        let error = #expect(throws: TileFileError.self) { try readFirst(builder) }
        #expect(error?.offset == offset, "\(String(describing: error))")
        #expect(error?.words.contains(words) == true, "\(String(describing: error))")
    }

    private func check(_ words: String, at offset: UInt64?, _ change: (inout PMTilesBuilder) -> Void) throws {
        var builder = PMTilesBuilder()
        change(&builder)
        try check(builder, at: offset, words)
    }

    @Test func `the file from which the damaged ones are made is whole`() throws {
        #expect(try readFirst(PMTilesBuilder()) == "tile!")
    }

    @Test func `a header that cannot be used is refused at its byte`() throws {
        try check("version 2", at: 7) { $0.version = 2 }
        try check("the directories are compressed with an unknown method", at: 97) { $0.directoryCompression = 0 }
        try check("the directories are compressed with brotli", at: 97) { $0.directoryCompression = 3 }
        try check("the tiles are compressed with zstd", at: 98) { $0.tileCompression = 4 }
        try check("of no type", at: 99) { $0.tileType = 0 }
        try check("MapLibre tiles", at: 99) { $0.tileType = 6 }
        try check("unknown type 77", at: 99) { $0.tileType = 77 }
        try check("zooms 5 to 4", at: 100) { $0.zooms = (5, 4) }
        try check("zooms 0 to 31", at: 100) { $0.zooms = (0, 31) }
        try check("the bounds", at: 102) { $0.bounds[3] = 910_000_000 }
    }

    @Test func `a section that reaches beyond the file is refused at the field that says so`() throws {
        for (field, name) in [(8, "root directory"), (24, "metadata"), (40, "leaf directories"), (56, "tiles")] {
            for damaged in [field, field + 8] {
                for value in [UInt64(1 << 40), UInt64.max] {
                    var bytes = PMTilesBuilder().bytes
                    bytes.replaceSubrange(damaged..<(damaged + 8), with: PMTilesBuilder.littleEndian(value))
                    try withFile(bytes) { path in
                        let error = #expect(throws: TileFileError.self) { try TileFile(path: path) }
                        #expect(error?.offset == UInt64(field))
                        #expect(error?.words.contains("\(name)") == true)
                        #expect(error?.words.contains("beyond the end of the file at \(bytes.count)") == true)
                    }
                }
            }
        }
    }

    @Test func `a file that was cut anywhere does not open, or lacks only what was cut off`() throws {
        for path in [TestFile.path("squares.pmtiles"), TestFile.path("doors.pmtiles"), TestFile.path("doors.mbtiles")] {
            let whole = try TestFile.bytes(path)
            for length in Array(0..<200) + stride(from: 200, to: whole.count, by: 97) {
                try withFile(Array(whole.prefix(length))) { cut in
                    _ = #expect(throws: TileFileError.self, "\(path) cut to \(length)") { try TileFile(path: cut) }
                }
            }
        }
    }

    @Test func `a damaged directory is refused with the entry that is wrong`() throws {
        let cases: [([Entry], String)] = [
            ([Entry(number: 0, offset: 0, byteCount: 0)], "entry 0 has 0 bytes"),
            ([Entry(number: 0, offset: 1, byteCount: 5)], "entry 0 has 5 bytes at 1 of a section of 5 bytes"),
            ([Entry(number: 0, offset: 0, byteCount: 1 << 33)], "the length of entry 0"),
            ([Entry(number: 4, offset: 0, byteCount: 5), Entry(number: 4, offset: 0, byteCount: 5)], "entry 1"),
            (
                [Entry(number: 0, offset: 0, byteCount: 5, runLength: 3), Entry(number: 2, offset: 0, byteCount: 5)],
                "the run of entry 0 reaches over the next entry"
            ),
            ([Entry(number: .max, offset: 0, byteCount: 5)], "the tile of entry 0"),
        ]
        for (entries, words) in cases {
            try check(words, at: 127) { $0.root = PMTilesBuilder.directory(entries) }
        }
        try check("it says that it has 9999999 entries", at: 127) { $0.root = PMTilesBuilder.varint(9_999_999) }
        try check("a number of more than 64 bits", at: 127) { $0.root = Array(repeating: 0xFF, count: 20) }
        try check("it ends before the number of entries", at: 127) { $0.root = [] }
        // One entry whose offset says that it follows the entry before.
        try check("entry 0 follows an entry that is not there", at: 127) { $0.root = [1, 0, 1, 5, 0] }
        try check("its gzip stream is not whole", at: 127) { $0.directoryCompression = 2 }
    }

    /// A file whose root directory leads all tiles to the leaf at 0.
    private func leafFile(_ leaves: [UInt8], byteCount: Int? = nil) -> PMTilesBuilder {
        var builder = PMTilesBuilder()
        builder.leaves = leaves
        builder.root = PMTilesBuilder.directory([
            Entry(number: 0, offset: 0, byteCount: UInt64(byteCount ?? leaves.count), runLength: 0)
        ])
        return builder
    }

    @Test func `a directory that leads back to itself is refused, and the server does not follow it for ever`() throws {
        let leaf = PMTilesBuilder.directory([Entry(number: 0, offset: 0, byteCount: 5, runLength: 0)])
        #expect(leaf.count == 5)
        let builder = leafFile(leaf)
        try check(builder, at: 127 + UInt64(builder.root.count) + 2, "a directory leads back to itself")
    }

    @Test func `directories nested too deep are refused`() throws {
        // Each leaf of five bytes leads to the next one.
        let leaves = (1...8).flatMap { next in
            PMTilesBuilder.directory([Entry(number: 0, offset: UInt64(next) * 5, byteCount: 5, runLength: 0)])
        }
        let builder = leafFile(leaves, byteCount: 5)
        try check(builder, at: 127 + UInt64(builder.root.count) + 2, "nested more than 4 deep")
    }

    @Test func `what inflates to far more than it should is refused, and its file stays open for other tiles`() throws {
        let bomb = PMTilesBuilder.packed(Array(repeating: 0, count: 64 << 20))
        #expect(bomb.count < 100_000)
        let other = PMTilesBuilder.packed(Array(repeating: 7, count: 1_000))
        var builder = PMTilesBuilder()
        builder.tileType = 1
        builder.tileCompression = 2
        builder.tiles = bomb + other
        builder.root = PMTilesBuilder.directory([
            Entry(number: 0, offset: 0, byteCount: UInt64(bomb.count)),
            Entry(number: 1, offset: UInt64(bomb.count), byteCount: UInt64(other.count)),
        ])
        let tilesBegin = UInt64(builder.bytes.count - builder.tiles.count)
        try check(builder, at: tilesBegin, "the tile inflates to more than 16777216 bytes")
        try withFile(builder.bytes) { path in
            let file = try TileFile(path: path)
            let coordinate = try #require(TileCoordinate(zoom: 1, column: 0, row: 0))
            let tile = try #require(try file.tile(at: coordinate))
            #expect(try file.inflate(tile).readableBytes == 1_000)
        }
        var packed = PMTilesBuilder()
        packed.directoryCompression = 2
        packed.root = bomb
        try check(packed, at: 127, "the root directory inflates to more than")
        packed.root = PMTilesBuilder.packed(Array(repeating: 0, count: 4_000))
        packed.metadata = bomb
        #expect(throws: TileFileError.self) { try readFirst(packed) }
    }

    @Test func `a tile that is not compressed as its file says is refused at its byte`() throws {
        try check("it is not compressed with gzip", at: 127 + 5 + 2) { builder in
            builder.tileType = 1
            builder.tileCompression = 2
        }
    }

    /// Numbers that a seed decides (SplitMix64).
    private struct Seeded: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }

    /// Changes a few bytes, half of them in the header.
    private func damage(_ bytes: [UInt8], _ random: inout Seeded) -> [UInt8] {
        var bytes = bytes
        for _ in 0...Int.random(in: 0...4, using: &random) {
            let end = Bool.random(using: &random) ? 160 : bytes.count
            bytes[Int.random(in: 0..<end, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
        return bytes
    }

    @Test(arguments: ["squares.pmtiles", "doors.pmtiles", "leaves.pmtiles", "doors.mbtiles"])
    func `whatever bytes are changed, a file gives tiles within the limit or an error in words`(_ name: String) throws {
        let whole = try TestFile.bytes(TestFile.path(name))
        for seed in UInt64(1)...200 {
            var random = Seeded(state: seed)
            try withFile(damage(whole, &random)) { path in
                do throws(TileFileError) {
                    let file = try TileFile(path: path)
                    for _ in 0..<20 {
                        let zoom = Int.random(in: 0...10, using: &random)
                        let (column, row) = (
                            Int.random(in: 0..<(1 << zoom), using: &random),
                            Int.random(in: 0..<(1 << zoom), using: &random)
                        )
                        guard let place = TileCoordinate(zoom: zoom, column: column, row: row) else { continue }
                        do throws(TileFileError) {
                            guard let tile = try file.tile(at: place) else { continue }
                            #expect(try file.inflate(tile).readableBytes <= TileFile.mostTileBytes, "seed \(seed)")
                        } catch {
                            #expect(!error.words.isEmpty, "seed \(seed)")
                        }
                    }
                } catch {
                    #expect(!error.words.isEmpty, "seed \(seed)")
                }
            }
        }
    }
}
