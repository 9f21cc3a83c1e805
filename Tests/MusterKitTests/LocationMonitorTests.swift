import Foundation
import MusterCore
import MusterGeometry
import MusterKit
import Synchronization
import Testing

@Suite struct LocationMonitorTests {
    @Test func `a filter admits a fix at its accuracy and distance, and not at its seconds`() throws {
        let start = try fix(0, north: 0)
        let filter = LocationFilter.foreground
        #expect(filter.admits(start, after: nil))
        #expect(filter.admits(try fix(0, north: 0, accuracy: 25), after: nil))
        #expect(!filter.admits(try fix(0, north: 0, accuracy: 25.001), after: nil))
        #expect(!filter.admits(try fix(15, north: 50), after: start))
        #expect(filter.admits(try fix(15.001, north: 50), after: start))
        #expect(!filter.admits(try fix(60, north: 14.9), after: start))
        #expect(filter.admits(try fix(60, north: 15.1), after: start))
        #expect(!filter.admits(try fix(-60, north: 500), after: start))
    }

    @Test func `in the background a poorer fix is admitted and a nearer one is not`() throws {
        let start = try fix(0, north: 0)
        let filter = LocationFilter.background
        #expect(filter.admits(try fix(60, north: 101, accuracy: 100), after: start))
        #expect(!filter.admits(try fix(60, north: 101, accuracy: 100.1), after: start))
        #expect(!filter.admits(try fix(60, north: 99), after: start))
    }

    @Test func `every subscriber hears of the same locations in the same order`() async throws {
        let monitor = LocationMonitor()
        let first = monitor.subscribe()
        let second = monitor.subscribe()
        let fixes = try (0..<20).map { try fix(Double($0) * 20, north: Double($0) * 20) }
        await monitor.run(
            StreamedLocations(
                AsyncStream { stream in
                    for fix in fixes { stream.yield(fix) }
                    stream.finish()
                }))
        var heard: [[Position]] = [[], []]
        for await location in first { heard[0].append(location.fix) }
        for await location in second { heard[1].append(location.fix) }
        #expect(heard[0] == fixes)
        #expect(heard[1] == fixes)
    }

    @Test func `a subscription after the end ends at once without locations`() async {
        let monitor = LocationMonitor()
        await monitor.run(StreamedLocations(AsyncStream { $0.finish() }))
        for await _ in monitor.subscribe() { Issue.record("nothing was told") }
    }

    @Test func `the mode selects the filter`() throws {
        let monitor = LocationMonitor()
        #expect(monitor.reportFix(try fix(0, north: 0)))
        monitor.mode = .background
        #expect(!monitor.reportFix(try fix(20, north: 50)))
        monitor.mode = .foreground
        #expect(monitor.reportFix(try fix(20, north: 50)))
    }

    @Test func `a fix dated next year does not block later ones, nor does a clock set back`() throws {
        let clock = Mutex(0.0)
        let year = 365 * 86_400.0
        let now: @Sendable () -> Instant = { noon.advanced(bySeconds: clock.withLock { $0 }) }
        let monitor = LocationMonitor(now: now)
        #expect(monitor.reportFix(try fix(0, north: 0)))
        #expect(monitor.reportFix(try fix(year, north: 100)))
        clock.withLock { $0 = 20 }
        #expect(!monitor.reportFix(try fix(20, north: 10)))
        #expect(monitor.reportFix(try fix(20, north: 20)))
        #expect(monitor.last == (try fix(20, north: 20)))
        // Those that are ahead are filtered too, and one that is further ahead silences none of them.
        #expect(!monitor.reportFix(try fix(year + 10, north: 200)))
        #expect(monitor.reportFix(try fix(year / 2, north: 200)))
        // A minute is still the clock's own error.
        #expect(monitor.reportFix(try fix(80, north: 100)))
        #expect(!monitor.reportFix(try fix(40, north: 200)))
        let restarted = LocationMonitor(last: try fix(year, north: 100), now: now)
        #expect(restarted.reportFix(try fix(20, north: 20)))
        // What was right by a clock of next year is ahead once that was set back.
        clock.withLock { $0 = year }
        #expect(restarted.reportFix(try fix(year, north: 200)))
        clock.withLock { $0 = 60 }
        #expect(restarted.reportFix(try fix(60, north: 220)))
    }

    @Test(arguments: 1...20) func `fixes dated in the future do not change which others are admitted`(
        _ seed: UInt64
    ) throws {
        var dice = Dice(seed: seed)
        let clock = Mutex(0.0)
        let now: @Sendable () -> Instant = { noon.advanced(bySeconds: clock.withLock { $0 }) }
        let disturbed = LocationMonitor(now: now)
        let undisturbed = LocationMonitor(now: now)
        var told = 0
        for index in 0..<500 {
            let seconds = Double(index) * 7
            clock.withLock { $0 = seconds }
            while Double.random(in: 0..<1, using: &dice) < 0.3 {
                let ahead = pow(10, Double.random(in: 1.8..<9, using: &dice))
                disturbed.reportFix(try fix(seconds + ahead, north: Double.random(in: 0..<5_000, using: &dice)))
            }
            // Up to half a minute off either way, as receivers are.
            let right = try fix(
                seconds + Double.random(in: -30..<30, using: &dice),
                north: Double(index) * Double.random(in: 0..<5, using: &dice))
            let isTold = undisturbed.reportFix(right)
            #expect(disturbed.reportFix(right) == isTold, "seed \(seed), fix \(index)")
            told += isTold ? 1 : 0
        }
        #expect(told > 50, "seed \(seed)")
    }

    @Test func `a recorded track is played from where it is begun, and goes on after what was played`() async throws {
        let gpx = """
            <gpx version="1.1"><trk><trkseg>
            <trkpt lat="52" lon="13"><time>2020-01-01T00:00:00Z</time></trkpt>
            <trkpt lat="52.001" lon="13"><time>2020-01-01T00:01:00Z</time></trkpt>
            <trkpt lat="52.002" lon="13"><time>2020-01-01T00:02:00Z</time></trkpt>
            </trkseg></trk></gpx>
            """
        let start = Instant(milliseconds: 1_000_000)
        var track = try RecordedTrack(
            gpx: Array(gpx.utf8), start: start, speed: 2, now: { start }, sleep: { _ in })
        var times: [Int64] = []
        for await fix in track.fixes() { times.append(fix.sampleTime.milliseconds) }
        #expect(times == [1_000_000, 1_030_000, 1_060_000])
        track.after = Instant(milliseconds: 1_030_000)
        times = []
        for await fix in track.fixes() { times.append(fix.sampleTime.milliseconds) }
        #expect(times == [1_060_000])
    }
}

private let noon = Instant(milliseconds: 1_700_000_000_000)

/// A fix so many seconds after noon, so many metres north of a place.
func fix(_ seconds: Double, north metres: Double, accuracy: Double? = nil) throws -> Position {
    let place = try Coordinate(latitude: 52, longitude: 13).destination(bearing: Degrees(0), distance: Metres(metres))
    let time = noon.advanced(bySeconds: seconds)
    return Position(coordinate: place, sampleTime: time, receivedTime: time, accuracy: accuracy.map { Metres($0) })
}
