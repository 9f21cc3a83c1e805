import Foundation
import MusterCore
import MusterGeometry
import Testing

@testable import MusterNearby

@Suite struct RangingTests {
    private static let start = Instant(milliseconds: 1_764_000_000_000)

    @Test func `a number that no measurement has is refused`() throws {
        for metres in [-1, -0.001, .nan, .infinity, -.infinity] as [Double] {
            #expect(throws: MeasurementError.self) {
                try RangeMeasurement(source: .simulated, time: Self.start, distance: Metres(metres))
            }
            #expect(throws: MeasurementError.self) {
                try RangeMeasurement(
                    source: .simulated, time: Self.start, distance: 1,
                    quality: RangeMeasurement.Quality(distanceError: Metres(metres)))
            }
        }
        #expect(throws: MeasurementError.angle(.infinity)) {
            try RangeMeasurement(source: .gps, time: Self.start, horizontalAngle: Degrees(.infinity))
        }
        for (x, y, z) in [(0, 0, 0), (1, 1, 0), (.nan, 0, 1), (.infinity, 0, 0)] as [(Double, Double, Double)] {
            #expect(throws: MeasurementError.self) { try Direction(x: x, y: y, z: z) }
        }
        #expect(try Direction(x: 0, y: 0, z: -1.005).z == -1)
    }

    @Test func `angles count from straight ahead to the right`() throws {
        #expect(try Direction(x: 0, y: 0, z: -1).horizontalAngle == 0)
        #expect(abs(try Direction(x: 1, y: 0, z: 0).horizontalAngle.value - 90) < 1e-9)
        #expect(abs(try Direction(x: 0, y: 0, z: 1).horizontalAngle.value - 180) < 1e-9)
        #expect(abs(Direction(horizontalAngle: -40, elevation: 10).horizontalAngle.value + 40) < 1e-9)
        #expect(abs(Direction(horizontalAngle: -40, elevation: 10).elevation.value - 10) < 1e-9)
        for (turned, angle) in [(-170, 190), (180, -180), (180, 540), (0, 720)] as [(Double, Double)] {
            #expect(Degrees(angle).turned == Degrees(turned))
        }
    }

    /// Measures a peer at a place from the origin, looking north, so many times.
    private func simulated(
        _ place: Offset, _ noise: SimulatedRanging.Noise, times: Int = 2_000, seed: UInt64 = 7
    ) throws -> [RangeMeasurement] {
        var end = SimulatedPlace(.standing(east: 0, north: 0, heading: 0), noise, seed: seed)
        return try (1...times).compactMap { step in
            let now = Self.start.advanced(bySeconds: Double(step) / 10)
            return try end.step(at: now, peer: (SimulatedPlace.Report(place: place, heading: 0), now)).measurement
        }
    }

    @Test func `noise in sight has the standard deviation that it says, and no bias`() throws {
        var noise = SimulatedRanging.Noise()
        noise.obstructed = 0
        let errors = try simulated(Offset(east: 0, north: 10), noise).compactMap { $0.distance.map { $0.value - 10 } }
        let mean = errors.reduce(0, +) / Double(errors.count)
        let deviation = (errors.map { $0 * $0 }.reduce(0, +) / Double(errors.count)).squareRoot()
        #expect(abs(mean) < 0.01)
        #expect(abs(deviation - 0.1) < 0.01)
    }

    @Test func `obstacles make ranges longer, never shorter on average`() throws {
        var noise = SimulatedRanging.Noise()
        noise.obstructed = 1
        let errors = try simulated(Offset(east: 0, north: 10), noise).dropFirst(500).compactMap {
            $0.distance.map { $0.value - 10 }
        }
        let mean: Double = errors.reduce(0, +) / Double(errors.count)
        #expect(abs(mean - 0.6) < 0.06)
        noise.obstructed = 0.2
        let blocked = try simulated(Offset(east: 0, north: 10), noise, times: 20_000).count {
            ($0.quality.distanceError?.value ?? 0) > 0.5
        }
        #expect((0.13...0.27).contains(Double(blocked) / 20_000))
    }

    @Test func `no direction outside the field of view, nothing out of reach`() throws {
        let aside = try simulated(Offset(east: 10, north: 1), .none, times: 1)[0]
        #expect(aside.distance != nil && aside.direction == nil && aside.noDirection == .outsideFieldOfView)
        let ahead = try simulated(Offset(east: 1, north: 10), .none, times: 1)[0]
        #expect(abs(try #require(ahead.horizontalAngle).value - 5.710593) < 1e-5)
        let far = try simulated(Offset(east: 0, north: 50.1), .none, times: 1)[0]
        #expect(far.distance == nil && far.direction == nil)
        #expect(far.noDistance == .outOfRange && far.noDirection == .outOfRange)
    }

    @Test func `the same seed gives the same walk and errors`() throws {
        #expect(try simulated(Offset(east: 1, north: 9), .init()) == simulated(Offset(east: 1, north: 9), .init()))
        func walk(_ seed: UInt64) -> [Offset] {
            var walk = SimulatedWalk(.wandering(within: 10, speed: 1.4), seed: seed)
            return (0..<600).map { walk.report(at: Self.start.advanced(bySeconds: Double($0) / 4)).place }
        }
        #expect(walk(3) == walk(3) && walk(3) != walk(4))
        #expect(walk(3).allSatisfy { $0.length <= 10.001 })
        #expect(zip(walk(3), walk(3).dropFirst()).allSatisfy { ($1 - $0).length <= 0.351 })
    }

    @Test func `one timer serves all peers of a source, until the last is measured no more`() async throws {
        let clock = ManualClock()
        let source = SimulatedRanging(
            .standing(east: 0, north: 0, heading: 0), noise: .none, seed: 1, clock: clock.clock)
        let links = (0..<3).map { _ in RangingLink.none }
        let found = links.map { _ in Collected<RangeMeasurement>() }
        let tasks = zip(found, links).map { $0.read(source.measurements(over: $1)) }
        #expect(clock.tickers == 1)
        let isMeasured = await clock.advance(by: 0.1) {
            for (metres, link) in links.enumerated() {
                link.deliver(SimulatedPlace.Report(place: Offset(east: 0, north: Double(metres)), heading: 0).note)
            }
            return found.allSatisfy { !$0.elements.isEmpty }
        }
        #expect(isMeasured && found.map { $0.elements.first?.distance } == [0, 1, 2])
        for task in tasks.dropLast() { task.cancel() }
        for task in tasks.dropLast() { await task.value }
        #expect(clock.tickers == 1)
        tasks.last?.cancel()
        await tasks.last?.value
        #expect(await clock.advance(by: 0.1) { clock.tickers == 0 })
    }

    private func fixes(
        metres: Double, accuracies: (Double, Double), ages: (Double, Double) = (0, 0), heading: Degrees? = 0
    ) throws -> RangeMeasurement {
        let here = Coordinate(validLatitude: 43.5, longitude: -6)
        let now = Self.start
        var end = GPSPlace {
            GPSRanging.Fix(
                coordinate: here, accuracy: Metres(accuracies.0), time: now.advanced(bySeconds: -ages.0),
                heading: heading)
        }
        let peer = GPSPlace.FixReport(
            coordinate: here.destination(bearing: 90, distance: Metres(metres)), accuracy: Metres(accuracies.1),
            ageSeconds: ages.1)
        let report = try GPSPlace.report(in: peer.note)
        return try #require(try end.step(at: now, peer: (report, now)).measurement)
    }

    @Test func `two fixes give the distance with the error of both`() throws {
        let far = try fixes(metres: 100, accuracies: (3, 4))
        #expect(abs(try #require(far.distance).value - 100) < 1e-6)
        #expect(far.quality.distanceError == 5)
        #expect(abs(try #require(far.bearing).value - 90) < 1e-4)
        #expect(abs(try #require(far.horizontalAngle).value - 90) < 1e-4)
        #expect(far.direction == nil)
        let old = try fixes(metres: 100, accuracies: (3, 4), ages: (0, 10))
        #expect(try #require(old.quality.distanceError).value >= 20)
    }

    @Test func `fixes too near, too old or without a heading give no direction`() throws {
        #expect(try fixes(metres: 4, accuracies: (3, 4)).noDirection == .nearerThanError)
        let lost = try fixes(metres: 100, accuracies: (3, 4), heading: nil)
        #expect(lost.noDirection == .noHeading && lost.bearing != nil && lost.distance != nil)
        #expect(try fixes(metres: 100, accuracies: (3, 4), ages: (0, 61)).noDistance == .noPeerFix)
        #expect(try fixes(metres: 100, accuracies: (3, 4), ages: (61, 0)).noDistance == .noOwnFix)
        #expect(try GPSPlace.report(in: GPSPlace.noFix) == nil)
    }

    @Test func `a signal is smoothed, and its error grows with the distance`() throws {
        var filter = SignalFilter()
        func measure(_ strength: Double, at seconds: Double) throws -> RangeMeasurement {
            try filter.measure(
                BluetoothRanging.Reading(
                    strength: strength, powerAtOneMetre: -59, time: Self.start.advanced(bySeconds: seconds)))
        }
        #expect(abs(try #require(try measure(-59, at: 0).distance).value - 1) < 1e-6)
        let jump = try #require(try measure(-86, at: 0.1).distance).value
        #expect(jump > 1 && jump < 1.2)
        let far = try measure(-86, at: 60)
        #expect(abs(try #require(far.distance).value - 10) < 0.01)
        #expect(abs(try #require(far.quality.distanceError).value - 6.68) < 0.02)
        for strength in [Double.nan, 21, -128, .infinity] {
            #expect(throws: MeasurementError.self) { try measure(strength, at: 61) }
        }
    }
}
