import Foundation
import MusterCore
import MusterGeometry
import MusterKit
import Synchronization
import Testing

/// MusterKit and the member's app in a browser (Tests/Browser/me_filter.test.mjs) run the same cases, and must record
/// the same fixes. Tests/Oracles/location_filter.py writes the cases.
@Suite struct LocationFilterCasesTests {
    struct Case: Decodable, CustomTestStringConvertible {
        struct Fix: Decodable {
            let filter: String
            let nowMilliseconds: Int64
            let sampleMilliseconds: Int64
            let latitude: Double
            let longitude: Double
            let accuracyMetres: Double?
            let isAdmitted: Bool
        }

        let name: String
        let fixes: [Fix]

        var testDescription: String { name }

        static let all: [Case] = {
            let file = URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "Golden/location-filter.json")
            return (try? JSONDecoder().decode([Case].self, from: Data(contentsOf: file))) ?? []
        }()
    }

    @Test func `the cases are there`() {
        #expect(Case.all.count >= 20)
    }

    @Test(arguments: Case.all)
    func `a monitor admits what the app's monitor admits`(each: Case) throws {
        let clock = Mutex(Int64(0))
        let isEverything = each.fixes.contains { $0.filter == "everything" }
        let monitor = LocationMonitor(foreground: isEverything ? .everything : .foreground) {
            Instant(milliseconds: clock.withLock { $0 })
        }
        for (index, fix) in each.fixes.enumerated() {
            clock.withLock { $0 = fix.nowMilliseconds }
            monitor.mode = fix.filter == "background" ? .background : .foreground
            let time = Instant(milliseconds: fix.sampleMilliseconds)
            let position = Position(
                coordinate: try Coordinate(latitude: fix.latitude, longitude: fix.longitude), sampleTime: time,
                receivedTime: time, accuracy: fix.accuracyMetres.map { Metres($0) })
            #expect(monitor.reportFix(position) == fix.isAdmitted, "fix \(index) of \(each.name)")
        }
    }
}
