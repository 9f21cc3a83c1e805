import MusterCore
import MusterStore
import ServiceLifecycle
import Testing

@testable import MusterServer

@Suite struct LiveTests {
    private static let owner = FeedOwner(
        Principal(User(number: Town.ana, name: "ana", role: .member, team: nil), proof: .password))

    /// Runs a live feed while `body` runs.
    private func withLive(_ town: Town, _ body: @Sendable @escaping () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await town.live.run() }
            try await body()
            group.cancelAll()
        }
        try await town.coordinator.close()
    }

    /// The next `count` sequences that a listener hears.
    private func hear(_ count: Int, _ listener: Listener) async throws -> [Int64] {
        var heard: [Int64] = []
        for try await events in listener {
            heard += events.map(\.sequence.rawValue)
            if heard.count >= count { break }
        }
        return heard
    }

    @Test func `a listener hears every change once and in order, however it came by its cursor`() async throws {
        let town = try await Town()
        try await withLive(town) {
            let start = town.store.lastSequence.rawValue
            let early = try town.live.listen(since: LogSequence(start), by: Self.owner)
            let history = try town.live.listen(since: .zero, by: Self.owner)
            for second in 0..<300 {
                _ = try await town.coordinator.ingest([town.fix(second.isMultiple(of: 2) ? 45 : 46, at: Double(second))]
                )
            }
            let end = town.store.lastSequence.rawValue
            #expect(try await hear(Int(end - start), early) == Array(start + 1...end))
            #expect(try await hear(Int(end), history) == Array(1...end))
            let middle = start + (end - start) / 2
            let resumed = try town.live.listen(since: LogSequence(middle), by: Self.owner)
            #expect(try await hear(Int(end - middle), resumed) == Array(middle + 1...end))
            for listener in [early, history, resumed] { listener.leave() }
            #expect(town.live.listenerCount == 0)
        }
    }

    @Test func `a listener that waits is woken by the next change`() async throws {
        let town = try await Town()
        try await withLive(town) {
            let listener = try town.live.listen(since: town.store.lastSequence, by: Self.owner)
            async let heard = hear(1, listener)
            _ = try await town.coordinator.ingest([town.fix(46, at: 0)])
            #expect(try await heard.count >= 1)
            listener.leave()
        }
    }

    @Test func `a cursor from another log is told to read the state anew`() async throws {
        let town = try await Town()
        try await withLive(town) {
            let beyond = LogSequence(town.store.lastSequence.rawValue + 1)
            let listener = try town.live.listen(since: beyond, by: Self.owner)
            await #expect(throws: StoreError.self) { _ = try await hear(1, listener) }
            listener.leave()
        }
    }

    @Test func `the window answers for what it holds and for nothing else`() {
        var window = LiveWindow()
        window.restart(after: LogSequence(10))
        let directory = Directory()
        let events = (11...20).map { number in
            LiveEvent(
                LoggedChange(
                    sequence: LogSequence(number), committedAt: Instant(milliseconds: 0),
                    change: .region(RegionNumber(1), in: CollectionNumber(1), removed: false)),
                directory: directory)
        }
        window.append(events)
        #expect(window.events(since: LogSequence(9)) == nil)
        #expect(window.events(since: LogSequence(10))?.map(\.sequence.rawValue) == Array(11...20))
        #expect(window.events(since: LogSequence(19))?.map(\.sequence.rawValue) == [20])
        #expect(window.events(since: LogSequence(20))?.isEmpty == true)
        #expect(window.events(since: LogSequence(21)) == nil)
    }
}
