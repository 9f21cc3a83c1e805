import MusterCore
import MusterGeometry
import Testing

@testable import MusterKit

/// Regions that only a rule of the server makes muster regions.
@Suite struct MusterByRuleTests {
    @Test func `a device counts a region that a rule makes a muster region as one`() throws {
        let page = #"""
            {"type":"FeatureCollection","features":[{"type":"Feature","id":"yard","properties":{"radius":500,\#
            "muster":true},"musterByRule":true,"geometry":{"type":"Point","coordinates":[13,52]}}]}
            """#
        let snapshot = RegionSnapshot(
            team: .init(silenceSeconds: 1_200, filter: "none", links: ["site"], worksAtZero: nil),
            collections: [.init(name: "site", policy: "confident", pages: [page])])
        var device = WatchedDevice(of: "ann")
        try device.adopt(snapshot, now: Instant(milliseconds: 1_764_000_000_000))
        for minute in 0..<10 {
            let time = Instant(milliseconds: 1_764_000_000_000 + Int64(minute) * 60_000)
            let fix = Position(
                coordinate: try Coordinate(latitude: 52, longitude: 13), sampleTime: time, receivedTime: time,
                accuracy: Metres(5))
            _ = device.follow([fix], now: time)
        }
        #expect(device.safety.state == .safe)
    }
}
