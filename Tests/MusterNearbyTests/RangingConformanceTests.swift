import Foundation
import MusterCore
import MusterGeometry
import Testing

@testable import MusterNearby

/// What every source promises. The peer is 5 m away, 36.87° to the right of straight ahead.
@Suite struct RangingConformanceTests {
    /// A source, and what it measures with.
    struct Bench {
        let clock = ManualClock()
        let kind: RangingKind
        let link = RangingLink.none
        let source: any RangingSource
        /// The source at the other end, and its link; nil where there is none.
        private(set) var other: (source: any RangingSource, link: RangingLink)?

        static let home = Coordinate(validLatitude: 43.5, longitude: -6)

        init(_ kind: RangingKind) {
            self.kind = kind
            let (clock, manual) = (clock.clock, clock)
            func radio(_ east: Double, _ north: Double, seed: UInt64) -> SimulatedRanging {
                SimulatedRanging(.standing(east: east, north: north, heading: 0), seed: seed, clock: clock)
            }
            func fixes(_ metres: Double) -> GPSRanging {
                let place = Self.home.destination(bearing: 36.87, distance: Metres(metres))
                return GPSRanging(rate: 10, clock: clock) {
                    GPSRanging.Fix(coordinate: place, accuracy: 1, time: manual.now, heading: 0)
                }
            }
            switch kind {
            case .simulated:
                source = radio(0, 0, seed: 1)
                other = (radio(3, 4, seed: 2), .none)
            case .gps:
                source = fixes(0)
                other = (fixes(5), .none)
            case .fused:
                source = FusedRanging([radio(0, 0, seed: 1), fixes(0)], clock: clock)
                other = (FusedRanging([radio(3, 4, seed: 2), fixes(5)], clock: clock), .none)
            case .ultraWideband:
                let ends = (SoftwareUltraWideband(1, clock: clock), SoftwareUltraWideband(2, clock: clock))
                source = ends.0.source
                other = (ends.1.source, .none)
            case .bluetooth:
                source = BluetoothRanging {
                    let ticks = clock.ticks(.milliseconds(100))
                    return AsyncStream { continuation in
                        let task = Task {
                            for await now in ticks {
                                continuation.yield(
                                    BluetoothRanging.Reading(
                                        strength: -59 - 27 * log10(5), powerAtOneMetre: -59, time: now))
                            }
                        }
                        continuation.onTermination = { _ in task.cancel() }
                    }
                }
            case .channelSounding:
                source = ChannelSoundingRanging {
                    let ticks = clock.ticks(.milliseconds(100))
                    return AsyncThrowingStream { continuation in
                        let task = Task {
                            for await now in ticks {
                                continuation.yield(ChannelSoundingRanging.Reading(distance: 5.2, time: now))
                            }
                        }
                        continuation.onTermination = { _ in task.cancel() }
                    }
                }
            case .accessory:
                source = AccessoryRanging(SoftwareAccessory(), radio: SoftwareRadio(clock: clock))
            }
        }

        /// Starts both ends, with their notes carried over, and reads this one's.
        func start() -> (found: Collected<RangeMeasurement>, tasks: [Task<Void, Never>]) {
            let found = Collected<RangeMeasurement>()
            guard let other else { return (found, [found.read(source.measurements(over: link))]) }
            let (near, far) = (Relay(), Relay())
            let here = RangingLink { note in far.target?.deliver(note) }
            let there = RangingLink { note in near.target?.deliver(note) }
            (near.target, far.target) = (here, there)
            let away = Collected<RangeMeasurement>()
            return (
                found,
                [
                    found.read(source.measurements(over: here)), away.read(other.source.measurements(over: there)),
                ]
            )
        }
    }

    /// Breaks the circle between two links.
    private final class Relay: @unchecked Sendable {
        // Set once, before anything is sent.
        var target: RangingLink?
    }

