import MusterCore
import MusterStore
import MusterTestSupport
import MusterWire
import Testing

@testable import MusterServer

/// Guests of identity pools: their identities, what they may store, and what becomes of it when they sign in.
@Suite struct GuestTests {
    private static func patch(_ key: String, _ value: String?, _ count: Int64 = 0) -> DatasetPatch {
        DatasetPatch(key: key, value: value, syncCount: count)
    }

    private static func update(_ name: String, _ patches: [DatasetPatch]) -> DatasetUpdate {
        DatasetUpdate(owner: IncidentEntry.nobody, name: name, order: .patch(patches), author: "guest")
    }

    /// The keys, values and counts of a user's dataset.
    private static func contents(_ name: String, of user: String, in office: Office) async throws -> [String] {
        let owner = try office.user(user).number
        let page = try await office.coordinator.readDataset(name, of: owner, since: 0, after: nil, limit: 100)
        return page.records.map { "\($0.key)=\($0.value ?? "-")@\($0.syncCount)" } + ["\(page.dataset.syncCount)"]
    }

    @Test func `an identity is known by its mark, and no other text is one`() async throws {
        let office = try await Office()
        let team = try #require(office.coordinator.directory.teams["north"]).number
        let origin = office.coordinator.origin
        var seen: Set<GuestID> = []
        for pool in [team, nil] {
            let guest = office.identity.makeGuest(in: pool)
            seen.insert(guest)
            #expect(guest.pool == pool)
            #expect(office.identity.guest(named: origin.text(of: guest)) == guest)
            for other in [
                GuestID(high: guest.high ^ 1, low: guest.low), GuestID(high: guest.high, low: guest.low ^ 1),
                GuestID(random: guest.high, pool: pool == nil ? team : nil, mark: guest.mark),
            ] {
                #expect(office.identity.guest(named: origin.text(of: other)) == nil)
            }
            #expect(office.identity.guest(named: origin.text(of: guest).uppercased()) == nil)
        }
        #expect(seen.count == 2)
        for text in ["", "us-east-1:", origin.text(of: .pool(team)), origin.text(of: .identity(UserNumber(1)))] {
            #expect(office.identity.guest(named: text) == nil)
        }
        try await office.coordinator.close()
    }

