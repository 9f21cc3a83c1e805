import Dispatch
import MusterCore
import MusterGeometry
import MusterStore
import Testing

@testable import MusterServer

@Suite struct StoreCoordinatorTests {
    /// Holds the writer's thread until the gate is signalled; returns once it is held.
    private func holdWriter(of town: Town) async -> (gate: DispatchSemaphore, held: Task<Void, any Error>) {
        let gate = DispatchSemaphore(value: 0)
        let (entries, entry) = AsyncStream.makeStream(of: Void.self)
        let held = Task {
            try await town.coordinator.inspect { _, _, _ in
                entry.finish()
                gate.wait()
            }
        }
        for await _ in entries {}
        return (gate, held)
    }

    @Test func `an acknowledged observation is in the log, and its crossing with it`() async throws {
        let town = try await Town()
        let receipt = try await town.coordinator.ingest([
            town.fix(45, at: 0), town.fix(45, at: 1), town.fix(45, at: 21),
        ])
        #expect(receipt.tally.accepted == 3)
        #expect(receipt.sequence == town.store.lastSequence)
        #expect(try town.crossings() == ["enter"])
        let safety = try await town.coordinator.inspect { engine, _, _ in engine.safety(of: Town.ana).state }
        #expect(safety == .safe)
        try await town.coordinator.close()
    }

    @Test func `the same observation twice changes nothing, in one request or in two`() async throws {
        let town = try await Town()
        let fix = town.fix(45, at: 0)
        let first = try await town.coordinator.ingest([fix, fix])
        let second = try await town.coordinator.ingest([fix])
        #expect((first.tally.accepted, first.tally.repeated) == (1, 1))
        #expect((second.tally.accepted, second.tally.repeated) == (0, 1))
        #expect(second.sequence == first.sequence)
        #expect(try town.crossings() == ["enter"])
        try await town.coordinator.close()
    }

    @Test func `a late observation is stored as history, and marked as late`() async throws {
        let town = try await Town()
        town.clock.advance(bySeconds: 200)
        _ = try await town.coordinator.ingest([town.fix(46, at: 100)])
        let receipt = try await town.coordinator.ingest([town.fix(45, at: 50)])
        #expect(receipt.tally.late == 1)
        #expect(try town.crossings().isEmpty)
        let stored = try town.store.positions(
            of: Town.phone, from: Instant(milliseconds: 0), to: Instant(seconds: 2_000_000_000), after: nil, limit: 10)
        #expect(stored.map(\.coordinate.latitude) == [45, 46])
        try await town.coordinator.close()
    }

    private static let beacon = Beacon(uuid: BeaconUUID(high: 1, low: 2), major: 3, minor: 4)

    private func sighting(at seconds: Double, minor: UInt16 = 4, _ town: Town) -> Observation {
        let beacon = Beacon(uuid: Self.beacon.uuid, major: 3, minor: minor)
        let time = town.clock.now.advanced(bySeconds: seconds)
        return .sighting(Sighting(of: beacon, sampleTime: time, receivedTime: town.clock.now), of: Town.phone)
    }

    @Test func `a sighting is stored once, and several of one moment are all current`() async throws {
        let town = try await Town()
        let request = [
            sighting(at: 0, town), sighting(at: 0, minor: 5, town), sighting(at: 0, town), sighting(at: -9, town),
            sighting(at: 61, town),
        ]
        let first = try await town.coordinator.ingest(request)
        #expect((first.tally.accepted, first.tally.repeated, first.tally.late) == (2, 1, 2))
        let second = try await town.coordinator.ingest(request)
        #expect((second.tally.repeated, second.sequence) == (5, first.sequence))
        let told = try town.store.changes(since: .zero, limit: 100).compactMap { logged -> Bool? in
            if case .sighting(_, of: Town.phone, let isCurrent) = logged.change { isCurrent } else { nil }
        }
        #expect(told == [true, true, false, false])
        try await town.coordinator.close()
        // A server that starts over the same store knows what is late.
        let again = try StoreCoordinator(store: town.store, now: { town.clock.now })
        let third = try await again.ingest([sighting(at: -1, town), sighting(at: 0, minor: 6, town)])
        #expect((third.tally.late, third.tally.accepted) == (1, 1))
        try await again.close()
    }

    @Test func `a note is stored once, reported with names, and never replaced by an older one`() async throws {
        let town = try await Town()
        func note(_ body: String, at seconds: Double) -> Observation {
            let now = town.clock.now
            return .note(
                DeviceNote(
                    DeviceNote.Name(.steps), sampleTime: now.advanced(bySeconds: seconds), receivedTime: now,
                    body: body),
                of: Town.phone)
        }
        func stored() throws -> [String] {
            try town.store.notes(of: Town.phone, kind: nil, after: nil, limit: 9).map(\.body)
        }
        let first = try await town.coordinator.ingest([note("{\"steps\":1}", at: 0)])
        let second = try await town.coordinator.ingest([note("{\"steps\":1}", at: 0), note("{\"steps\":0}", at: -5)])
        #expect((first.tally.accepted, second.tally.repeated, second.sequence) == (1, 2, first.sequence))
        #expect(try stored() == ["{\"steps\":1}"])
        let third = try await town.coordinator.ingest([note("{\"steps\":2}", at: 5)])
        #expect(third.tally.accepted == 1)
        #expect(try stored() == ["{\"steps\":2}"])
        let changes = try town.store.changes(since: first.sequence, limit: 9).map(\.change)
        #expect(changes == [.note(DeviceNote.Name(.steps), of: Town.phone)])
        try await town.coordinator.close()
    }