    @Test(arguments: RangingKind.allCases) func `measures the distance, and the direction if it can`(
        kind: RangingKind
    ) async throws {
        let bench = Bench(kind)
        #expect(bench.source.kind == kind && bench.source.isSupported)
        let (found, tasks) = bench.start()
        #expect(await bench.clock.advance(by: 0.1) { found.elements.count >= 40 })
        for task in tasks { task.cancel() }
        var last = Instant(milliseconds: 0)
        for measurement in found.elements {
            #expect(measurement.source == kind)
            #expect(measurement.time >= last)
            last = measurement.time
            let distance = try #require(measurement.distance).value
            let error = try #require(measurement.quality.distanceError).value
            #expect(abs(distance - 5) <= 6 * error, "\(measurement)")
            #expect(measurement.noDistance == nil)
            #expect((measurement.horizontalAngle == nil) == (measurement.noDirection != nil))
            if !bench.source.capabilities.direction { #expect(measurement.horizontalAngle == nil) }
            if let angle = measurement.horizontalAngle { #expect(abs(angle.value - 36.87) < 30) }
            if let direction = measurement.direction {
                #expect(
                    abs(direction.x * direction.x + direction.y * direction.y + direction.z * direction.z - 1) < 1e-9)
            }
        }
    }

    @Test(arguments: RangingKind.allCases) func `measures no more once its reader has stopped, and again for another`(
        kind: RangingKind
    ) async {
        let bench = Bench(kind)
        for _ in 0..<2 {
            let (found, tasks) = bench.start()
            #expect(await bench.clock.advance(by: 0.1) { !found.elements.isEmpty })
            for task in tasks { task.cancel() }
            for task in tasks { await task.value }
            #expect(await bench.clock.advance(by: 0.1) { bench.clock.tickers == 0 })
        }
    }

    @Test(arguments: RangingKind.allCases.filter(\.needsBothEnds)) func `refuses what no peer's source sends`(
        kind: RangingKind
    ) async {
        let note: [UInt8] = kind == .simulated ? [1] : kind == .gps ? [2] : kind == .fused ? [4, 0] : [5]
        var (infinite, nowhere) = (note, note)
        for number in [Double.nan, 0, 0] { infinite.append(number) }
        for number in [-1, 1e9, -1] as [Double] { nowhere.append(number) }
        if kind == .gps {
            infinite.append(bigEndian: UInt32(0))
            nowhere.append(bigEndian: UInt32(0))
        }
        for bad in [[9], note, infinite, nowhere] {
            let bench = Bench(kind)
            let found = Collected<RangeMeasurement>()
            let task = found.read(bench.source.measurements(over: bench.link))
            #expect(
                await bench.clock.advance(by: 0.1) {
                    bench.link.deliver(bad)
                    return found.isOver
                })
            #expect(found.error is MeasurementError, "\(bad)")
            #expect(found.elements.isEmpty)
            await task.value
        }
    }

    @Test func `a device without the means supports nothing`() {
        #expect(!GPSRanging(isAvailable: false) { nil }.isSupported)
        #expect(!BluetoothRanging(isAvailable: false) { AsyncStream { $0.finish() } }.isSupported)
        #expect(!AccessoryRanging(SoftwareAccessory(), radio: nil).isSupported)
        #expect(!ChannelSoundingRanging(isAvailable: false) { AsyncThrowingStream { $0.finish() } }.isSupported)
        #expect(!FusedRanging([GPSRanging(isAvailable: false) { nil }]).isSupported)
    }

    /// Reads what Channel Sounding makes of a platform's results.
    private func soundings(
        _ readings: [ChannelSoundingRanging.Reading], _ end: (any Error)? = nil
    ) async -> Collected<RangeMeasurement> {
        let found = Collected<RangeMeasurement>()
        let source = ChannelSoundingRanging {
            AsyncThrowingStream { continuation in
                for reading in readings { continuation.yield(reading) }
                continuation.finish(throwing: end)
            }
        }
        await found.read(source.measurements(over: .none)).value
        return found
    }

    @Test func `a sounding keeps its deviation, and one without has half a metre`() async {
        let now = Instant(milliseconds: 0)
        let found = await soundings([
            .init(distance: 2, deviation: 0.2, time: now), .init(distance: 2, deviation: 0, time: now),
            .init(distance: 2, time: now), .init(distance: nil, time: now),
        ])
        #expect(found.elements.map(\.quality.distanceError) == [0.2, 0.05, 0.5, nil])
        #expect(found.elements.map(\.noDistance) == [nil, nil, nil, .outOfRange])
    }

    @Test func `an invalid sounding ends the source, and so does a session that breaks`() async {
        let now = Instant(milliseconds: 0)
        let wrong: [ChannelSoundingRanging.Reading] = [
            .init(distance: -1, time: now), .init(distance: .nan, time: now),
            .init(distance: 1, deviation: -1, time: now), .init(distance: 1, deviation: .nan, time: now),
        ]
        for reading in wrong {
            let found = await soundings([reading])
            #expect(found.error is MeasurementError && found.elements.isEmpty, "\(reading)")
        }
        let broken = await soundings([], NearbyError(.sessionFailed, "the controller was reset"))
        #expect(broken.error is NearbyError)
    }
}
