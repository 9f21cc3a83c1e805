import MusterCore
import Synchronization
import Testing

@testable import MusterNearby

@Suite struct NearbySessionTests {
    /// A source that yields what the test says.
    private final class ScriptedSource: RangingSource {
        let kind: RangingKind
        private let current = Mutex<AsyncThrowingStream<RangeMeasurement, any Error>.Continuation?>(nil)
        private let starts = Mutex(0)

        init(_ kind: RangingKind = .bluetooth) { self.kind = kind }

        var capabilities: RangingCapabilities { RangingCapabilities(distance: .rough) }
        var startCount: Int { starts.withLock { $0 } }

        func measurements(over link: RangingLink) -> AsyncThrowingStream<RangeMeasurement, any Error> {
            let (stream, continuation) = AsyncThrowingStream<RangeMeasurement, any Error>.makeStream()
            current.withLock { $0 = continuation }
            starts.withLock { $0 += 1 }
            return stream
        }

        func measure(_ distance: Double, at time: Instant) throws {
            let measurement = try RangeMeasurement(source: kind, time: time, distance: .init(distance))
            current.withLock { _ = $0?.yield(measurement) }
        }

        func fail(_ error: any Error) { current.withLock { $0?.finish(throwing: error) } }
    }

    private let clock = ManualClock()
    private let source = ScriptedSource()

    private func session(
        _ source: (any RangingSource)? = nil, active: ActiveSessions = ActiveSessions(limit: 8)
    ) -> NearbySession {
        NearbySession(source: source ?? self.source, epoch: 1, active: active, clock: clock.clock)
    }

    private func peer(_ byte: UInt8 = 1, _ kinds: Set<RangingKind> = [.bluetooth]) -> NearbySession.Configuration {
        .peer(
            DiscoveryToken(bytes: [UInt8](repeating: byte, count: 16), epoch: 1),
            capabilities: PeerCapabilities(kinds: kinds, direction: false), link: .none)
    }

    private func kind(_ body: () throws -> Void) -> NearbyError.Kind? {
        do { try body() } catch { return (error as? NearbyError)?.kind }
        return nil
    }

    @Test func `a session delivers measurements until the peer is silent, and may be run again`() async throws {
        let session = session()
        var news = session.updates.makeAsyncIterator()
        try session.run(peer())
        try source.measure(2, at: clock.now)
        guard case .measured(let first) = await news.next() else { throw Unexpected() }
        #expect(first.distance == 2)
        #expect(await clock.advance(by: 1) { session.state == .timedOut })
        #expect(await news.next() == .removed(.timeout))
        try session.run(peer())
        try source.measure(3, at: clock.now)
        guard case .measured(let second) = await news.next() else { throw Unexpected() }
        #expect(second.distance == 3)
        session.notePeerEnded()
        #expect(await news.next() == .removed(.peerEnded))
        #expect(kind { try session.run(peer()) } == .sessionFailed)
    }

    @Test func `a suspension ends by itself, and measuring starts again by run alone`() async throws {
        let session = session()
        var news = session.updates.makeAsyncIterator()
        try session.run(peer())
        session.suspend()
        #expect(await news.next() == .suspended)
        #expect(kind { try session.run(peer()) } == .sessionFailed)
        session.endSuspension()
        #expect(await news.next() == .suspensionEnded)
        #expect(source.startCount == 1 && session.state == .awaitingRun)
        try session.run(peer())
        #expect(source.startCount == 2)
        session.suspend()
        #expect(await news.next() == .suspended)
        #expect(await clock.advance(by: 10) { session.state == .invalidated })
        guard case .invalidated(let error) = await news.next() else { throw Unexpected() }
        #expect(error?.code == -5886)
        #expect(await news.next() == nil)
    }

    @Test func `after invalidate nothing comes and nothing runs`() async throws {
        let session = session()
        var news = session.updates.makeAsyncIterator()
        try session.run(peer())
        session.invalidate()
        try source.measure(1, at: clock.now)
        #expect(await news.next() == .invalidated(nil))
        #expect(await news.next() == nil)
        #expect(kind { try session.run(peer()) } == .sessionFailed)
    }

    @Test func `a source that breaks invalidates the session with the reason`() async throws {
        let session = session()
        var news = session.updates.makeAsyncIterator()
        try session.run(peer())
        source.fail(MeasurementError.distance(.nan))
        guard case .invalidated(let error) = await news.next() else { throw Unexpected() }
        let reason = "nan m is not a valid distance: it must be finite and not negative"
        #expect(error == NearbyError(.sessionFailed, reason))
    }

