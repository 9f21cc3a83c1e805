import Foundation
import MusterCore
import MusterGeometry
import MusterReplication
import MusterWire
import Synchronization
import Testing

@testable import MusterKit

/// What is heard, from an advertisement to the server: sightings, the outbox, and who sends them.
@Suite struct SightingOutboxTests {
    static let start = Instant(milliseconds: 1_764_000_000_000)
    static let payload: [UInt8] = [
        0x1A, 0xFF, 0x4C, 0, 2, 0x15,
        0xE2, 0xC5, 0x6D, 0xB5, 0xDF, 0xFB, 0x48, 0xD2, 0xB0, 0x60, 0xD0, 0xF5, 0xA7, 0x10, 0x96, 0xE0,
        0, 1, 0, 2, 0xC5,
    ]

    private func heard(
        _ seconds: Double, signal: Int? = -60, address: UInt64 = 7, _ kind: AdvertisingReport.AddressKind = .changing,
        payload: [UInt8] = Self.payload
    ) -> HeardAdvertisement {
        HeardAdvertisement(
            time: Self.start.advanced(bySeconds: seconds), address: address, addressKind: kind, signal: signal,
            payload: payload)
    }

    private func batch(_ seconds: Double, sightings count: Int = 1) -> SightingBatch {
        let time = Self.start.advanced(bySeconds: seconds)
        let sightings = (0..<count).map {
            Sighting(of: Beacon(address: UInt64($0 + 1)), sampleTime: time, receivedTime: time, signalStrength: -60)
        }
        return SightingBatch(until: time, sightings: sightings)
    }

    // MARK: What is heard

