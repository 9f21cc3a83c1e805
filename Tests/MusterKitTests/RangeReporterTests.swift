import Foundation
import MusterCore
import MusterReplication
import MusterWire
import Synchronization
import Testing

@testable import MusterKit

/// Measured ranges, from a radio to the server: which are worth a report, what waits, and who sends it.
@Suite struct RangeReporterTests {
    private static let start = Instant(milliseconds: 1_764_000_000_000)
    private static let peer = RangeTag(high: 1, low: 2)

    private func range(_ metres: Double, at second: Double, to peer: RangeTag = Self.peer) throws -> MeasuredRange {
        try #require(
            MeasuredRange(
                to: peer, time: Self.start.advanced(bySeconds: second).date, metres: metres, deviationMetres: 0.3,
                source: .ultraWideband))
    }

    /// A server that answers as the test says, and what it was asked.
    private final class Script: HTTPTransport {
        typealias Answer = (status: Int, json: String)
        private let state = Mutex<(answers: [String: [Answer]], asked: [String], bodies: [String])>(([:], [], []))

        /// Answers the next requests of this kind; the last answer holds for all further ones.
        func answer(_ request: String, _ answers: Answer...) { state.withLock { $0.answers[request] = answers } }
        var asked: [String] { state.withLock { $0.asked } }
        var bodies: [String] { state.withLock { $0.bodies } }

        func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportResponse {
            let line = request.method + " " + request.url.replacing("http://server/api/v1", with: "")
            let answer: Answer? = state.withLock { state in
                state.asked.append(line)
                if case .bytes(let body)? = request.body { state.bodies.append(String(decoding: body, as: UTF8.self)) }
                guard var answers = state.answers[line], let first = answers.first else { return nil }
                if answers.count > 1 { answers.removeFirst() }
                state.answers[line] = answers
                return first
            }
            guard let answer else { throw ReplicationError.unreachable("no network") }
            let pieces = Mutex<[[UInt8]]>(answer.json.isEmpty ? [] : [Array(answer.json.utf8)])
            let type = answer.status < 300 ? "application/json" : "application/problem+json"
            return HTTPTransportResponse(
                status: answer.status,
                headers: [
                    HTTPHeaderField("Content-Type", type), HTTPHeaderField("Date", RangeReporterTests.start.httpDate),
                ]
            ) { pieces.withLock { $0.popLast() } }
        }

        func close() async {}
    }

    private func server() -> Script {
        let script = Script()
        script.answer("GET /session", (200, #"{"device":"ana/phone"}"#))
        script.answer("PUT /users/ana/devices/phone/range-tag", (204, ""))
        script.answer("DELETE /users/ana/devices/phone/range-tag", (204, ""))
        script.answer("POST /ranges", (200, #"{"accepted":1,"unregistered":0}"#))
        return script
    }

    private func secret() throws -> RangeSecret {
        try #require(RangeSecret("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"))
    }

    private func reporter(_ script: Script, path: String? = nil, secret: RangeSecret? = nil) throws -> RangeReporter {
        try RangeReporter(
            path: path, server: "http://server/", secret: secret, connections: HTTPConnections(script),
            now: { Self.start }, reporter: .device { "md_token" })
    }

    @Test func `a range is reported when it changed, once a second, or after ten seconds`() throws {
        var thinning = RangeThinning()
        let steps: [(metres: Double, second: Double, isWorth: Bool)] = [
            (5, 0, true), (9, 0.5, false), (5.2, 1, false), (5.4, 2, true), (5.5, 11.9, false), (5.5, 12, true),
            // The clock was set back.
            (5.5, -3_600, true), (5.5, -3_599, false),
        ]
        for step in steps {
            let isWorth = thinning.isWorthReporting(try range(step.metres, at: step.second))
            #expect(isWorth == step.isWorth, "\(step)")
        }
        #expect(
            thinning.isWorthReporting(try range(5.5, at: -3_599, to: RangeTag(high: 3, low: 4))), "each peer by itself")
    }

    @Test func `a range that the server would refuse cannot be created`() {
        for (metres, deviation) in [(-1, 1), (.nan, 1), (.infinity, 1), (10_001, 1), (1, 0), (1, -1), (1, .nan)] {
            #expect(
                MeasuredRange(
                    to: Self.peer, time: Self.start.date, metres: metres, deviationMetres: deviation, source: .fused)
                    == nil)
        }
        for time in [Date(timeIntervalSince1970: .nan), .init(timeIntervalSince1970: 1e13)] {
            #expect(MeasuredRange(to: Self.peer, time: time, metres: 1, deviationMetres: 1, source: .fused) == nil)
        }
        let names = MeasuredRange.Source.allCases.map(\.rawValue)
        #expect(Set(names) == Set(PeerRange.Source.allCases.map(\.wireName.description)))
    }

    @Test func `the secret registers the tag first and once, and the server's decoder reads what is sent`()
        async throws
    {
        let script = server()
        let reporter = try reporter(script, secret: secret())
        for second in 0..<3 { #expect(try await reporter.record(range(Double(second), at: Double(second)))) }
        #expect(try await reporter.sendAll() == RangeReporter.Progress(stored: 3))
        #expect(try await reporter.record(range(9, at: 9)))
        _ = try await reporter.sendAll()
        #expect(
            script.asked == [
                "GET /session", "PUT /users/ana/devices/phone/range-tag", "POST /ranges", "POST /ranges",
            ])
        #expect(script.bodies.first == #"{"secret":"\#(try secret().digits)"}"#)
        let body = Array(try #require(script.bodies.dropFirst().first).utf8)
        let sent = try body.withUnsafeBytes { try RangeDecoder.decode($0) }
        #expect(sent.items.map(\.metres) == [0, 1, 2] && sent.items.allSatisfy { $0.tag == Self.peer })
        #expect(sent.items.first?.source == .ultraWideband && sent.items.first?.deviationMetres == 0.3)
        #expect(try await reporter.waiting == 0)
    }

    @Test func `ranges wait on the disk while there is no network, across a restart`() async throws {
        let path = FileManager.default.temporaryDirectory.path + "/ranges-" + UUID().uuidString
        defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) } }
        do {
            let reporter = try reporter(Script(), path: path)
            #expect(try await reporter.record(range(1, at: 0)))
            let failure = await #expect(throws: RangeReportError.self) { try await reporter.sendAll() }
            #expect(failure == .unreachable(reason: "no network") && failure?.isPassing == true)
        }
        let reporter = try reporter(server(), path: path)
        #expect(try await reporter.waiting == 1)
        #expect(try await reporter.sendAll().stored == 1)
    }

    @Test func `a refused range is removed alone, and unregistered peers are counted`() async throws {
        let script = server()
        let refusal = (422, #"{"errors":[{"detail":"is before the oldest stored time"}]}"#)
        script.answer(
            "POST /ranges", refusal, refusal, (200, #"{"accepted":0,"unregistered":1}"#),
            (200, #"{"accepted":1,"unregistered":0}"#))
        let reporter = try reporter(script)
        for second in 0..<2 { #expect(try await reporter.record(range(Double(second), at: Double(second)))) }
        // Two together, then each alone: the first is refused, the second goes to a tag that nobody registered.
        #expect(try await reporter.sendAll() == RangeReporter.Progress(unregistered: 1, refused: 1))
        #expect(try await reporter.waiting == 0)
    }

    @Test func `a clock that is ahead costs no range`() async throws {
        let script = server()
        script.answer("POST /ranges", (422, "{}"))
        let reporter = try reporter(script)
        #expect(try await reporter.record(range(1, at: 3_600)))
        let failure = await #expect(throws: RangeReportError.self) { try await reporter.sendAll() }
        #expect(failure == .clocksDiffer(seconds: 3_600))
        #expect(try await reporter.waiting == 1)
    }

    @Test func `nothing is sent for another device, nor with a person's token`() async throws {
        let path = FileManager.default.temporaryDirectory.path + "/ranges-" + UUID().uuidString
        defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) } }
        let script = server()
        script.answer("POST /ranges", (503, "{}"))
        do {
            let reporter = try reporter(script, path: path)
            #expect(try await reporter.record(range(1, at: 0)))
            let failure = await #expect(throws: RangeReportError.self) { try await reporter.sendAll() }
            #expect(failure == .busy(status: 503, retryAfterSeconds: nil))
        }
        script.answer("GET /session", (200, #"{"device":"ben/phone"}"#))
        do {
            let reporter = try reporter(script, path: path)
            let failure = await #expect(throws: RangeReportError.self) { try await reporter.sendAll() }
            #expect(failure == .otherDevice("ana/phone", server: "http://server", waiting: 1))
        }
        script.answer("GET /session", (200, #"{"user":"ana"}"#))
        let reporter = try reporter(script)
        await #expect(throws: RangeReportError.noDevice) { try await reporter.sendAll() }
    }

    @Test func `an agreement is withdrawn, and a failed one is an error`() async throws {
        let script = server()
        let reporter = try reporter(script)
        try await reporter.withdraw()
        #expect(script.asked == ["GET /session", "DELETE /users/ana/devices/phone/range-tag"])
        script.answer("PUT /users/ana/devices/phone/range-tag", (409, #"{"detail":"taken"}"#))
        let taken = try self.reporter(script, secret: secret())
        let failure = await #expect(throws: RangeReportError.self) { try await taken.sendAll() }
        #expect(failure == .tagTaken && failure?.isPassing == false)
    }

    @Test func `after a withdrawal the same secret agrees again`() async throws {
        let script = server()
        let reporter = try reporter(script, secret: secret())
        _ = try await reporter.sendAll()
        try await reporter.withdraw()
        _ = try await reporter.sendAll()
        let tag = "/users/ana/devices/phone/range-tag"
        #expect(script.asked == ["GET /session", "PUT " + tag, "DELETE " + tag, "PUT " + tag])
        #expect(Set(script.bodies) == [#"{"secret":"\#(try secret().digits)"}"#])
    }

    @Test func `the oldest make room beyond the limit`() async throws {
        let outbox = try RangeOutbox(path: nil, limit: 20)
        for second in 0...20 { try await outbox.store(range(1, at: Double(second))) }
        #expect(try await outbox.count() == 18)
        let page = try #require(try await outbox.page(limit: 2))
        #expect(page.times == [3, 4].map { Self.start.advanced(bySeconds: $0) })
        try await outbox.remove(page)
        #expect(try await outbox.count() == 16)
    }
}
