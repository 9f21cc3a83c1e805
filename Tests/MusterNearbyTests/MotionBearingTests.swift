import MusterCore
import MusterGeometry
import Testing

@testable import MusterNearby

@Suite struct MotionBearingTests {
    private static let start = Instant(milliseconds: 1_764_000_000_000)

    /// Walks along corners at 1.2 m/s, and measures a standing peer 10 times a second with the simulated radio.
    private func walk(_ corners: [Offset], peer: Offset, seed: UInt64, noise: SimulatedRanging.Noise = .init()) throws
        -> (bearing: MotionBearing, truth: Degrees)
    {
        var end = SimulatedPlace(.standing(east: 0, north: 0, heading: 0), noise, seed: seed)
        var (bearing, now, place) = (MotionBearing(), Self.start, corners[0])
        for (from, to) in zip(corners, corners.dropFirst()) {
            let steps = Int((to - from).length / 0.12)
            for step in 1...steps {
                place = from + (to - from) * (Double(step) / Double(steps))
                now = now.advanced(bySeconds: 0.1)
                let report = SimulatedPlace.Report(place: peer - place, heading: 0)
                let measured = try #require(try end.step(at: now, peer: (report, now)).measurement)
                guard let distance = measured.distance, let error = measured.quality.distanceError else { continue }
                bearing.add(WeighedRange(distance: distance.value, error: error.value), at: place, time: now)
            }
        }
        return (bearing, Degrees((peer - place).bearingDegrees))
    }

    private func apart(_ left: Degrees, _ right: Degrees) -> Double {
        abs(Degrees(left.value - right.value).turned.value)
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>) func `a straight walk leaves two bearings, one of them true`(
        seed: UInt64
    ) throws {
        let (bearing, truth) = try walk(
            [.zero, Offset(east: 0, north: 6)], peer: Offset(east: 6, north: 6), seed: seed)
        guard case .ambiguous(let both, let error) = bearing.estimate() else {
            Issue.record("\(bearing.estimate())")
            return
        }
        #expect(both.count == 2 && error.value <= 35)
        #expect(both.contains { apart($0, truth) <= 3 * error.value }, "\(both), truth \(truth)")
        // The other bearing is the mirror image of the true one about the path, which leads north.
        #expect(apart(both[0], Degrees(-both[1].value)) < 12)
    }

    /// Prints the figures of docs/nearby.md.
    @Test func `a turn resolves the bearing, with an honest error`() throws {
        var (errors, within): ([Double], Int) = ([], 0)
        for seed in 1...60 as ClosedRange<UInt64> {
            let (bearing, truth) = try walk(
                [.zero, Offset(east: 0, north: 6), Offset(east: 5, north: 6)], peer: Offset(east: 6, north: 12),
                seed: seed)
            guard case .bearing(let found, let error) = bearing.estimate() else { continue }
            errors.append(apart(found, truth))
            if apart(found, truth) <= 2 * error.value { within += 1 }
        }
        errors.sort()
        let figures = [errors[errors.count / 2], errors[errors.count * 95 / 100]].map { ($0 * 10).rounded() / 10 }
        print("bearing after a turn: \(errors.count) of 60 walks, error p50 \(figures[0])°, p95 \(figures[1])°,")
        print("within twice the stated error: \(within * 100 / errors.count) %")
        #expect(errors.count >= 54 && figures[0] <= 6 && figures[1] <= 20)
        #expect(within * 100 >= 85 * errors.count)
    }

    @Test func `a peer straight ahead has one bearing`() throws {
        let (bearing, _) = try walk([.zero, Offset(east: 0, north: 6)], peer: Offset(east: 0, north: 14), seed: 3)
        guard case .bearing(let found, _) = bearing.estimate() else {
            Issue.record("\(bearing.estimate())")
            return
        }
        #expect(apart(found, 0) <= 30)
    }

    @Test func `standing still gives no bearing, and keeps few ranges`() throws {
        var bearing = MotionBearing()
        for step in 0..<500 {
            let now = Self.start.advanced(bySeconds: Double(step) / 10)
            bearing.add(WeighedRange(distance: 8, error: 0.1), at: .zero, time: now)
        }
        #expect(bearing.estimate() == .tooLittleMotion && bearing.count <= 2)
        for step in 0..<5_000 {
            let now = Self.start.advanced(bySeconds: 50 + Double(step) / 100)
            bearing.add(WeighedRange(distance: 8, error: 0.1), at: Offset(east: Double(step), north: 0), time: now)
        }
        #expect(bearing.count == MotionBearing.capacity)
    }

    @Test func `a measurement with two possible bearings gives both, and the reason for no direction`() throws {
        let place = FusedPlace(
            send: { _ in }, clock: NearbyClock(now: { Self.start }, ticks: { _ in AsyncStream { nil } }),
            motion: { FusedRanging.Motion(east: 0, north: Metres(MotionTrack.north.value), heading: 0) })
        var last: RangeMeasurement?
        for step in 0...30 {
            let north = Double(step) / 5
            last = try MotionTrack.$north.withValue(MotionTrack.Place(value: north)) {
                try place.update(
                    with: RangeMeasurement(
                        source: .bluetooth, time: Self.start.advanced(bySeconds: Double(step) / 5),
                        distance: Metres((Offset(east: 6, north: 6) - Offset(east: 0, north: north)).length),
                        quality: RangeMeasurement.Quality(distanceError: 0.1)))
            }
        }
        let measurement = try #require(last)
        #expect(measurement.noDirection == .ambiguous && measurement.horizontalAngle == nil)
        #expect(measurement.candidates.count == 2)
        #expect(measurement.candidates.contains { apart($0, 90) < 12 })
        #expect(measurement.candidates.contains { apart($0, 270) < 12 })
    }

    /// The position of a test's device.
    private enum MotionTrack {
        struct Place: Sendable { var value = 0.0 }
        @TaskLocal static var north = Place()
    }
}
