import MusterWire
import Testing

@Suite struct MultipartReaderTests {
    /// The parts that a body is read as when it comes in pieces of these lengths, over and over.
    private func parts(_ body: [UInt8], _ lengths: [Int]) throws -> [(headers: [String: String], bytes: [UInt8])] {
        var reader = MultipartReader(boundary: "xyz")
        var parts: [(headers: [String: String], bytes: [UInt8])] = []
        var isInPart = false
        var rest = body[...]
        var turn = 0
        while !rest.isEmpty {
            let piece = rest.prefix(lengths[turn % lengths.count])
            rest = rest.dropFirst(piece.count)
            turn += 1
            for event in try reader.parse(piece) {
                switch event {
                case .part(let headers):
                    #expect(!isInPart)
                    isInPart = true
                    parts.append((headers, []))
                case .bytes(let bytes): parts[parts.count - 1].bytes += bytes
                case .endOfPart: isInPart = false
                case .end: #expect(!isInPart)
                }
            }
        }
        #expect(reader.isAtEnd)
        return parts
    }

    private static let body = Array(
        ("preamble\r\n--xyz\r\nContent-Type: application/json\r\n\r\n{}\r\n--xyz  \r\n\r\n\r\n--xy\r\n--\r\nz"
            + "\r\n--xyz\r\nContent-Disposition: attachment; filename=\"a b\"\r\n\r\n\r\n--xyz--\r\nepilogue").utf8)

    @Test func `a body reads the same however it is cut into pieces`() throws {
        var random = Seeded(seed: 2_046)
        let cuts = (0..<300).map { _ in (0..<7).map { _ in Int.random(in: 1...40, using: &random) } }
        for lengths in [[1], [2], [3], [1_000]] + cuts {
            let parts = try parts(Self.body, lengths)
            #expect(parts.map { String(decoding: $0.bytes, as: UTF8.self) } == ["{}", "\r\n--xy\r\n--\r\nz", ""])
            #expect(parts[0].headers == ["content-type": "application/json"])
            #expect(parts[1].headers.isEmpty)
            #expect(
                MultipartReader.parameter("filename", of: parts[2].headers["content-disposition"] ?? "") == "a b")
        }
    }

    @Test func `a body that is cut off is never at its end`() throws {
        for length in 0..<Self.body.count - "--\r\nepilogue".utf8.count {
            var reader = MultipartReader(boundary: "xyz")
            _ = try reader.parse(Self.body[..<length])
            #expect(!reader.isAtEnd, "\(length)")
        }
    }

    @Test func `an endless head and a longer boundary line are refused`() {
        var endless = MultipartReader(boundary: "xyz")
        #expect(throws: MultipartReader.ParsingError.invalidHead) {
            _ = try endless.parse(Array("--xyz\r\nA: ".utf8) + [UInt8](repeating: 0x61, count: 20_000))
        }
        var wrong = MultipartReader(boundary: "xyz")
        #expect(throws: MultipartReader.ParsingError.invalidBoundary) {
            _ = try wrong.parse(Array("--xyzzy\r\n\r\n".utf8))
        }
        #expect(MultipartReader.boundary(of: "multipart/related; boundary=\"a b\"; type=x") == "a b")
        #expect(MultipartReader.boundary(of: "text/plain; boundary=x") == nil)
        #expect(MultipartReader.boundary(of: "multipart/related") == nil)
    }

    @Test func `a written multipart body is read back`() throws {
        let writer = MultipartWriter()
        let boundary = try #require(MultipartReader.boundary(of: writer.contentType("multipart/related")))
        let file = Array("\r\n--\(boundary.dropLast())\r\n\r\n".utf8)
        let body =
            writer.head("application/json", isFirst: true) + Array("{}".utf8)
            + writer.head(ofFile: "a\"b\r\nX: y", "text/plain\r\nX: y", length: Int64(file.count)) + file
            + writer.head(ofFile: "é", "text/plain", length: 0) + writer.end
        var reader = MultipartReader(boundary: boundary)
        var heads: [[String: String]] = []
        var bytes: [[UInt8]] = []
        for event in try reader.parse(body) {
            switch event {
            case .part(let headers):
                heads.append(headers)
                bytes.append([])
            case .bytes(let piece): bytes[bytes.count - 1] += piece
            case .endOfPart, .end: break
            }
        }
        #expect(reader.isAtEnd && bytes == [Array("{}".utf8), file, []])
        #expect(heads.map { $0["content-type"] } == ["application/json", "application/octet-stream", "text/plain"])
        #expect(heads.map { $0["content-length"] } == [nil, "\(file.count)", "0"])
        // No name breaks out of its line: nothing of it became a field.
        #expect(heads.allSatisfy { $0["x"] == nil })
        #expect(
            heads.map { $0["content-disposition"].flatMap { MultipartReader.parameter("filename", of: $0) } }
                == [nil, "a_b_X: y", "é"])
    }
}
