import MusterCore
import MusterGeometry
import Testing

@testable import MusterNearby

@Suite struct FusedRangingTests {
    private static let start = Instant(milliseconds: 1_764_000_000_000)

    private func range(_ distance: Double, _ error: Double) -> WeighedRange {
        WeighedRange(distance: distance, error: error)
    }

    @Test func `ranges are weighed by their errors, and one that is much longer is distrusted`() throws {
        let both = try #require(RangeFusion.combine([range(5, 0.1), range(5.2, 0.2)]))
        #expect(abs(both.distance - 5.04) < 1e-9 && abs(both.error - 0.0894427) < 1e-6)
        #expect(RangeFusion.combine([range(5, 0.1), range(7, 0.1)]) == range(5, 0.1))
        let three = try #require(RangeFusion.combine([range(5, 0.1), range(5.1, 0.1), range(6, 0.1)]))
        #expect(abs(three.distance - 5.05) < 1e-9)
        // A rough range does not outvote a good one, whether it is shorter or longer.
        #expect(RangeFusion.combine([range(1, 0.7), range(5, 0.1)]) == range(5, 0.1))
        #expect(RangeFusion.combine([range(40, 5), range(5, 0.1)]) == range(5, 0.1))
        // Ranges that scatter more than they say leave a larger error.
        let scattered = try #require(RangeFusion.combine([range(5, 0.1), range(5.4, 0.1)]))
        #expect(abs(scattered.error - 0.2) < 1e-9)
        #expect(RangeFusion.combine([]) == nil)
    }

    @Test func `a peer makes this end neither surer nor nearer than its own radio allows`() {
        for error in [0.01, 0.1] {
            let mean = RangeFusion.bothEnds(range(5, 0.1), range(5.1, error))
            #expect(abs(mean.distance - 5.05) < 1e-9 && abs(mean.error - 0.1) < 1e-9)
        }
        #expect(RangeFusion.bothEnds(range(5, 0.1), range(8, 0.1)) == range(5, 3))
        #expect(RangeFusion.bothEnds(range(8, 0.1), range(5, 0.01)) == range(8, 3))
    }

    @Test func `a peer's report that no source sends is refused`() throws {
        func report(_ distance: Double, _ error: Double, _ age: Double, motion: Offset? = nil) -> ArraySlice<UInt8> {
            FusedPlace.Report(
                kind: .simulated, range: WeighedRange(distance: distance, error: error), age: age, motion: motion
            ).note.dropFirst()
        }
        let whole = try FusedPlace.Report(report(5, 0.1, 0.5, motion: Offset(east: 1, north: -2)))
        #expect(whole.range == range(5, 0.1) && whole.motion == Offset(east: 1, north: -2))
        for number in [Double.nan, -1, 1e300, .infinity] {
            #expect(throws: MeasurementError.self) { try FusedPlace.Report(report(number, 0.1, 0)) }
            #expect(throws: MeasurementError.self) { try FusedPlace.Report(report(5, number, 0)) }
            #expect(throws: MeasurementError.self) { try FusedPlace.Report(report(5, 0.1, number)) }
            if number == -1 { continue }
            let motion = Offset(east: number, north: 0)
            #expect(throws: MeasurementError.self) { try FusedPlace.Report(report(5, 0.1, 0, motion: motion)) }
        }
        #expect(throws: MeasurementError.self) { try FusedPlace.Report(report(5, 0.1, 0) + [0]) }
        #expect(throws: MeasurementError.self) { try FusedPlace.Report([77]) }
    }

    /// A part whose measurements a test sends.
    private struct Scripted: RangingSource {
        let kind: RangingKind
        let stream: AsyncThrowingStream<RangeMeasurement, any Error>
        let script: AsyncThrowingStream<RangeMeasurement, any Error>.Continuation
        var capabilities: RangingCapabilities { RangingCapabilities(distance: .precise) }

        init(_ kind: RangingKind) {
            self.kind = kind
            (stream, script) = AsyncThrowingStream.makeStream()
        }

        func measurements(over link: RangingLink) -> AsyncThrowingStream<RangeMeasurement, any Error> { stream }

        func say(_ distance: Double, at time: Instant) throws {
            script.yield(
                try RangeMeasurement(
                    source: kind, time: time, distance: Metres(distance),
                    quality: RangeMeasurement.Quality(distanceError: 0.1)))
        }
    }

