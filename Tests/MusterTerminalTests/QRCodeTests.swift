import Crypto
import Foundation
import MusterTerminal
import Testing

/// QR codes against those of another encoder (Tests/Oracles/qr_codes.py), and against the standard's capacities.
/// Tests/Endpoints/owntracks/test_owntracks_configuration.py reads codes with a decoder.
@Suite struct QRCodeTests {
    /// A code that another encoder drew.
    struct Golden: CustomTestStringConvertible {
        let version: Int
        let level: QRCode.Level
        let mask: Int
        let count: Int
        let digest: String

        var testDescription: String { "version \(version), \(level), mask \(mask)" }

        static let all: [Golden] = {
            let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden/qr-codes.txt")
            let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
            return text.split(separator: "\n").compactMap { line in
                let words = line.split(separator: " ")
                guard words.count == 5, let version = Int(words[0]), let mask = Int(words[2]), let count = Int(words[3])
                else { return nil }
                return Golden(
                    version: version, level: words[1] == "L" ? .low : .medium, mask: mask, count: count,
                    digest: String(words[4]))
            }
        }()
    }

    @Test func `all versions and both levels are held against another encoder`() {
        #expect(Golden.all.count == 80)
        #expect(Set(Golden.all.map(\.version)) == Set(1...40))
        #expect(Set(Golden.all.map(\.mask)) == Set(0..<8))
    }

    @Test(arguments: Golden.all)
    func `a code has the modules that another encoder draws`(golden: Golden) {
        let bytes = (0..<golden.count).map { UInt8((7 * $0 + golden.version) % 256) }
        let code = QRCode(bytes, version: golden.version, level: golden.level, mask: golden.mask)
        let text = (0..<code.size).map { row in
            (0..<code.size).map { code.isDark(row: row, column: $0) ? "1" : "0" }.joined()
        }.joined()
        let digest = SHA256.hash(data: Data(text.utf8)).map { String(format: "%02x", $0) }.joined()
        #expect(digest.prefix(32) == golden.digest)
    }

    /// ISO/IEC 18004, table 7: the bytes that versions hold.
    @Test(arguments: [
        (0, 1, QRCode.Level.medium), (14, 1, .medium), (15, 1, .low), (17, 1, .low), (18, 2, .medium), (26, 2, .medium),
        (230, 9, .low), (231, 10, .low), (271, 10, .low), (272, 11, .low), (2_331, 36, .low), (2_953, 40, .low),
    ])
    func `bytes take the smallest version, and level M where it costs no size`(
        count: Int, version: Int, level: QRCode.Level
    ) {
        let bytes = [UInt8](repeating: 65, count: count)
        #expect(QRCode(bytes) == QRCode(bytes, version: version, level: level))
    }

    @Test func `more than any code holds is refused`() {
        #expect(QRCode([UInt8](repeating: 65, count: 2_954)) == nil)
    }

    @Test func `the quiet zone around a code is light, and two rows of modules are a line`() throws {
        let code = try #require(QRCode(Array("muster".utf8)))
        let lines = code.lines(isColoured: false)
        #expect(code.columns == 29 && lines.count == 15 && lines.allSatisfy { $0.count == 29 })
        #expect(lines[0].allSatisfy { $0 == " " } && lines[1].allSatisfy { $0 == " " })
        #expect(lines[2].hasPrefix("    █▀▀▀▀▀█ ") && lines.allSatisfy { $0.hasPrefix("    ") && $0.hasSuffix("    ") })
        #expect(code.lines(isColoured: true)[0] == "\u{1B}[38;5;16;48;5;231m\(lines[0])\u{1B}[0m")
    }
}
