import Foundation
import MusterCore
import MusterGeometry
import MusterKit
import MusterReplication
import MusterWire
import Synchronization

/// Six minutes on a floor with beacons, as a device hears them; all of it follows from the seed.
struct BeaconRun {
    static let uuid = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
    static let beaconUUID = BeaconUUID(high: 0xE2C5_6DB5_DFFB_48D2, low: 0xB060_D0F5_A710_96E0)
    /// What is on the floor, as GeoJSON: a hall and a yard with places, a lift without one, and everything together.
    static let regions = #"""
        {"type":"FeatureCollection","features":[
        {"type":"Feature","id":"hall","geometry":{"type":"Point","coordinates":[13,52]},"properties":
        {"name":"The hall","radius":8,"beacon":{"uuid":"\#(uuid)","major":1,"minor":2}}},
        {"type":"Feature","id":"yard","geometry":{"type":"Point","coordinates":[13.001,52]},"properties":
        {"radius":8,"beacon":{"uuid":"\#(uuid)","major":1,"minor":3}}},
        {"type":"Feature","id":"desk","geometry":null,"properties":
        {"beacon":{"uuid":"\#(uuid)","major":1,"minor":2,"proximity":"near"}}},
        {"type":"Feature","id":"floor","geometry":null,"properties":{"beacon":{"uuid":"\#(uuid)"}}}]}
        """#

    /// What was heard, second by second.
    let news: [BeaconNews]

    /// - Parameter end: the time of the last second.
    init(seed: UInt64, end: Instant) {
        var random = SeededRandom(seed: seed)
        // In the hall, between the two, in the yard, nowhere, and at the desk in the hall again.
        let stages: [(seconds: Int, hall: Double?, yard: Double?)] = [
            (50, -66, nil), (60, -90, -70), (60, nil, -62), (70, nil, nil), (60, -58, -95), (60, -80, nil),
        ]
        let count = stages.reduce(0) { $0 + $1.seconds }
        var news: [BeaconNews] = []
        for stage in stages {
            for _ in 0..<stage.seconds {
                let time = end.advanced(bySeconds: Double(news.count + 1 - count))
                var sightings: [Sighting] = []
                for (minor, mean) in [(2, stage.hall), (3, stage.yard)] as [(UInt16, Double?)] {
                    guard let mean, !random.chance(mean < -85 ? 0.6 : 0.15) else { continue }
                    let moment = time.advanced(bySeconds: -Double(random.uniform(1, 900).rounded()) / 1_000)
                    let signal = (mean + random.uniform(-6, 6)).rounded()
                    sightings.append(
                        Sighting(
                            of: Beacon(uuid: Self.beaconUUID, major: 1, minor: minor), sampleTime: moment,
                            receivedTime: moment,
                            signalStrength: signal))
                }
                news.append(.heard(sightings.sorted { $0.sampleTime < $1.sampleTime }, until: time))
            }
        }
        self.news = news
    }
}

/// A source of what was written down, as fast as it is read.
struct ScriptedBeacons: BeaconSource {
    var identityLimit: Int?
    private let news: [BeaconNews]
    /// Called before each piece of news.
    private let step: @Sendable () -> Void

    init(_ news: [BeaconNews], step: @escaping @Sendable () -> Void = {}) {
        self.news = news
        self.step = step
    }

    func listen(for choices: AsyncStream<[BeaconIdentity]>) -> AsyncThrowingStream<BeaconNews, any Error> {
        let next = Mutex(0)
        let (news, step) = (news, step)
        return AsyncThrowingStream {
            step()
            return next.withLock { next in
                guard next < news.count else { return nil }
                defer { next += 1 }
                return news[next]
            }
        }
    }
}

/// What both a device and a server tell of a beacon region.
struct BeaconCrossing: Hashable, CustomStringConvertible {
    var region: String
    var kind: String
    var time: String

    var description: String { "\(time) \(kind) \(region)" }

    /// The crossings among a monitor's events.
    static func all(in events: [BeaconMonitor.Event]) -> [BeaconCrossing] {
        events.compactMap { event in
            switch event {
            case .entered(let state): BeaconCrossing(state, "enter")
            case .left(let state): BeaconCrossing(state, "exit")
            default: nil
            }
        }
    }

    private init(_ state: BeaconMonitor.RegionState, _ kind: String) {
        region = state.region.id
        self.kind = kind
        time = Instant(seconds: state.time?.timeIntervalSince1970 ?? 0).rfc3339
    }

    /// The crossings in a server's log.
    static func all(of server: RunningServer) async throws -> [BeaconCrossing] {
        var crossings: [BeaconCrossing] = []
        var since: Int64 = 0
        while true {
            let page = try await server.ask("GET", "changes?since=\(since)&limit=1000")
            for item in page["items"]?.elements ?? [] where item["type"]?.string == "crossing" {
                crossings.append(
                    BeaconCrossing(
                        region: item["region"]?["id"]?.string ?? "", kind: item["kind"]?.string ?? "",
                        time: item["sampleTime"]?.string ?? ""))
            }
            since = page["lastSequence"]?.integer ?? 0
            if page["more"]?.boolean != true { return crossings }
        }
    }

    init(region: String, kind: String, time: String) {
        self.region = region
        self.kind = kind
        self.time = time
    }
}
