import Foundation
import MusterCore
import MusterGeometry
import Testing

@testable import MusterKit

/// Fixes with times in the future, and a device whose clock is set back: neither may show a person as safe who is not.
@Suite struct DeviceClockTests {
    private func snapshot() -> RegionSnapshot {
        let page = #"""
            {"type":"FeatureCollection","features":[{"type":"Feature","id":"yard","properties":{"radius":50,\#
            "muster":true},"geometry":{"type":"Point","coordinates":[13,52]}}]}
            """#
        return RegionSnapshot(
            team: .init(silenceSeconds: 1_200, filter: "none", links: ["site"]),
            collections: [.init(name: "site", policy: "confident", pages: [page])])
    }

    private func device() throws -> WatchedDevice {
        var device = WatchedDevice(of: "ann")
        try device.adopt(snapshot(), now: try fix(0, north: 0).sampleTime)
        return device
    }

    /// Follows a fix each minute, each at its time, and returns the crossings.
    private func follow(_ minutes: ClosedRange<Int>, north metres: Double, on device: inout WatchedDevice) throws
        -> [Crossing]
    {
        try minutes.flatMap { minute in
            let fix = try fix(60 * Double(minute), north: metres, accuracy: 5)
            return device.follow([fix], now: fix.sampleTime)
        }
    }

    @Test(arguments: [(out: 500.0, ahead: 0.0), (out: 0.0, ahead: 500.0)])
    func `one fix with a time in the future moves nobody`(out: Double, ahead: Double) throws {
        var device = try device()
        _ = try follow(0...9, north: out, on: &device)
        let before = device.safety.state
        #expect(before == (out == 0 ? .safe : .unsafe))
        let strange = try fix(600 + 7_200, north: ahead, accuracy: 5)
        #expect(device.follow([strange], now: try fix(600, north: 0).sampleTime).isEmpty)
        #expect(device.safety.state == before)
        // And the next fix counts.
        _ = try follow(11...30, north: ahead, on: &device)
        #expect(device.safety.state == (ahead == 0 ? .safe : .unsafe))
    }

    @Test(arguments: [false, true])
    func `after the clock was set back by a day the next fixes count`(startsAgain: Bool) async throws {
        let day = 1_440
        var device = try device()
        _ = try follow(day...(day + 9), north: 0, on: &device)
        #expect(device.safety.state == .safe)
        if startsAgain {
            let kept = StoredPresence(device, incident: nil, session: "s")
            var again = WatchedDevice(of: "ann")
            let now = try fix(600, north: 0).sampleTime
            try again.adopt(snapshot(), now: now)
            kept.restore(&again, trail: device.trail, now: now)
            device = again
        }
        let crossings = try follow(11...30, north: 500, on: &device)
        #expect(crossings.map(\.kind) == [.exit])
        #expect(device.safety.state == .unsafe)
    }

    @Test func `a measurement that is not a number is left out, and the fix is recorded`() async throws {
        let store = try LocalStore(path: nil)
        let monitor = LocationMonitor(foreground: .everything)
        for (index, number) in [Double.nan, .infinity, -.infinity].enumerated() {
            var fix = try fix(Double(index), north: 0, accuracy: number)
            (fix.altitude, fix.speed, fix.heading) = (Metres(number), number, number)
            let location = try #require(monitor.admit(fix))
            #expect(location.fix.accuracy == nil)
            let recorded = RecordedLocation(.init(fix: fix, isInBackground: false), user: "ann", session: "s")
            try await store.record([recorded], beside: nil)
        }
        let found = try await store.documents(.newest(9), as: RecordedLocation.self)
        #expect(found.count == 3 && found.allSatisfy { $0.value.properties.accuracy == nil })
        let location = Muster.Location(latitude: 52, longitude: 13, time: Date(), accuracyMetres: .nan)
        #expect(try location.fix().accuracy == nil)
        for seconds in [-3e9, 3e11, .infinity, .nan] {
            let time = Date(timeIntervalSince1970: seconds)
            #expect(throws: MusterError.illegalLocation) {
                try Muster.Location(latitude: 52, longitude: 13, time: time).fix()
            }
        }
    }
}