    @Test func `a guest is stored with its first dataset and not before`() async throws {
        let office = try await Office()
        let guest = try await office.guest(of: "north").id
        #expect(try office.store.guestUsage(ofPool: guest.pool) == GuestUsage())
        await #expect(throws: DatasetError.self) {
            try await office.coordinator.updateDataset(Self.update("settings", [Self.patch("", "v")]), of: guest)
        }
        #expect(try office.store.guest(guest) == nil)
        let made = try await office.coordinator.updateDataset(
            Self.update("settings", [Self.patch("theme", "dark")]), of: guest)
        #expect(made.dataset.syncCount == 1)
        let stored = try #require(try office.store.guest(guest))
        #expect(stored.number.rawValue < 0)
        #expect(stored.bytes == "themedark".utf8.count + 2 * GuestLimits.recordBytes)
        #expect(try office.store.guestUsage(ofPool: guest.pool) == GuestUsage(guests: 1, bytes: Int64(stored.bytes)))
        // Another guest has a separate dataset of the same name.
        let other = try await office.guest(of: "north").id
        _ = try await office.coordinator.updateDataset(
            Self.update("settings", [Self.patch("theme", "light")]), of: other)
        #expect(try office.store.datasets(of: stored.number).map(\.syncCount) == [1])
        try await office.coordinator.close()
    }

    @Test func `a guest has no more room than is its own, and keeps what it has`() async throws {
        let office = try await Office()
        let guest = try await office.guest(of: "north").id
        let long = String(repeating: "n", count: GuestLimits.nameLength)
        let big = String(repeating: "v", count: GuestLimits.bytes / 2)
        _ = try await office.coordinator.updateDataset(Self.update(long, [Self.patch("a", big)]), of: guest)
        for update in [
            Self.update(long, [Self.patch("b", big)]), Self.update("other", [Self.patch("b", big)]),
            Self.update(long + "n", [Self.patch("b", "v")]),
        ] {
            await #expect(throws: DatasetError.self) { try await office.coordinator.updateDataset(update, of: guest) }
        }
        // A removed record gives its room back.
        _ = try await office.coordinator.updateDataset(Self.update(long, [Self.patch("a", nil, 1)]), of: guest)
        _ = try await office.coordinator.updateDataset(Self.update("other", [Self.patch("b", big)]), of: guest)
        let stored = try #require(try office.store.guest(guest))
        #expect(
            try stored.bytes
                == office.store.datasets(of: stored.number).reduce(0) { $0 + GuestLimits.weight(of: $1) })
        try await office.coordinator.close()
    }

    @Test func `a merge moves a guest's datasets to the user once, beside those of the same name`() async throws {
        let office = try await Office()
        let coordinator = office.coordinator
        let guest = try await office.guest(of: "north").id
        let text = coordinator.origin.text(of: guest)
        let mia = try office.user("mia")
        _ = try await coordinator.updateDataset(
            DatasetUpdate(
                owner: mia.number, name: "settings", order: .patch([Self.patch("theme", "dark")]), author: "m"))
        // A dataset that the user deleted goes on counting.
        for order in [DatasetUpdate.Order.patch([Self.patch("x", "1")]), .delete] {
            _ = try await coordinator.updateDataset(
                DatasetUpdate(owner: mia.number, name: "game", order: order, author: "m"))
        }
        _ = try await coordinator.updateDataset(Self.update("settings", [Self.patch("theme", "light")]), of: guest)
        _ = try await coordinator.updateDataset(
            Self.update("game", [Self.patch("level", "3"), Self.patch("lives", "2")]), of: guest)
        _ = try await coordinator.updateDataset(Self.update("game", [Self.patch("lives", nil, 1)]), of: guest)
        let before = coordinator.lastSequence
        try await coordinator.merge(guest, into: mia)
        for _ in 0..<2 {
            #expect(coordinator.lastSequence.rawValue == before.rawValue + 2)
            #expect(try await Self.contents("settings", of: "mia", in: office) == ["theme=dark@1", "1"])
            #expect(try await Self.contents("settings.\(text)", of: "mia", in: office) == ["theme=light@1", "1"])
            #expect(try await Self.contents("game", of: "mia", in: office) == ["level=3@3", "3"])
            #expect(try await coordinator.mergedDatasets(into: "settings", of: mia.number) == ["settings.\(text)"])
            #expect(try await coordinator.mergedDatasets(into: "game", of: mia.number).isEmpty)
            try await coordinator.merge(guest, into: mia)
        }
        let stored = try #require(try office.store.guest(guest))
        #expect(stored.user == mia.number && stored.bytes == 0)
        #expect(try office.store.datasets(of: stored.number).isEmpty)
        #expect(try office.store.guestUsage(ofPool: guest.pool) == GuestUsage(guests: 1, bytes: 0))
        await #expect(throws: DatasetError.merged) {
            try await coordinator.updateDataset(Self.update("settings", [Self.patch("theme", "red")]), of: guest)
        }
        await #expect(throws: DatasetError.merged) { try await coordinator.merge(guest, into: office.user("max")) }
        // The user deletes a merged dataset, and no longer sees it.
        _ = try await coordinator.updateDataset(
            DatasetUpdate(owner: mia.number, name: "settings.\(text)", order: .delete, author: "m"))
        #expect(try await coordinator.mergedDatasets(into: "settings", of: mia.number).isEmpty)
        try await coordinator.close()
    }

    @Test func `a dataset that has the merged name already is written over`() async throws {
        let office = try await Office()
        let coordinator = office.coordinator
        let mia = try office.user("mia")
        let guest = try await office.guest(of: "north").id
        let name = "settings.\(coordinator.origin.text(of: guest))"
        for own in ["settings", name] {
            var update = Self.update(own, [Self.patch("theme", "dark")])
            update.owner = mia.number
            _ = try await coordinator.updateDataset(update)
        }
        _ = try await coordinator.updateDataset(Self.update("settings", [Self.patch("theme", "light")]), of: guest)
        try await coordinator.merge(guest, into: mia)
        #expect(try await Self.contents("settings", of: "mia", in: office) == ["theme=dark@1", "1"])
        #expect(try await Self.contents(name, of: "mia", in: office) == ["theme=light@2", "2"])
        try await coordinator.close()
    }

    @Test func `a guest's dataset replaces none with a similar name`() async throws {
        let office = try await Office()
        let coordinator = office.coordinator
        let mia = try office.user("mia")
        let guest = try await office.guest(of: "north").id
        let long = "s.\(coordinator.origin.text(of: guest))"
        var update = Self.update("s", [Self.patch("a", "1")])
        update.owner = mia.number
        _ = try await coordinator.updateDataset(update)
        for name in ["s", long] {
            _ = try await coordinator.updateDataset(Self.update(name, [Self.patch("b", "2")]), of: guest)
        }
        try await coordinator.merge(guest, into: mia)
        #expect(try await Self.contents("s", of: "mia", in: office) == ["a=1@1", "1"])
        #expect(try await Self.contents(long, of: "mia", in: office) == ["b=2@1", "1"])
        #expect(
            try await Self.contents("\(long).\(coordinator.origin.text(of: guest))", of: "mia", in: office)
                == ["b=2@1", "1"])
        try await coordinator.close()
    }

    @Test func `a guest who stored nothing can be merged, and stores nothing afterwards`() async throws {
        let office = try await Office()
        let guest = try await office.guest(of: "north").id
        try await office.coordinator.merge(guest, into: office.user("mia"))
        await #expect(throws: DatasetError.merged) {
            try await office.coordinator.updateDataset(Self.update("settings", [Self.patch("a", "1")]), of: guest)
        }
        try await office.coordinator.close()
    }

    @Test func `a merge beyond the limit changes nothing, and another guest may still sign in`() async throws {
        let office = try await Office()
        let mia = try office.user("mia")
        for _ in 0..<2 {
            let guest = try await office.guest(of: "north").id
            for number in 0..<DatasetLimits.datasets {
                _ = try await office.coordinator.updateDataset(
                    Self.update("d\(number)", [Self.patch("a", "1")]), of: guest)
            }
            try await office.coordinator.merge(guest, into: mia)
        }
        let guest = try await office.guest(of: "north").id
        _ = try await office.coordinator.updateDataset(Self.update("more", [Self.patch("a", "1")]), of: guest)
        await #expect(throws: DatasetError.self) { try await office.coordinator.merge(guest, into: mia) }
        #expect(try office.store.datasets(of: mia.number).count == GuestLimits.mergedDatasets)
        #expect(try office.store.guest(guest)?.user == nil)
        try await office.coordinator.merge(guest, into: office.user("max"))
        #expect(try await Self.contents("more", of: "max", in: office) == ["a=1@1", "1"])
        try await office.coordinator.close()
    }

    @Test func `idle guests are removed, and so are those of a removed team`() async throws {
        let office = try await Office()
        let coordinator = office.coordinator
        let (idle, active) = (try await office.guest(of: "north").id, try await office.guest(of: "north").id)
        let orphan = try await office.guest(of: "south").id
        for guest in [idle, active, orphan] {
            _ = try await coordinator.updateDataset(Self.update("settings", [Self.patch("a", "1")]), of: guest)
        }
        let number = try #require(try office.store.guest(idle)).number
        office.clock.advance(bySeconds: GuestLimits.idleSeconds)
        _ = try await office.identity.makeGuestKey(for: active)
        try await coordinator.removeIdleGuests(at: office.clock.now)
        #expect(try [idle, active, orphan].map { try office.store.guest($0) != nil } == [true, true, true])
        office.clock.advance(bySeconds: 1)
        let south = try #require(coordinator.directory.teams["south"]).number
        try await coordinator.edit(by: nil) { directory, draft in draft.edits += directory.removal(of: south) }
        try await coordinator.removeIdleGuests(at: office.clock.now)
        #expect(try [idle, active, orphan].map { try office.store.guest($0) != nil } == [false, true, false])
        #expect(try office.store.datasets(of: number).isEmpty)
        #expect(try office.store.guestUsage(ofPool: idle.pool).guests == 1)
        #expect(try office.store.usage().datasetBytes.count == 1)
        // The identity is a guest's as before, with nothing stored.
        let again = try await coordinator.updateDataset(Self.update("settings", [Self.patch("b", "1")]), of: idle)
        #expect(again.dataset.syncCount == 1)
        try await coordinator.close()
    }

    @Test func `new guests are limited by address, and guests' writes in total`() {
        let limiter = GuestLimiter()
        let now = Instant(seconds: 1_700_000_000)
        #expect((0..<61).map { _ in limiter.spend(.identity, from: "192.0.2.1", at: now) }.last == 6)
        #expect(limiter.spend(.identity, from: "192.0.2.2", at: now) == nil)
        #expect(limiter.spend(.credentials, from: "192.0.2.1", at: now) == nil)
        #expect(limiter.spend(.identity, from: "192.0.2.1", at: now.advanced(bySeconds: 6)) == nil)
        for address in 0..<4 {
            for _ in 0..<100 {
                #expect(limiter.spend(.update(bytes: 0), from: "198.51.100.\(address)", at: now) == nil)
            }
        }
        #expect(limiter.spend(.update(bytes: 0), from: "203.0.113.1", at: now) == 1)
        // A large update counts as many small ones.
        let later = now.advanced(bySeconds: 60)
        #expect(limiter.spend(.update(bytes: 120 * 16_384), from: "203.0.113.1", at: later) == nil)
        #expect(limiter.spend(.update(bytes: 0), from: "203.0.113.1", at: later) == 1)
    }
}
