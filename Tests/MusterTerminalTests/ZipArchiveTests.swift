import Testing

@testable import MusterTerminal

/// The archives of data packages.
@Suite struct ZipArchiveTests {
    @Test func `an archive has the form of PKWARE's note`() {
        var archive = ZipArchive()
        archive.add("a", Array("hello".utf8))
        let expected: [UInt8] = [
            0x50, 0x4B, 3, 4, 20, 0, 0, 8, 0, 0, 0, 0, 0x21, 0, 0x86, 0xA6, 0x10, 0x36, 5, 0, 0, 0, 5, 0, 0, 0, 1, 0, 0,
            0,
            0x61, 0x68, 0x65, 0x6C, 0x6C, 0x6F,
            0x50, 0x4B, 1, 2, 20, 0, 20, 0, 0, 8, 0, 0, 0, 0, 0x21, 0, 0x86, 0xA6, 0x10, 0x36, 5, 0, 0, 0, 5, 0, 0, 0,
            1,
            0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x61,
            0x50, 0x4B, 5, 6, 0, 0, 0, 0, 1, 0, 1, 0, 47, 0, 0, 0, 36, 0, 0, 0, 0, 0,
        ]
        #expect(archive.bytes == expected)
    }

    @Test func `two files of PKCS 12 of one key differ, so no salt is used twice`() throws {
        let files = try (0..<2).map { _ in
            try PKCS12File(privateKey: [1, 2, 3], chain: [[4], [5]], named: "a", password: "b").bytes
        }
        #expect(files[0] != files[1] && files[0].count == files[1].count)
    }
}