    @Test func `requests that wait together share a transaction`() async throws {
        let town = try await Town()
        let (gate, blocked) = await holdWriter(of: town)
        let senders = (0..<50).map { number in
            Task { try await town.coordinator.ingest([town.fix(46, at: Double(number))]) }
        }
        while town.coordinator.statistics.waitingObservations < 50 { await Task.yield() }
        gate.signal()
        try await blocked.value
        for sender in senders { _ = try await sender.value }
        #expect(town.coordinator.statistics.commits == 1)
        #expect(town.coordinator.statistics.requests == 50)
        try await town.coordinator.close()
    }

    @Test func `a full queue refuses, and takes again once it has drained`() async throws {
        let town = try await Town()
        let (gate, blocked) = await holdWriter(of: town)
        let many = Array(repeating: town.fix(46, at: 0), count: WriterQueue.observationLimit)
        let waiting = Task { try await town.coordinator.ingest(many) }
        while town.coordinator.statistics.waitingObservations < many.count { await Task.yield() }
        await #expect(throws: CoordinatorError.full) { try await town.coordinator.ingest([town.fix(46, at: 1)]) }
        gate.signal()
        try await blocked.value
        #expect(try await waiting.value.tally.repeated == many.count - 1)
        #expect(try await town.coordinator.ingest([town.fix(46, at: 1)]).tally.accepted == 1)
        try await town.coordinator.close()
    }

    @Test func `after a restart nothing is crossed again and nothing is forgotten`() async throws {
        let town = try await Town()
        _ = try await town.coordinator.ingest([town.fix(45, at: 0), town.fix(45, at: 1), town.fix(45, at: 21)])
        let again = try await Town(store: town.store)
        let safety = try await again.coordinator.inspect { engine, _, _ in engine.safety(of: Town.ana) }
        #expect(safety.state == .safe)
        _ = try await again.coordinator.ingest([town.fix(45, at: 0), town.fix(45, at: 25), town.fix(46, at: 30)])
        #expect(try town.crossings() == ["enter", "exit"])
    }

    @Test func `a clock that runs ahead is kept as history once, and forgotten by no restart`() async throws {
        let town = try await Town()
        _ = try await town.coordinator.ingest([town.fix(46, at: 0)])
        let ahead = try await town.coordinator.ingest([town.fix(45, at: 86_400), town.fix(45, at: 86_400)])
        #expect((ahead.tally.late, ahead.tally.repeated) == (1, 1))
        let again = try await Town(store: town.store)
        let receipt = try await again.coordinator.ingest([town.fix(45, at: 5)])
        #expect(receipt.tally.accepted == 1)
        #expect(try town.crossings() == ["enter"])
    }

    @Test func `a clock that is ahead is known, after a restart too, until it is right again`() async throws {
        let town = try await Town()
        func lead(in town: Town) async throws -> Double? {
            try await town.coordinator.inspect { engine, _, _ in engine.clockSkew(of: Town.phone)?.aheadSeconds }
        }
        _ = try await town.coordinator.ingest([town.fix(46, at: 0), town.fix(45, at: 300), town.fix(45, at: 320)])
        let told = try #require(try await lead(in: town))
        #expect(told > 200)
        // When its time has come it still counts for nothing: nobody knows when it was sampled.
        town.clock.advance(bySeconds: 3_600)
        let later = try await Town(store: town.store, clock: town.clock)
        #expect(try await lead(in: later) == told)
        let latest = try await later.coordinator.inspect { engine, _, _ in engine.latestPosition(of: Town.phone) }
        #expect(latest?.coordinate.latitude == 46)
        _ = try await later.coordinator.ingest([later.fix(46, at: 3_600)])
        #expect(try await lead(in: later) == nil)
        let last = try await Town(store: town.store, clock: town.clock)
        #expect(try await lead(in: last) == nil)
        #expect(try town.crossings() == [])
    }

    @Test func `an edit that throws leaves no trace`() async throws {
        struct Refused: Error {}
        let town = try await Town()
        let before = town.store.lastSequence
        await #expect(throws: Refused.self) {
            try await town.coordinator.edit { _, draft in
                let number = try draft.transaction.nextUserNumber()
                draft.edits.append(.putUser(User(number: number, name: "eve", role: .admin, team: nil)))
                throw Refused()
            }
        }
        #expect(town.coordinator.directory.users["eve"] == nil)
        #expect(town.store.lastSequence == before)
        try await town.coordinator.close()
    }

    @Test func `an observation after closing is refused, one before is stored`() async throws {
        let town = try await Town()
        let receipt = try await town.coordinator.ingest([town.fix(45, at: 0)])
        #expect(receipt.tally.accepted == 1)
        try await town.coordinator.close()
        await #expect(throws: CoordinatorError.closed) { try await town.coordinator.ingest([town.fix(45, at: 1)]) }
    }
}
