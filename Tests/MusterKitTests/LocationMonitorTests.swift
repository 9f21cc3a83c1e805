import MusterCore
import MusterGeometry
import MusterKit
import Testing

@Suite struct LocationMonitorTests {
    @Test func `a filter's edges: its accuracy and distance will do, its seconds are not enough`() throws {
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

    @Test func `in the background a poorer fix will do and nearer ones will not`() throws {
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

    @Test func `who subscribes after the end hears nothing and does not wait`() async {
        let monitor = LocationMonitor()
        await monitor.run(StreamedLocations(AsyncStream { $0.finish() }))
        for await _ in monitor.subscribe() { Issue.record("nothing was told") }
    }

    @Test func `the mode decides which filter counts`() throws {
        let monitor = LocationMonitor()
        #expect(monitor.take(try fix(0, north: 0)))
        monitor.mode = .background
        #expect(!monitor.take(try fix(20, north: 50)))
        monitor.mode = .foreground
        #expect(monitor.take(try fix(20, north: 50)))
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

/// A fix so many seconds after noon, so many metres north of a place.
func fix(_ seconds: Double, north metres: Double, accuracy: Double? = nil) throws -> Position {
    let place = try Coordinate(latitude: 52, longitude: 13).destination(bearing: Degrees(0), distance: Metres(metres))
    let time = Instant(milliseconds: 1_700_000_000_000).advanced(bySeconds: seconds)
    return Position(coordinate: place, sampleTime: time, receivedTime: time, accuracy: accuracy.map { Metres($0) })
}
