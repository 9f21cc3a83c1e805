import MusterCore
import Testing

@testable import MusterReplication

/// A snapshot as it comes over a network: in pieces cut anywhere.
@Suite struct SnapshotLinesTests {
    private static func line(_ number: Int) -> String {
        let hash = String(repeating: "a", count: 32)
        return "{\"_id\":\"d\(number)\",\"_rev\":\"1-\(hash)\",\"n\":\(number)}\n"
    }

    /// Documents, a mark behind each fifty and at the end.
    private static func text(_ count: Int) -> [UInt8] {
        let lines = (1...count).map { number in
            line(number) + (number % 50 == 0 && number < count ? "{\"last_seq\":\(number)}\n" : "")
        }
        return Array((lines.joined() + "{\"last_seq\":\(count),\"done\":true}\n").utf8)
    }

    /// Hands out pieces of so many bytes each, and then fails, or ends.
    private static func lines(of bytes: [UInt8], pieceBytes: Int, failing fault: ReplicationError? = nil)
        -> SnapshotLines
    {
        SnapshotLines(
            AttachmentBytes { continuation in
                for start in stride(from: 0, to: bytes.count, by: pieceBytes) {
                    continuation.yield(Array(bytes[start..<min(bytes.count, start + pieceBytes)]))
                }
                continuation.finish(throwing: fault)
            })
    }

    private static func pages(of lines: SnapshotLines) async throws -> [SnapshotPage] {
        var pages: [SnapshotPage] = []
        while let page = try await lines.next() { pages.append(page) }
        return pages
    }

    @Test(arguments: [1, 7, 100, 4_096, 1 << 20])
    func `pages end at marks, however the bytes come`(pieceBytes: Int) async throws {
        let pages = try await Self.pages(of: Self.lines(of: Self.text(120), pieceBytes: pieceBytes))
        #expect(pages.map(\.revisions.count) == [50, 50, 20])
        #expect(pages.flatMap(\.revisions).map(\.id) == (1...120).map { "d\($0)" })
        #expect(pages.map { $0.last?.number } == [50, 100, 120])
        #expect(pages.map(\.isLast) == [false, false, true])
    }

    @Test(arguments: [true, false])
    func `documents that arrived whole before a cut are delivered, and then the cut`(isTold: Bool) async throws {
        let cut = ReplicationError.unreachable("cut")
        let bytes = Self.text(120)
        let lines = Self.lines(of: Array(bytes.prefix(bytes.count / 2)), pieceBytes: 10, failing: isTold ? cut : nil)
        let first = try #require(try await lines.next())
        let second = try #require(try await lines.next())
        #expect((first.last?.number, second.last) == (50, nil))
        #expect((1..<50).contains(second.revisions.count))
        for _ in 0..<2 {
            await #expect(throws: isTold ? cut : .malformed("the snapshot was cut off")) { try await lines.next() }
        }
    }

    @Test func `an invalid line ends the snapshot after the documents before it`() async throws {
        let lines = Self.lines(of: Array((Self.line(1) + "{\"_id\":nonsense\n" + Self.line(2)).utf8), pieceBytes: 1_000)
        #expect(try await lines.next()?.revisions.map(\.id) == ["d1"])
        await #expect(throws: ReplicationError.self) { try await lines.next() }
    }

    @Test func `a full page includes the mark right behind it`() async throws {
        let text = (1...2_001).map { Self.line($0) + ($0 % 1_000 == 0 ? "{\"last_seq\":\($0)}\n" : "") }.joined()
        let bytes = Array((text + "{\"last_seq\":2001,\"done\":true}\n").utf8)
        let pages = try await Self.pages(of: Self.lines(of: bytes, pieceBytes: 1 << 20))
        #expect(pages.map(\.revisions.count) == [1_000, 1_000, 1])
        #expect(pages.map { $0.last?.number } == [1_000, 2_000, 2_001])
        // Where the mark is still on its way nothing waits for it.
        let cut = try #require(bytes.firstRange(of: Array("{\"last_seq\":1000".utf8))).lowerBound
        let waiting = Self.lines(of: Array(bytes.prefix(cut + 5)), pieceBytes: 1 << 20, failing: .unreachable("cut"))
        #expect(try await waiting.next()?.revisions.count == 1_000)
    }

    @Test func `without marks a page stays within its limit`() async throws {
        let text = (1...2_500).map(Self.line).joined() + "{\"last_seq\":1,\"done\":true}\n"
        let pages = try await Self.pages(of: Self.lines(of: Array(text.utf8), pieceBytes: 1 << 20))
        #expect(pages.map(\.revisions.count) == [1_000, 1_000, 500])
        let wide = String(repeating: "x", count: 1 << 20)
        let large = (1...5).map { Self.line($0).replacing("\"n\"", with: "\"\(wide)\"") }.joined()
        let heavy = try await Self.pages(
            of: Self.lines(of: Array((large + "{\"last_seq\":1,\"done\":true}\n").utf8), pieceBytes: 1 << 20))
        #expect(heavy.map(\.revisions.count) == [2, 2, 1])
        let film = #""_attachments":{"film":{"stub":true,"digest":"md5-x","length":1500000,"revpos":1}},"n""#
        let filmed = (1...5).map { Self.line($0).replacing("\"n\"", with: film) }.joined()
        let films = try await Self.pages(
            of: Self.lines(of: Array((filmed + "{\"last_seq\":1,\"done\":true}\n").utf8), pieceBytes: 1 << 20))
        #expect(films.map(\.revisions.count) == [2, 2, 1])
    }
}
