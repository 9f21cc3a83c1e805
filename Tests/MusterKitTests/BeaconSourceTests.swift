import Foundation
import MusterCore
import MusterWire
import Synchronization
import Testing

@testable import MusterKit

/// Where sightings come from, and which beacons a device listens for.
@Suite struct BeaconSourceTests {
    private static let start = Instant(seconds: 1_790_000_000)
    private static let uuid = BeaconRun.beaconUUID

    private func candidate(
        _ major: UInt16?, _ minor: UInt16? = nil, metres: Double = 0, isPresent: Bool = false
    ) -> BeaconChoice.Candidate {
        BeaconChoice.Candidate(
            identity: BeaconIdentity(uuid: Self.uuid, major: major, minor: minor), isPresent: isPresent,
            distanceMetres: metres)
    }

    @Test func `twenty beacons are chosen: where the device is, without a place, and then the nearest`() {
        var candidates = (1...40).map { candidate(UInt16($0), metres: 1_000 - Double($0)) }
        candidates.append(candidate(100, metres: 5_000, isPresent: true))
        candidates.append(candidate(101))
        let chosen = BeaconChoice.choose(candidates, limit: 20)
        #expect(chosen.map(\.major) == [100, 101] + (23...40).reversed().map { UInt16($0) })
        #expect(BeaconChoice.choose(candidates, limit: nil).count == 42)
    }

    @Test func `a more general identity stands for those that it contains`() {
        let candidates = [candidate(1, 2, metres: 1), candidate(3, 4, metres: 2), candidate(1, metres: 900)]
        #expect(
            BeaconChoice.choose(candidates, limit: 2) == [
                BeaconIdentity(uuid: Self.uuid, major: 1), BeaconIdentity(uuid: Self.uuid, major: 3, minor: 4),
            ])
        #expect(BeaconChoice.choose(candidates + [candidate(nil)], limit: 5) == [BeaconIdentity(uuid: Self.uuid)])
    }

    @Test func `a recording of muster scan and a device's report are replayed second by second`() async throws {
        let lines = """
            {"beacon":"\(BeaconRun.uuid):1:2","sampleTime":"2026-09-21T14:13:20.100Z","signalStrength":-60}
            {"beacon":"CB:B8:33:4C:88:4F","sampleTime":"2026-09-21T14:13:20.300Z","distance":2.5}

            {"uuid":"\(BeaconRun.uuid)","major":1,"minor":3,"sampleTime":"2026-09-21T14:13:22Z","proximity":"near"}
            {"listenedUntil":"2026-09-21T14:13:25Z"}

            """
        let recording = try RecordedSightings(jsonLines: Array(lines.utf8), movedToEndAt: Self.start)
        #expect(recording.recorded.count == 3)
        var news: [BeaconNews] = []
        for try await item in recording.listen(for: AsyncStream { $0.finish() }) { news.append(item) }
        let heard = news.compactMap { item -> ([Sighting], Instant)? in
            if case .heard(let sightings, let until) = item { (sightings, until) } else { nil }
        }
        #expect(heard.map(\.0.count) == [2, 1, 0])
        #expect(heard.last?.1 == Self.start)
        #expect(heard[0].0.map(\.sampleTime) == [-4.9, -4.7].map { Self.start.advanced(bySeconds: $0) })
        #expect(heard[0].0[1].beacon.text == "CB:B8:33:4C:88:4F")
        #expect(heard[1].0[0].proximity == .near)
    }

    @Test(arguments: ["{", "[]", #"{"beacon":"x","sampleTime":"2026-09-21T14:13:20Z"}"#, #"{"beacon":"1:2:3"}"#])
    func `an error names the line that is not a sighting`(line: String) {
        let good = #"{"listenedUntil":"2026-09-21T14:13:25Z"}"#
        #expect(throws: MusterError.unexpected(reason: "line 2 of the recording is not a sighting")) {
            try RecordedSightings(jsonLines: Array("\(good)\n\(line)\n".utf8))
        }
    }

    @Test func `an adapter that was pulled out is tried again, and counts as not listening`() async throws {
        let source = LooseAdapter(at: Self.start)
        let beacons = BluetoothBeacons(
            source, now: { Self.start },
            sleep: { seconds in
                // The clock of a live source never strikes here; the wait before the next attempt is over at once.
                if seconds == 1, source.attempts.withLock({ $0 }) == 0 { try await Task.sleep(for: .seconds(3_600)) }
                try await Task.sleep(for: .milliseconds(1))
            })
        var news: [BeaconNews] = []
        await #expect(throws: MusterError.unexpected(reason: RadioError.noBluetooth.description)) {
            for try await item in beacons.listen(for: AsyncStream { $0.finish() }) where item.isWorthTelling {
                news.append(item)
            }
        }
        #expect(news.count == 2)
        guard case .heard(let sightings, _)? = news.first, case .unavailable(let reason)? = news.last else {
            Issue.record("\(news)")
            return
        }
        #expect(sightings.map(\.beacon) == [Beacon(address: 7)])
        #expect(reason == RadioError.noAdapter("hci0").description)
    }
}

extension BeaconNews {
    fileprivate var isWorthTelling: Bool {
        if case .heard(let sightings, _) = self { !sightings.isEmpty } else { true }
    }
}

/// An adapter that is pulled out after its first frame, and then Bluetooth is gone.
private final class LooseAdapter: AdvertisementSource {
    let name = "hci0"
    let isLive = true
    let attempts = Mutex(0)
    private let time: Instant

    init(at time: Instant) { self.time = time }

    func listen() -> AsyncThrowingStream<RadioNews, any Error> {
        let attempt = attempts.withLock { attempts in
            attempts += 1
            return attempts
        }
        return AsyncThrowingStream { continuation in
            guard attempt == 1 else { return continuation.finish(throwing: RadioError.noBluetooth) }
            continuation.yield(.listening)
            continuation.yield(
                .heard(HeardAdvertisement(time: time, address: 7, addressKind: .lasting, signal: -60, payload: [])))
            continuation.finish(throwing: RadioError.noAdapter("hci0"))
        }
    }
}
