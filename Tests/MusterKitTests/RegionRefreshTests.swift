import MusterCore
import MusterGeometry
import MusterWire
import Testing

@testable import MusterKit

/// Regions that are told again and again, a few of them others than before.
@Suite struct RegionRefreshTests {
    /// The features of a collection, and what happens to them.
    private struct Map {
        var features: [(id: String, radius: Int)] = []
        var random: SeededRandom
        private var next = 0

        init(_ count: Int, seed: UInt64) {
            random = SeededRandom(seed: seed)
            for _ in 0..<count { add() }
        }

        mutating func add() {
            next += 1
            features.insert(("r\(next)", 30), at: index(through: features.count))
        }

        mutating func index(through end: Int) -> Int { Int(random.uniform(0, Double(end) + 0.999)) }

        /// A region comes, goes or changes, or two change places.
        mutating func change() {
            let index = index(through: features.count - 1)
            switch self.index(through: 3) {
            case 0: add()
            case 1: features.remove(at: index)
            case 2: features[index].radius += 1
            default: features.swapAt(index, 0)
            }
        }

        /// As a server tells it, twenty on a page.
        var told: RegionSnapshot {
            let texts = features.map { id, radius in
                #"{"type":"Feature","id":"\#(id)","properties":{"radius":\#(radius)},"#
                    + #""geometry":{"type":"Point","coordinates":[13,52]}}"#
            }
            let pages = stride(from: 0, to: texts.count, by: 20).map { start in
                let page = texts[start..<min(texts.count, start + 20)].joined(separator: ",")
                return #"{"type":"FeatureCollection","features":[\#(page)]}"#
            }
            return RegionSnapshot(
                team: .init(silenceSeconds: 1_200, filter: "none", links: ["site"]),
                collections: [.init(name: "site", policy: "raw", pages: pages)])
        }
    }

    @Test func `a refreshed device knows what a new one knows`() throws {
        let seed: UInt64 = 17
        print("seed \(seed)")
        var map = Map(130, seed: seed)
        var device = WatchedDevice(of: "ann")
        let place = try fix(0, north: 0)
        try device.adopt(map.told, now: place.sampleTime)
        for round in 1...60 {
            let changes = map.index(through: 3)
            for _ in 0..<changes { map.change() }
            let told = map.told
            let read = try RegionDiff(of: told.collections[0], knowing: device.known["site"] ?? [:])
            #expect(read.new.count <= changes, "of regions that were known some were read again")
            if changes == 0 { #expect(read.areAsBefore) }
            try device.adopt(told, now: place.sampleTime)
            var fresh = WatchedDevice(of: "ann")
            try fresh.adopt(told, now: place.sampleTime)
            #expect(shapes(device) == shapes(fresh), "round \(round)")
            let time = place.sampleTime.advanced(bySeconds: Double(round) * 60)
            let fix = try fix(Double(round) * 60, north: Double(round))
            _ = device.follow([fix], now: time)
            _ = fresh.follow([fix], now: time)
            #expect(inside(device) == inside(fresh), "round \(round)")
        }
    }

    @Test func `an invalid region is an error, and changes nothing`() throws {
        var device = WatchedDevice(of: "ann")
        var map = Map(30, seed: 1)
        let now = try fix(0, north: 0).sampleTime
        try device.adopt(map.told, now: now)
        let before = shapes(device)
        map.features[7].radius = -5
        #expect(throws: (any Error).self) { try device.adopt(map.told, now: now) }
        var broken = map.told
        broken.collections[0].pages = [#"{"type":"FeatureCollection","features":[{"type":"Feature""#]
        #expect(throws: (any Error).self) { try device.adopt(broken, now: now) }
        #expect(shapes(device) == before)
    }

    private func shapes(_ device: WatchedDevice) -> [String: Shape] {
        Dictionary(device.directory.regions.all.compactMap { region in region.shape.map { (region.id, $0) } }) { $1 }
    }

    private func inside(_ device: WatchedDevice) -> Set<RegionWatch.Name> {
        Set(device.standings.filter { $0.standing == .inside }.compactMap { device.name(of: $0.region) })
    }
}
