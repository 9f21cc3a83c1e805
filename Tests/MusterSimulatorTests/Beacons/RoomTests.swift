import Foundation
import MusterCore
import MusterTestSupport
import Testing

@testable import MusterSimulator

/// The right room, without bouncing: in a seeded house, and with what real scanners heard.
@Suite struct RoomTests {
    private func scores(
        _ hearings: [[RadioHouse.Hearing]], rooms: Int
    ) -> (near: RoomScore, vote: RoomScore, ours: RoomScore) {
        var (near, vote, ours) = (RoomScore(), RoomScore(), RoomScore())
        for heard in hearings {
            near.add(heard, by: NearestRule())
            vote.add(heard, by: VoteRule(3, of: 5))
            ours.add(heard, by: EngineRule(rooms: rooms))
        }
        return (near, vote, ours)
    }

    @Test(arguments: SoakSeeds.first(1, of: [1, 2, 3]))
    func `a tag is in the right room most of the time, and flaps a hundredth as often as the nearest signal`(
        seed: UInt64
    ) {
        print("seed \(seed)")
        let hours = RadioHouse.hearings(hours: 1.5, seed: seed)
        #expect(hours.count > 15_000)
        let (near, vote, ours) = scores([hours], rooms: 6)
        #expect(ours.rightShare > 0.95, "\(ours.rightShare)")
        // What a calm choice costs: it is late, and the nearest signal is right at once as often as it is wrong.
        #expect(ours.rightShare > near.rightShare - 0.01)
        #expect(ours.flapsPerHour * 10 < vote.flapsPerHour, "\(ours.flapsPerHour) \(vote.flapsPerHour)")
        #expect(ours.flapsPerHour * 50 < near.flapsPerHour, "\(ours.flapsPerHour) \(near.flapsPerHour)")
        #expect(ours.medianDelay ?? .infinity < 15, "\(ours.medianDelay ?? -1)")
    }

    @Test func `the same seed gives the same sightings`() {
        #expect(RadioHouse.hearings(hours: 0.1, seed: 4) == RadioHouse.hearings(hours: 0.1, seed: 4))
        #expect(RadioHouse.hearings(hours: 0.1, seed: 4) != RadioHouse.hearings(hours: 0.1, seed: 5))
    }

    @Test func `a scanner that is unplugged does not keep who left its room`() {
        let hours = RadioHouse.hearings(hours: 1, seed: 6, silent: 0)
        var rule = EngineRule(rooms: 6)
        var (wrong, total) = (0, 0)
        for hearing in hours where hearing.seconds > 1800 + 300 {
            if hearing.truth != 0 {
                total += 1
                if rule.applyHearing(hearing) == 0 { wrong += 1 }
            } else {
                _ = rule.applyHearing(hearing)
            }
        }
        #expect(total > 2_000)
        #expect(wrong == 0)
    }

    /// Four corners of a real hall, around which someone walked with a tag.
    @Test(.enabled(if: folder != nil, "needs the shared test data: set MUSTER_TEST_DATA"))
    func `with what real scanners heard the room changes a tenth as often as the nearest signal does`() throws {
        let folder = try #require(Self.folder)
        let names = ["rectangular_with_rotation_all_sensors", "rectangular_without_rotation_all_sensors"]
        let walks = try names.map { name in
            RoomRecording.hearings(
                try String(contentsOf: folder.appending(path: "trk/\(name).mbd"), encoding: .utf8))
        }
        #expect(walks.allSatisfy { $0.count > 500 })
        let (near, vote, ours) = scores(walks, rooms: 4)
        #expect(ours.flapsPerHour < near.flapsPerHour / 10, "\(ours.flapsPerHour) \(near.flapsPerHour)")
        #expect(ours.flapsPerHour < vote.flapsPerHour / 4, "\(ours.flapsPerHour) \(vote.flapsPerHour)")
        #expect(ours.rightShare > 0.28, "\(ours.rightShare)")
    }

    static let folder: URL? = {
        let named = ProcessInfo.processInfo.environment["MUSTER_TEST_DATA"]
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../..")
        let data = named.map { URL(filePath: $0) } ?? root.standardizedFileURL.appending(path: "shared/data")
        let folder = data.appending(path: "ble")
        return FileManager.default.fileExists(atPath: folder.path) ? folder : nil
    }()
}