    @Test func `a source that stops or breaks is left out, and the last one's error ends all`() async throws {
        let clock = ManualClock()
        let (radio, signal) = (Scripted(.simulated), Scripted(.bluetooth))
        let fused = FusedRanging([radio, signal], clock: clock.clock)
        let found = Collected<RangeMeasurement>()
        let task = found.read(fused.measurements(over: .none))
        try radio.say(5, at: clock.now)
        #expect(await clock.advance(by: 0) { found.elements.count == 1 })
        try signal.say(5.2, at: clock.now)
        #expect(await clock.advance(by: 0) { found.elements.count == 2 })
        #expect(abs(try #require(found.elements[1].distance).value - 5.1) < 1e-9)
        radio.script.finish(throwing: NearbyError(.sessionFailed, "broken"))
        // The stream does not report the end of one part, so the test waits until that part no longer counts.
        var last = 0.0
        for _ in 0..<1_000 where last != 6 {
            let before = found.elements.count
            try signal.say(6, at: clock.now)
            #expect(await clock.advance(by: 0) { found.elements.count > before })
            last = found.elements.last?.distance?.value ?? 0
        }
        #expect(last == 6 && !found.isOver)
        signal.script.finish(throwing: NearbyError(.userDidNotAllow, "no"))
        await task.value
        #expect((found.error as? NearbyError)?.kind == .userDidNotAllow)
    }

    /// Returns the p50 and the p95 of absolute errors.
    private func quantiles(_ errors: [Double]) -> (half: Double, most: Double) {
        let sorted = errors.map(abs).sorted()
        return (sorted[sorted.count / 2], sorted[sorted.count * 95 / 100])
    }

    /// Prints the table of docs/nearby.md, for a radio that notices obstacles and for one that states 0.1 m always.
    @Test(arguments: [true, false]) func `fused distances are no worse than those of each source alone`(
        notices: Bool
    ) throws {
        let truth = 8.0
        var (radio, signal, fixes, fused) = ([Double](), [Double](), [Double](), [Double]())
        var within = 0
        for seed in 1...20 as ClosedRange<UInt64> {
            var near = SimulatedPlace(.standing(east: 0, north: 0, heading: 0), .init(), seed: 2 * seed)
            var far = SimulatedPlace(.standing(east: 0, north: truth, heading: 0), .init(), seed: 2 * seed + 1)
            var random = SeededRandom(seed: seed, stream: 0, purpose: 9)
            var now = Self.start
            let here = SimulatedPlace.Report(place: .zero, heading: 0)
            let there = SimulatedPlace.Report(place: Offset(east: 0, north: truth), heading: 0)
            let place = FusedPlace(
                send: { _ in }, clock: NearbyClock(now: { Self.start }, ticks: { _ in AsyncStream { nil } }),
                motion: nil)
            for _ in 0..<500 {
                now = now.advanced(bySeconds: 0.1)
                var own = try #require(try near.step(at: now, peer: (there, now)).measurement)
                let other = try #require(try far.step(at: now, peer: (here, now)).measurement)
                if !notices {
                    own = try RangeMeasurement(
                        source: .simulated, time: now, distance: own.distance,
                        quality: RangeMeasurement.Quality(distanceError: 0.1))
                }
                let error = notices ? other.quality.distanceError?.value ?? 0 : 0.1
                let report = FusedPlace.Report(
                    kind: .simulated, range: range(other.distance?.value ?? 0, error), age: 0, motion: nil)
                place.record(report, measuredAt: now)
                let strength = -59 - 27 * 0.90309 + random.normal(deviation: 6)
                var filter = SignalFilter()
                let heard = try filter.measure(
                    BluetoothRanging.Reading(strength: strength, powerAtOneMetre: -59, time: now))
                let fix = try RangeMeasurement(
                    source: .gps, time: now, distance: Metres(abs(truth + random.normal(deviation: 5))),
                    quality: RangeMeasurement.Quality(distanceError: 5))
                _ = try place.update(with: heard)
                _ = try place.update(with: fix)
                let all = try place.update(with: own)
                radio.append((own.distance?.value ?? 0) - truth)
                signal.append((heard.distance?.value ?? 0) - truth)
                fixes.append((fix.distance?.value ?? 0) - truth)
                let miss = try #require(all.distance).value - truth
                fused.append(miss)
                if abs(miss) <= 2 * (try #require(all.quality.distanceError).value) { within += 1 }
            }
        }
        let all = quantiles(fused)
        var lines = "The radio notices obstacles: \(notices)\n| Source | error p50 | error p95 |\n|---|---|---|"
        for (name, errors) in [
            ("two-way ranging", radio), ("Bluetooth", signal), ("fixes", fixes), ("fused", fused),
        ] {
            let one = quantiles(errors)
            lines += "\n| \(name) | \((one.half * 100).rounded() / 100) m | \((one.most * 100).rounded() / 100) m |"
            #expect(all.half <= one.half && all.most <= one.most)
        }
        print(lines + "\nwithin twice the stated error: \(within * 100 / fused.count) %")
        #expect(within * 100 >= (notices ? 90 : 80) * fused.count)
    }
}
