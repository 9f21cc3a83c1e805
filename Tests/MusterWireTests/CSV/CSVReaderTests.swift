import Testing

@testable import MusterWire

struct CSVReaderTests {
    /// The rows of a text in short form, `LINE:cell|cell`, and the faults, `LINE!cell reason`.
    private static func rows(_ bytes: [UInt8], separator: UInt8? = nil) -> [String] {
        bytes.withUnsafeBytes { buffer in
            var reader = CSVReader(buffer, separator: separator)
            var found: [String] = []
            while true {
                do throws(CSVError) {
                    guard let row = try reader.next() else { return found }
                    found.append("\(row.line):" + row.cells.joined(separator: "|"))
                } catch {
                    found.append("\(error.line)!\(error.cell) \(error.reason)")
                }
            }
        }
    }

    private func check(
        _ text: String, _ expected: String..., sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(Self.rows(text.bytes) == expected, sourceLocation: sourceLocation)
    }

    @Test func `cells, quoted cells and every line end are read`() {
        check("")
        check("a", "1:a")
        check("a,b\r\nc,d\n", "1:a|b", "2:c|d")
        check("a,b\rc,d", "1:a|b", "2:c|d")
        check("\"a,\"\"b\"\"\",\"\"\n", "1:a,\"b\"|")
        check("\"two\r\nlines\",x\ny,z", "1:two\r\nlines|x", "3:y|z")
        check(",\n,,", "1:|", "2:||")
        check(" a , b\tc ", "1: a | b\tc ")
        check("é,\"😀\"", "1:é|😀")
    }

    @Test func `a byte order mark and empty lines are skipped, and count as lines`() {
        check("\u{FEFF}a,b\n\n\r\n1,2\n\n", "1:a|b", "4:1|2")
        check("\n\na;b\n1;2", "3:a|b", "4:1|2")
    }

    @Test func `a semicolon separates where the first line has more of them than of commas`() {
        check("a;b\n1,5;2", "1:a|b", "2:1,5|2")
        check("\"a;;\",b,c\n1;5,2", "1:a;;|b|c", "2:1;5|2")
        check("a\n1;2", "1:a", "2:1;2")
        #expect(Self.rows("a,b;c".bytes, separator: UInt8(ascii: ";")) == ["1:a,b|c"])
    }

    @Test func `a malformed row is reported with its line and cell, and the next row is read`() {
        let closed = "has text after the closing quotation mark; a quotation mark in a text is doubled"
        check("a,\"b\"c,d\n1,2", "1!1 \(closed)", "2:1|2")
        check("\"a\nb\"c\n1", "1!0 \(closed)", "3:1")
        let inText = "has a quotation mark within a text: put the whole cell in quotation marks, and double it"
        check("x\na,6\"\n1,2", "1:x", "2!1 \(inText)", "3:1|2")
        check("a\u{0},b\r\n1", "1!0 has a control character", "2:1")
        check("\"a\u{7F}\"\n1", "1!0 has a control character", "2:1")
        #expect(
            Self.rows([0x61, 0x2C, 0xE9, 0x0A, 0x62])
                == ["1!1 is not UTF-8: save the table as \"CSV UTF-8\"", "2:b"])
    }

    @Test func `an unclosed quotation mark costs its own line and no other`() {
        let unclosed = "has a quotation mark that is not closed within 4096 bytes"
        check("a,b\n\"x,1\ny,2\nz,3", "1:a|b", "2!0 \(unclosed)", "3:y|2", "4:z|3")
        let long = (0..<2000).map { "row\($0)" }
        #expect(
            Self.rows(("\"" + long.joined(separator: "\n")).bytes)
                == ["1!0 \(unclosed)"] + long.dropFirst().enumerated().map { "\($0.offset + 2):\($0.element)" })
        // The lines after each of them are read again, so there is an end to it.
        let lines = String(repeating: String(repeating: "a", count: 1000) + "\n", count: 5)
        let hostile = Self.rows(String(repeating: "\"\n" + lines, count: 120).bytes)
        #expect(hostile.count { $0.contains(unclosed) } == CSVReader.unclosedLimit)
        #expect(hostile.last?.contains(unclosed) == true)
    }

    @Test func `a row has at most 4,096 bytes`() {
        let cell = String(repeating: "x", count: 4095)
        check("\(cell),\n1", "1:\(cell)|", "2:1")
        check("\(cell),y\n1", "1!1 makes the row longer than 4096 bytes", "2:1")
        check(String(repeating: ",", count: 4097) + "\n1", "1!4097 makes the row longer than 4096 bytes", "2:1")
    }

    @Test func `what is written as RFC 4180 says comes back as it was`() {
        var random = Seeded(seed: 4180)
        let letters = ["a", "é", "😀", " ", ",", ";", "\"", "\n", "\r\n", "\t", "'"]
        for _ in 0..<500 {
            let separator = Bool.random(using: &random) ? "," : ";"
            let width = Int.random(in: 1...5, using: &random)
            let table = (0..<Int.random(in: 1...8, using: &random)).map { _ in
                (0..<width).map { _ in
                    (0..<Int.random(in: 0...6, using: &random)).map { _ in letters.randomElement(using: &random)! }
                        .joined()
                }
            }
            let lineEnd = Bool.random(using: &random) ? "\r\n" : "\n"
            let text = table.map { row in
                row.map { "\"" + $0.replacing("\"", with: "\"\"") + "\"" }.joined(separator: separator) + lineEnd
            }.joined()
            let read = Self.rows(text.bytes, separator: UInt8(ascii: separator == "," ? "," : ";"))
            #expect(read.map { String($0.drop { $0 != ":" }.dropFirst()) } == table.map { $0.joined(separator: "|") })
        }
    }

    @Test func `any bytes are read to their end, in ascending lines`() {
        var random = Seeded(seed: 41)
        let alphabet: [UInt8] = [0x22, 0x22, 0x2C, 0x3B, 0x0A, 0x0D, 0x61, 0x20, 0xC3, 0xA9, 0xFF, 0x00]
        for _ in 0..<2000 {
            let bytes = (0..<Int.random(in: 0...200, using: &random)).map { _ in
                alphabet.randomElement(using: &random)!
            }
            let lines = Self.rows(bytes).compactMap { Int($0.prefix { $0.isNumber }) }
            #expect(zip(lines, lines.dropFirst()).allSatisfy { $0 < $1 }, "\(bytes)")
            let ends = bytes.count { $0 == 0x0A || $0 == 0x0D }
            #expect(lines.allSatisfy { (1...ends + 1).contains($0) }, "\(bytes)")
        }
    }
}