    @Test func `ten frames a second become a sighting a second, with the average of their signals`() throws {
        var tally = SightingTally(intervalSeconds: 1)
        var batches: [SightingBatch] = []
        for frame in 0..<25 {
            if let batch = tally.add(heard(Double(frame) / 10, signal: frame % 2 == 0 ? -50 : -53)) {
                batches.append(batch)
            }
        }
        let last = tally.finish()
        batches.append(try #require(last))
        #expect(batches.map(\.sightings.count) == [1, 1, 1])
        #expect(batches.map(\.counts.advertisements) == [10, 10, 5])
        let first = try #require(batches.first?.sightings.first)
        #expect(first.beacon.text == "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0:1:2")
        #expect(first.signalStrength == -51.5)
        #expect(first.distance == BeaconPolicyDistance.rounded(signal: -51.5, power: -59))
        #expect(first.sampleTime == Self.start.advanced(bySeconds: 0.9))
    }

    @Test func `a changing address is counted, and is never a sighting`() {
        var tally = SightingTally(intervalSeconds: 1)
        #expect(tally.add(heard(0, address: 0x4505_0403_0201, .changing, payload: [2, 1, 6])) == nil)
        #expect(tally.add(heard(0, address: 0xCBB8_334C_884F, .lasting, payload: [3, 0xFF, 0x99, 4])) == nil)
        #expect(tally.add(heard(0, address: 9, .changing, payload: [9, 0xFF])) == nil)
        let batch = tally.finish()
        #expect(batch?.sightings.map(\.beacon.text) == ["CB:B8:33:4C:88:4F"])
        #expect(batch?.counts.changingAddresses == 2)
        #expect(batch?.counts.unknown == 1 && batch?.counts.malformed == 1)
    }

    @Test func `silence is reported while the source listens, and a clock set back starts a new tally`() {
        var tally = SightingTally(intervalSeconds: 1)
        #expect(tally.advance(to: Self.start) == nil)
        #expect(tally.advance(to: Self.start.advanced(bySeconds: 0.5)) == nil)
        let silent = tally.advance(to: Self.start.advanced(bySeconds: 1))
        #expect(silent == SightingBatch(until: Self.start.advanced(bySeconds: 1), sightings: []))
        #expect(tally.add(heard(1.2)) == nil)
        let before = tally.advance(to: Self.start.advanced(bySeconds: -3_600))
        #expect(before?.until == Self.start.advanced(bySeconds: 1.2) && before?.sightings.count == 1)
        #expect(tally.advance(to: Self.start.advanced(bySeconds: -3_599))?.sightings == [])
    }

    @Test func `silence is reported only as far as the source proved that it listens`() {
        var hearing = ProvenHearing()
        func time(_ seconds: Double) -> Instant { Self.start.advanced(bySeconds: seconds) }
        #expect(hearing.end(at: time(0)) == nil)
        hearing.follow(.listening)
        #expect(hearing.end(at: time(1)) == nil)
        hearing.follow(.proved(time(2)))
        #expect(hearing.end(at: time(30)) == time(2))
        hearing.follow(.heard(heard(31)))
        #expect(hearing.end(at: time(60)) == time(31))
        // The clock was set back.
        #expect(hearing.end(at: time(-5)) == time(-5))
        for isBroken in [true, false] {
            if isBroken { hearing.stop() } else { hearing.follow(.paused("hci0: it was reset")) }
            hearing.follow(.proved(time(70)))
            #expect(hearing.end(at: time(71)) == nil)
            hearing.follow(.listening)
            hearing.follow(.proved(time(72)))
            #expect(hearing.end(at: time(73)) == time(72))
        }
    }

    @Test func `the beacons of one interval are limited in number`() {
        var tally = SightingTally(intervalSeconds: 1)
        for address in 1...UInt64(5_000) {
            #expect(tally.add(heard(0, address: address, .lasting, payload: [])) == nil)
        }
        let batch = tally.finish()
        #expect(batch?.sightings.count == SightingTally.beaconLimit)
        #expect(batch?.counts.dropped == 5_000 - SightingTally.beaconLimit)
    }

    // MARK: What waits

    @Test func `waiting sightings are read oldest first, at most a thousand at once`() async throws {
        let outbox = try SightingOutbox(path: nil, limitBytes: 1 << 30)
        for second in 0..<3 { try await outbox.store([batch(Double(second), sightings: 450)]) }
        var seen: [Instant] = []
        while let page = try await outbox.page(rowLimit: 100) {
            let report = try page.body(of: nil).withUnsafeBytes {
                try SightingDecoder.decode($0, receivedAt: Self.start)
            }
            #expect(report.sightings.count == page.sightings && page.sightings <= 1_000)
            seen += report.sightings.map(\.sampleTime)
            try await outbox.remove(page)
        }
        #expect(seen.count == 1_350 && seen == seen.sorted())
        #expect(try await outbox.count() == 0)
    }

    @Test func `hours of silence are stored as one row`() async throws {
        let outbox = try SightingOutbox(path: nil, limitBytes: 1 << 30)
        try await outbox.store([batch(0)])
        for second in 1..<3_600 { try await outbox.store([batch(Double(second), sightings: 0)]) }
        let page = try #require(try await outbox.page(rowLimit: 1_000))
        #expect(page.rows == 2 && page.sightings == 1)
        let report = try page.body(of: nil).withUnsafeBytes { try SightingDecoder.decode($0, receivedAt: Self.start) }
        #expect(report.listenedUntil == Self.start.advanced(bySeconds: 3_599))
    }

    @Test func `a full outbox gives up its oldest sightings, and stays within its bound`() async throws {
        let path = temporaryPath()
        defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) } }
        let outbox = try SightingOutbox(path: path, limitBytes: 1 << 20)
        var removed = 0
        for second in 0..<200 { removed += try await outbox.store([batch(Double(second), sightings: 200)]) }
        let waiting = try await outbox.count()
        #expect(removed > 0 && removed + waiting == 40_000)
        let page = try #require(try await outbox.page(rowLimit: 1))
        let report = try page.body(of: nil).withUnsafeBytes { try SightingDecoder.decode($0, receivedAt: Self.start) }
        #expect(report.sightings.first.map { $0.sampleTime > Self.start } == true)
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        #expect(try #require(size) < 5 << 20)
    }

    @Test func `one process at a time uses the file, and the next finds its sightings`() async throws {
        let path = temporaryPath()
        defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) } }
        do {
            let outbox = try SightingOutbox(path: path, limitBytes: 1 << 30)
            try await outbox.store([batch(0, sightings: 5)])
            #expect(throws: SightingOutboxError.inUse) { try SightingOutbox(path: path, limitBytes: 1 << 30) }
        }
        let next = try SightingOutbox(path: path, limitBytes: 1 << 30)
        #expect(try await next.count() == 5)
    }

    // MARK: Who sends

    /// Makes a gateway's user with devices of these names.
    ///
    /// - Returns: the devices' tokens.
    private func gateways(_ server: RunningServer, _ names: String...) async throws -> [String] {
        try await server.ask("POST", "users", #"{"name":"gates","role":"gateway"}"#)
        var tokens: [String] = []
        for name in names {
            try await server.ask("POST", "users/gates/devices", #"{"name":"\#(name)"}"#)
            let answer = try await server.ask("POST", "users/gates/devices/\(name)/token")
            tokens.append(try #require(answer["token"]?.string))
        }
        return tokens
    }

    private func now(_ count: Int) -> SightingBatch {
        var batch = batch(0, sightings: count)
        batch.until = Instant(seconds: Date().timeIntervalSince1970.rounded())
        for index in batch.sightings.indices { batch.sightings[index].sampleTime = batch.until }
        return batch
    }

    @Test func `a refused sighting is removed alone, and the rest arrives`() async throws {
        try await RunningServer.run { server in
            let token = try await gateways(server, "hall")[0]
            let outbox = try SightingOutbox(path: nil, limitBytes: 1 << 30)
            var early = now(3)
            early.sightings[1].sampleTime = Instant(milliseconds: 1)
            try await outbox.store([now(10), now(20), early, now(30)])
            let sender = SightingSender(outbox, to: server.address, connections: server.connections) { token }
            let progress = Gathered<SightingSender.Progress>()
            try await sender.sendAll { progress.append($0) }
            #expect(progress.values.map(\.sent).reduce(0, +) == 60)
            #expect(progress.values.map(\.refused).reduce(0, +) == 3)
            #expect(progress.values.compactMap(\.reason).first?.contains("oldest stored time") == true)
            #expect(try await outbox.count() == 0)
        }
    }

    @Test func `nothing is lost while the token is wrong, nor sent for another device`() async throws {
        try await RunningServer.run { server in
            let tokens = try await gateways(server, "hall", "yard")
            let (hall, yard) = (tokens[0], tokens[1])
            let outbox = try SightingOutbox(path: nil, limitBytes: 1 << 30)
            try await outbox.store([now(10)])
            func failure(_ token: String) async -> SightingSender.Failure? {
                let sender = SightingSender(outbox, to: server.address, connections: server.connections) { token }
                do {
                    try await sender.sendAll { _ in }
                    return nil
                } catch {
                    return error
                }
            }
            guard case .unauthorized = await failure("md_wrong") else {
                Issue.record("a wrong token is taken")
                return
            }
            #expect(try await outbox.count() == 10)
            #expect(await failure(hall) == nil)
            try await outbox.store([now(5)])
            let other = await failure(yard)
            #expect(other == .outbox(.otherDevice("gates/hall", server: server.address, waiting: 5)))
            #expect(other?.isPassing == false)
            #expect(await failure(hall) == nil)
            #expect(await failure(yard) == nil)
        }
    }

    @Test func `a token that is swapped for another device's sends nothing that this device heard`() async throws {
        try await RunningServer.run { server in
            let tokens = try await gateways(server, "hall", "yard")
            let outbox = try SightingOutbox(path: nil, limitBytes: 1 << 30)
            let token = Mutex(tokens[0])
            let sender = SightingSender(outbox, to: server.address, connections: server.connections) {
                token.withLock { $0 }
            }
            try await outbox.store([now(10)])
            try await sender.sendAll { _ in }
            try await outbox.store([now(5)])
            token.withLock { $0 = tokens[1] }
            let other = SightingOutboxError.otherDevice("gates/hall", server: server.address, waiting: 5)
            for _ in 0..<2 {
                await #expect(throws: SightingSender.Failure.outbox(other)) { try await sender.sendAll { _ in } }
            }
            #expect(try await outbox.count() == 5)
            token.withLock { $0 = tokens[0] }
            try await sender.sendAll { _ in }
            #expect(try await outbox.count() == 0)
        }
    }

    // MARK: What is refused

    @Test func `a clock that is ahead costs nothing of what was heard`() async throws {
        try await RunningServer.run { server in
            let token = try await gateways(server, "hall")[0]
            let outbox = try SightingOutbox(path: nil, limitBytes: 1 << 30)
            var ahead = now(20)
            ahead.until = ahead.until.advanced(bySeconds: 3_600)
            try await outbox.store([now(10), ahead])
            let sender = SightingSender(outbox, to: server.address, connections: server.connections) { token }
            for _ in 0..<3 {
                await #expect {
                    try await sender.sendAll { _ in }
                } throws: { error in
                    guard case SightingSender.Failure.ahead(let seconds) = error else { return false }
                    return (3_500...3_700).contains(seconds)
                }
                #expect(try await outbox.count() == 20)
            }
        }
    }

    @Test func `a proxy that refuses everything costs nothing of what was heard`() async throws {
        try await RunningServer.run { server in
            let token = try await gateways(server, "hall")[0]
            let network = PickyNetwork(to: server)
            try await network.run { address in
                let outbox = try SightingOutbox(path: nil, limitBytes: 1 << 30)
                try await outbox.store([now(10), now(20)])
                let sender = SightingSender(outbox, to: address, connections: server.connections) { token }
                for status in [400, 413, 422] {
                    network.decide { request in
                        request.hasPrefix("POST /api/v1/sightings ")
                            ? .isAnswered(status: status, body: #"{"title":"Bad request"}"#) : .passes
                    }
                    let busy = SightingSender.Failure.busy(status: status, retryAfterSeconds: nil)
                    await #expect(throws: busy) { try await sender.sendAll { _ in } }
                    #expect(try await outbox.count() == 30)
                }
                network.decide { _ in .passes }
                try await sender.sendAll { _ in }
                #expect(try await outbox.count() == 0)
            }
        }
    }

    @Test func `sightings refused for now are kept for ten minutes, and then removed`() {
        func body(_ seconds: Double) -> [UInt8] {
            let until = Self.start.advanced(bySeconds: seconds).rfc3339
            return Array(#"{"listenedUntil":"\#(until)","sightings":[]}"#.utf8)
        }
        func refusal(_ clock: Double) -> SightingSender.Answer {
            let headers = [
                HTTPHeaderField("Content-Type", "application/problem+json"),
                HTTPHeaderField("Date", Self.start.advanced(bySeconds: clock).httpDate),
            ]
            return .init(HTTPTransportResponse(status: 422, headers: headers) { nil }, reason: "no")
        }
        var refusals = SightingRefusals()
        func verdict(row: Int64 = 1, rows: Int = 1, of told: Double, at now: Double, server: Double) -> String {
            let verdict = refusals.verdict(
                on: refusal(server), rows: rows, row: row, body: body(told), now: Self.start.advanced(bySeconds: now))
            return switch verdict {
            case .narrow: "narrow"
            case .remove: "remove"
            case .wait(let failure): "\(failure)"
            }
        }
        #expect(verdict(rows: 2, of: 0, at: 0, server: 0) == "narrow")
        for second in stride(from: 0.0, to: 600, by: 30) {
            #expect(verdict(of: -60, at: second, server: second) == "the server refuses them: no")
        }
        #expect(verdict(of: -60, at: 600, server: 600) == "remove")
        // The next row has its own time.
        #expect(verdict(row: 2, of: -60, at: 601, server: 601) == "the server refuses them: no")
        #expect(verdict(row: 3, of: -86_500, at: 700, server: 700) == "remove")
        // The server's clock may be the wrong one.
        #expect(verdict(row: 4, of: 0, at: 0, server: 86_400 * 800).contains("differ by"))
        #expect(verdict(row: 4, of: 0, at: 0, server: -90).contains("of 90 s from now"))
    }
}

/// The distance as the tally rounds it.
private enum BeaconPolicyDistance {
    static func rounded(signal: Double, power: Double) -> Metres {
        Metres((BeaconPolicy.distance(signal: signal, power: power).value * 100).rounded() / 100)
    }
}

/// Values that concurrent calls gather.
private final class Gathered<Value: Sendable>: Sendable {
    private let state = Mutex<[Value]>([])
    var values: [Value] { state.withLock { $0 } }
    func append(_ value: Value) { state.withLock { $0.append(value) } }
}
