import MusterCore
import MusterGeometry
import MusterSimulator
import MusterTestSupport
import Testing

/// Phones with right and wrong clocks that lose the network and upload later, seed by seed: what is late is never taken
/// for a wrong clock, and a clock that is wrong is found out.
@Suite struct ClockScenarioTests {
    /// How a phone uploads what it recorded without a network.
    enum Upload: CaseIterable {
        case inOneRequest, inSlices, oneByOne, throttled, atTheSamplingPace, newestFirst
    }

    private static let seeds = SoakSeeds.list(8)

    /// A phone that records a fix every few seconds, inside a muster region or 1.1 km north of it.
    private struct Phone {
        static let device = DeviceNumber(1)
        static let user = UserNumber(1)
        private(set) var engine: Engine
        private var decision = Decision()
        private var random: SeededRandom
        private let begin = Instant(seconds: 1_800_000_000)
        /// Seconds since the beginning, by the server's clock.
        private(set) var seconds = 0.0
        /// How far the phone's clock is ahead.
        let aheadSeconds: Double
        let intervalSeconds: Double

        init(seed: UInt64, aheadSeconds: Double) {
            random = SeededRandom(seed: seed, stream: 1, purpose: 31)
            self.aheadSeconds = aheadSeconds
            intervalSeconds = random.uniform(3, 15).rounded()
            let corners = [(-1.0, -1.0), (-1, 1), (1, 1), (1, -1), (-1, -1)].map {
                Coordinate(validLatitude: 45 + $0.0 * 0.001, longitude: 14 + $0.1 * 0.001)
            }
            let (collection, tracker, team) = (CollectionNumber(1), TrackerNumber(1), TeamNumber(1))
            var directory = Directory()
            directory.apply(.putCollection(RegionCollection(number: collection, name: "c", policy: .confident)))
            directory.apply(.putTracker(Tracker(number: tracker, name: "t", filter: .none, collections: [collection])))
            directory.apply(.putTeam(Team(number: team, name: "t", tracker: tracker)))
            directory.apply(.putUser(User(number: Self.user, name: "u", role: .member, team: team)))
            directory.apply(.putDevice(Device(number: Self.device, name: "p", user: Self.user)))
            directory.apply(
                .putRegion(
                    Region(
                        number: RegionNumber(1), collection: collection, id: "r", name: "r",
                        shape: .polygon(Polygon(exterior: corners)), isMuster: true)))
            engine = Engine(directory: directory, positions: [], presences: [], safety: [])
        }

        /// Sends what was sampled at a moment, after some latency of the network.
        mutating func send(sampledAt sample: Double, receivedAt received: Double, isInside: Bool) {
            seconds = max(seconds, received)
            let position = Position(
                coordinate: Coordinate(
                    validLatitude: (isInside ? 45 : 45.01) + random.normal(deviation: 2) / 111_000,
                    longitude: 14 + random.normal(deviation: 2) / 78_000),
                sampleTime: begin.advanced(bySeconds: sample + aheadSeconds),
                receivedTime: begin.advanced(bySeconds: received), accuracy: 5)
            let now = begin.advanced(bySeconds: seconds)
            var (index, tally) = (0, Tally())
            let observations = [Observation.position(position, of: Self.device)]
            while engine.decideBatch(observations, from: &index, now: now, into: &decision, tally: &tally) != nil {
                // Every sample is sent once, and the engine has followed the phone from the beginning.
                tally.count(engine.decide(observations[index], now: now, into: &decision))
                index += 1
            }
            decision.takeChanges { _ in }
            decision.takeEntries { _ in }
            engine.adopt(&decision)
        }

        /// Reports live for a while.
        mutating func report(for duration: Double, isInside: Bool) {
            let end = seconds + duration
            while seconds < end {
                let sample = seconds + intervalSeconds
                send(sampledAt: sample, receivedAt: sample + random.uniform(0.1, 2), isInside: isInside)
                seconds = sample
            }
        }

        /// Records without a network for a while, and uploads it afterwards.
        mutating func recordOffline(for duration: Double, isInside: Bool, upload: Upload) {
            let samples = Array(stride(from: seconds + intervalSeconds, to: seconds + duration, by: intervalSeconds))
            var received = seconds + duration + random.uniform(0, 5)
            let slice = Int(random.uniform(20, 200))
            let pause = random.uniform(0.3, 0.8) * intervalSeconds
            for (index, sample) in (upload == .newestFirst ? samples.reversed() : samples).enumerated() {
                switch upload {
                case .inOneRequest: break
                case .inSlices: received += index % slice == 0 ? random.uniform(1, 10) : 0
                case .oneByOne, .newestFirst: received += random.uniform(0.02, 0.2)
                case .throttled: received += pause
                case .atTheSamplingPace: received += intervalSeconds
                }
                send(sampledAt: sample, receivedAt: received, isInside: isInside)
            }
        }

        var skew: ClockSkew? { engine.clockSkew(of: Self.device) }
        var safety: Safety { engine.safety(of: Self.user) }
    }

    @Test(arguments: Upload.allCases)
    func `late fixes from a right clock are never taken for a wrong clock`(upload: Upload) {
        for seed in Self.seeds {
            var phone = Phone(seed: seed, aheadSeconds: 0)
            var random = SeededRandom(seed: seed, stream: 2, purpose: 31)
            phone.report(for: 300, isInside: false)
            for _ in 0..<3 {
                phone.recordOffline(for: random.uniform(90, 5_400), isInside: true, upload: upload)
                #expect(phone.skew?.isCorrected != true, "MUSTER_SEED=\(seed)")
                phone.report(for: random.uniform(60, 600), isInside: false)
                #expect(phone.skew == nil, "MUSTER_SEED=\(seed)")
                #expect(phone.safety.state == .unsafe, "MUSTER_SEED=\(seed)")
            }
        }
    }

    @Test(arguments: Upload.allCases)
    func `a wrong clock is detected, and late fixes from it are not a second error`(upload: Upload) {
        for seed in Self.seeds {
            var random = SeededRandom(seed: seed, stream: 3, purpose: 31)
            let error = random.uniform(120, 40_000) * (random.chance(0.5) ? 1 : -1)
            var phone = Phone(seed: seed, aheadSeconds: error)
            phone.report(for: 240, isInside: true)
            for _ in 0..<3 {
                #expect(phone.skew?.isCorrected == true, "MUSTER_SEED=\(seed)")
                #expect(abs((phone.skew?.aheadSeconds ?? 0) - error) <= 10, "MUSTER_SEED=\(seed)")
                #expect(phone.safety.state == .safe, "MUSTER_SEED=\(seed)")
                phone.recordOffline(for: random.uniform(90, 1_000), isInside: true, upload: upload)
                #expect(abs((phone.skew?.aheadSeconds ?? error) - error) <= 10, "MUSTER_SEED=\(seed)")
                phone.report(for: 240, isInside: false)
                #expect(phone.safety.state == .unsafe, "MUSTER_SEED=\(seed)")
                phone.report(for: 240, isInside: true)
            }
        }
    }
}
