import MusterCore
import MusterStore
import ServiceLifecycle
import Testing

@testable import MusterServer

@Suite struct LiveTests {
    private static let owner = FeedOwner(
        Principal(User(number: Town.ana, name: "ana", role: .member, team: nil), proof: .password))

    /// Runs the feeds while `body` runs.
    private func withFeeds(_ town: Town, _ body: @Sendable @escaping () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await town.feeds.run() }
            try await body()
            group.cancelAll()
        }
        try await town.coordinator.close()
    }

    /// The next `count` sequences after a cursor, as a feed of changes reads them.
    private func hear(_ count: Int, since cursor: Int64, in town: Town) async throws -> [Int64] {
        let feed = try town.feeds.open(.changes, by: Self.owner, beatSeconds: nil, timeoutSeconds: nil)
        defer { feed.close() }
        return try await hear(count, since: cursor, feed, in: town)
    }

    private func hear(_ count: Int, since cursor: Int64, _ feed: LogFeed, in town: Town) async throws -> [Int64] {
        var heard: [Int64] = []
        while true {
            let events = try await town.feeds.recent.events(since: LogSequence(heard.last ?? cursor))
            heard += events.map(\.sequence.rawValue)
            if heard.count >= count { return heard }
            if events.isEmpty, await feed.next() == nil { return heard }
        }
    }

    @Test func `a feed gives every change once and in order, however it came by its cursor`() async throws {
        let town = try await Town()
        try await withFeeds(town) {
            let start = town.store.lastSequence.rawValue
            let early = try town.feeds.open(.changes, by: Self.owner, beatSeconds: nil, timeoutSeconds: nil)
            for second in 0..<300 {
                _ = try await town.coordinator.ingest([town.fix(second.isMultiple(of: 2) ? 45 : 46, at: Double(second))]
                )
            }
            let end = town.store.lastSequence.rawValue
            #expect(try await hear(Int(end - start), since: start, early, in: town) == Array(start + 1...end))
            early.close()
            #expect(try await hear(Int(end), since: 0, in: town) == Array(1...end))
            let middle = start + (end - start) / 2
            #expect(try await hear(Int(end - middle), since: middle, in: town) == Array(middle + 1...end))
            #expect(town.feeds.count(of: .changes) == 0)
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `feeds whose readers leave just as they are woken delay no other`() async throws {
        let town = try await Town()
        try await withFeeds(town) {
            for round in 0..<60 {
                let feeds = try (0..<200).map { _ in
                    try town.feeds.open(.changes, by: Self.owner, beatSeconds: nil, timeoutSeconds: nil)
                }
                let readers = feeds.dropFirst().map { feed in Task { while await feed.next() != nil {} } }
                async let isStored = town.coordinator.ingest([town.fix(45, at: Double(round))])
                // The first that is woken ends the others while they are being woken.
                _ = await feeds[0].next()
                for reader in readers { reader.cancel() }
                _ = try await isStored
                for reader in readers { await reader.value }
                for feed in feeds { feed.close() }
                #expect(town.feeds.count(of: .changes) == 0)
            }
        }
    }

    @Test func `changes appended while no feed was open are in the next feed`() async throws {
        let town = try await Town()
        try await withFeeds(town) {
            _ = try await hear(1, since: town.store.lastSequence.rawValue - 1, in: town)
            let start = town.store.lastSequence.rawValue
            for second in 0..<20 {
                _ = try await town.coordinator.ingest([town.fix(second.isMultiple(of: 2) ? 45 : 46, at: Double(second))]
                )
            }
            let end = town.store.lastSequence.rawValue
            #expect(try await hear(Int(end - start), since: start, in: town) == Array(start + 1...end))
        }
    }

    @Test func `a feed that waits is woken by the next change`() async throws {
        let town = try await Town()
        try await withFeeds(town) {
            let start = town.store.lastSequence.rawValue
            async let heard = hear(1, since: start, in: town)
            _ = try await town.coordinator.ingest([town.fix(46, at: 0)])
            #expect(try await heard.count >= 1)
        }
    }

    @Test func `a cursor from another log is an error, so that the client reads the state again`() async throws {
        let town = try await Town()
        try await withFeeds(town) {
            let beyond = town.store.lastSequence.rawValue + 1
            await #expect(throws: StoreError.self) { _ = try await hear(1, since: beyond, in: town) }
        }
    }

    @Test func `the live window answers only for the changes that it holds`() {
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