    @Test func `each refusal to run has its code`() throws {
        let deaf = GPSRanging(isAvailable: false) { nil }
        #expect(kind { try session(deaf).run(peer()) } == .unsupportedPlatform)
        #expect(kind { try session().run(.accessory) } == .invalidConfiguration)
        #expect(kind { try session(ScriptedSource(.accessory)).run(peer()) } == .invalidConfiguration)
        #expect(kind { try session(ScriptedSource(.gps)).run(peer(1, [.bluetooth])) } == .incompatiblePeerDevice)
        let used = session()
        try used.run(peer(1))
        #expect(kind { try used.run(peer(2)) } == .invalidConfiguration)
    }

    @Test func `an app may pause the session when it is asked for a fix`() async throws {
        let running = Mutex<NearbySession?>(nil)
        defer { running.withLock { $0 = nil } }
        let questions = Mutex(0)
        let session = session(
            GPSRanging(rate: 10, clock: clock.clock) {
                questions.withLock { $0 += 1 }
                running.withLock { $0 }?.pause()
                return nil
            })
        running.withLock { $0 = session }
        for round in 1...2 {
            try session.run(peer(1, [.gps]))
            #expect(await clock.advance(by: 0.1) { session.state == .paused })
            #expect(questions.withLock { $0 } == round)
        }
    }

    @Test func `the sessions that run at once are limited, and a stop makes room`() throws {
        let active = ActiveSessions(limit: 2)
        let sessions = (0..<3).map { _ in session(active: active) }
        try sessions[0].run(peer())
        try sessions[1].run(peer())
        try sessions[1].run(peer())
        #expect(kind { try sessions[2].run(peer()) } == .activeSessionsLimitExceeded)
        sessions[0].pause()
        try sessions[2].run(peer())
        #expect(kind { try sessions[0].run(peer()) } == .activeSessionsLimitExceeded)
        sessions[1].invalidate()
        try sessions[0].run(peer())
    }

    @Test func `a slow reader gets the last measurement and every other event`() async throws {
        let queue = NewsQueue<NearbyUpdate>(limit: 8)
        func measured(_ metres: Double) throws -> NearbyUpdate {
            .measured(try RangeMeasurement(source: .gps, time: clock.now, distance: .init(metres)))
        }
        for metres in 1...100 { queue.append(try measured(Double(metres))) }
        queue.append(.suspended)
        queue.append(.suspensionEnded)
        for metres in 1...100 { queue.append(try measured(Double(metres))) }
        queue.finish()
        var found: [NearbyUpdate] = []
        while let update = await queue.next() { found.append(update) }
        #expect(found == [try measured(100), .suspended, .suspensionEnded, try measured(100)])
    }

    @Test func `a full queue drops the oldest event, and a measurement still replaces the one before`() async throws {
        func measured(_ metres: Double) throws -> NearbyUpdate {
            .measured(try RangeMeasurement(source: .gps, time: clock.now, distance: .init(metres)))
        }
        let queue = NewsQueue<NearbyUpdate>(limit: 3)
        for round in 0..<10 {
            for update in [.suspended, .suspensionEnded, .suspended, .suspensionEnded] as [NearbyUpdate] {
                queue.append(update)
            }
            for metres in 1...3 { queue.append(try measured(Double(metres))) }
            var found: [NearbyUpdate?] = []
            for _ in 0..<3 { found.append(await queue.next()) }
            #expect(found == [.suspended, .suspensionEnded, try measured(3)], "round \(round)")
        }
        queue.finish()
        #expect(await queue.next() == nil)
    }

    @Test func `a follower gets every update in order, and may run the session in its handler`() async throws {
        let (session, peer) = (session(), peer())
        let found = Mutex<[NearbyUpdate?]>([])
        try session.run(peer)
        session.suspend()
        session.follow { [weak session] update in
            found.withLock { $0.append(update) }
            if update == .suspensionEnded || update == .removed(.timeout) { try? session?.run(peer) }
        }
        #expect(found.withLock { $0 } == [.suspended])
        session.endSuspension()
        #expect(session.state == .running && source.startCount == 2)
        #expect(await clock.advance(by: 1) { source.startCount == 3 })
        session.invalidate()
        // The clock's thread may still be calling the follower, and then it passes the remaining updates.
        #expect(await clock.advance(by: 0) { found.withLock { $0.count } == 5 })
        #expect(
            found.withLock { $0 }
                == [.suspended, .suspensionEnded, .removed(.timeout), .invalidated(nil), nil])
    }
}

/// An event arrived that the test does not expect.
struct Unexpected: Error {}
