import Foundation
import MusterCore
import MusterGeometry
import Testing

@testable import MusterKit

/// Fixes at 0° north, 0° east, which a receiver without a fix sends: the device decides as the server does.
@Suite struct DeviceZeroPlaceTests {
    private func snapshot(worksAtZero: Bool?) -> RegionSnapshot {
        let page = #"""
            {"type":"FeatureCollection","features":[{"type":"Feature","id":"buoy","properties":{"radius":50,\#
            "muster":true},"geometry":{"type":"Point","coordinates":[0,0]}}]}
            """#
        return RegionSnapshot(
            team: .init(silenceSeconds: 1_200, filter: "none", links: ["site"], worksAtZero: worksAtZero),
            collections: [.init(name: "site", policy: "confident", pages: [page])])
    }

    private func fix(_ minute: Int, latitude: Double = 0) throws -> Position {
        let time = Instant(milliseconds: 1_764_000_000_000 + Int64(minute) * 60_000)
        return Position(
            coordinate: try Coordinate(latitude: latitude, longitude: 0), sampleTime: time, receivedTime: time,
            accuracy: Metres(5))
    }

    @Test(arguments: [nil, false, true])
    func `a fix at zero moves nobody, unless the tracker works there`(worksAtZero: Bool?) throws {
        var device = WatchedDevice(of: "ann")
        try device.adopt(snapshot(worksAtZero: worksAtZero), now: try fix(0).sampleTime)
        for minute in 0..<10 {
            let fix = try fix(minute)
            _ = device.follow([fix], now: fix.sampleTime)
        }
        #expect((device.safety.state == .safe) == (worksAtZero == true))
        #expect((device.latest != nil) == (worksAtZero == true))
        #expect(device.trail.isEmpty == (worksAtZero != true))
    }

    @Test func `a fix at zero among others is no part of the track that a restart goes on from`() throws {
        var device = WatchedDevice(of: "ann")
        try device.adopt(snapshot(worksAtZero: false), now: try fix(0).sampleTime)
        for minute in 0..<10 {
            let fix = try fix(minute, latitude: minute == 5 ? 0 : 1)
            _ = device.follow([fix], now: fix.sampleTime)
        }
        #expect(device.trail.count == 9)
        #expect(device.trail.allSatisfy { !$0.isAtZero })
    }

    @Test func `a team's settings that an earlier version stored are read`() throws {
        let stored = #"{"silenceSeconds":1200,"filter":"none","links":["site"]}"#
        let team = try JSONDecoder().decode(RegionSnapshot.Team.self, from: Data(stored.utf8))
        #expect(team == .init(silenceSeconds: 1_200, filter: "none", links: ["site"]))
    }
}
