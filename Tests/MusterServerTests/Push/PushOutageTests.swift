import Logging
import MusterCore
import MusterStore
import MusterTestSupport
import Synchronization
import Testing

@testable import MusterServer

/// A push service that fails for a long time, by a clock that the test moves: what is kept meanwhile, how often the
/// service is asked, and what arrives once it is back.
@Suite struct PushOutageTests {
    private static let tickSeconds: Double = 5

    @Test(arguments: [1, 2] as [UInt64])
    func `a service that answers 500 for an hour gets the newest of each dataset once it is back`(
        seed: UInt64
    ) async throws {
        let outage = try await Outage(seed: seed)
        let (dispatcher, services) = (outage.dispatcher, outage.services)
        let (policy, failing) = (dispatcher.policy, outage.devices(by: .fcm))
        // In memory are the devices whose attempts began before the first failure, and those that may wait there.
        let mostMessages =
            (policy.attemptsOfService + policy.devicesOfFailingService + outage.devices(by: .apns).count) * 2
        try await outage.run { driver, group in
            for tick in 0..<720 {
                if tick.isMultiple(of: 12) { try await outage.updateDatasets() }
                await driver.advance(bySeconds: Self.tickSeconds, in: &group)
                #expect(dispatcher.statistics.messages <= mostMessages, "seed \(seed), tick \(tick)")
                // The other service is not held up: its devices hear in the same moment.
                #expect(services.heard(by: .apns) == outage.wanted(by: .apns), "seed \(seed), tick \(tick)")
            }
            #expect(services.heard(by: .fcm).isEmpty)
            // The store holds one message a dataset and device, however often the datasets changed.
            let lanes = try outage.store.postponedPushLanes(after: nil, limit: 1_000)
            #expect(Set(lanes.map(\.device)) == failing)
            for lane in lanes {
                let waiting = try outage.store.postponedPushes(to: lane.device).map(\.topic)
                #expect(waiting.sorted() == ["dataset settings", "dataset state"])
            }
            services.isBack.withLock { $0 = true }
            let seconds = policy.longestDelaySeconds + 2 * policy.longestPutOffSeconds
            for _ in 0..<Int(seconds / Self.tickSeconds) {
                await driver.advance(bySeconds: Self.tickSeconds, in: &group)
            }
        }
        #expect(services.heard(by: .fcm) == outage.wanted(by: .fcm), "seed \(seed)")
        // Of sixty updates of a dataset a device hears the last one alone.
        #expect(services.deliveryCount(by: .fcm) == failing.count * Outage.datasets.count)
        // Without back-off an hour has 720 ticks. Delays of 2.5 s that double to 300 s, the shortest that the jitter
        // makes, leave room for 18 attempts.
        let failures = services.failures
        #expect(Set(failures.keys) == failing)
        for (device, moments) in failures {
            #expect((3...18).contains(moments.count), "seed \(seed), \(device): \(moments.count)")
        }
        let record = dispatcher.statistics
        #expect(record.messages == 0 && record.postponed == 0 && record.givenUp == 0)
        #expect(try outage.store.postponedPushLanes(after: nil, limit: 9).isEmpty)
        #expect(try outage.store.pushedThrough == outage.office.coordinator.lastSequence)
        try await outage.office.coordinator.close()
    }
}

/// Eight people, each with 15 devices at a service that fails and one at a service that works. All devices hear of two
/// datasets.
private final class Outage: Sendable {
    static let datasets = ["settings", "state"]

    let office: Office
    let services: PushServices
    let dispatcher: PushDispatcher
    private let registered: [PushPlatform: [String: UserNumber]]
    private let count = Mutex<Int64>(0)

    var store: any Store { office.store }

    init(seed: UInt64) async throws {
        office = try await Office()
        let clock = office.clock
        services = PushServices(now: { clock.now })
        let chance = Mutex(SeededNumbers(seed: seed))
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        dispatcher = PushDispatcher(
            coordinator: office.coordinator, vault: office.identity.vault,
            senders: PushSenders([.apns: services, .fcm: services]), logger: logger, now: { clock.now },
            jitter: { chance.withLock { Double.random(in: 0..<1, using: &$0) } })
        var registered: [PushPlatform: [String: UserNumber]] = [:]
        for user in office.coordinator.directory.users.all.map(\.number) {
            for index in 0...15 {
                let platform: PushPlatform = index == 0 ? .apns : .fcm
                let token = String(1_000_000_000_000_000 + Int(user.rawValue) * 100 + index)
                let address = try PushAddress(platform, token: token)
                let device = try await dispatcher.register(address, for: user, by: Author(user: user))
                registered[platform, default: [:]][device.id] = user
                for dataset in Self.datasets { try await dispatcher.subscribe(device.id, to: dataset, of: user) }
            }
        }
        self.registered = registered
    }

    func devices(by platform: PushPlatform) -> Set<String> { Set(registered[platform, default: [:]].keys) }

    /// What each device of a platform must have heard last.
    func wanted(by platform: PushPlatform) -> [String: [String: Int64]] {
        let count = count.withLock { $0 }
        return registered[platform, default: [:]].mapValues { _ in
            Dictionary(uniqueKeysWithValues: Self.datasets.map { ($0, count) })
        }
    }

    /// Updates both datasets of everyone.
    func updateDatasets() async throws {
        let known = count.withLock { $0 }
        for user in office.coordinator.directory.users.all.map(\.number) {
            for dataset in Self.datasets {
                let patch = DatasetPatch(key: "k", value: "\(known)", syncCount: known)
                _ = try await office.coordinator.updateDataset(
                    DatasetUpdate(owner: user, name: dataset, order: .patch([patch]), author: "test"))
            }
        }
        count.withLock { $0 += 1 }
        dispatcher.announce()
    }

    /// Lets `body` drive the dispatcher.
    func run(_ body: (inout PushDriver, inout DiscardingTaskGroup) async throws -> Void) async throws {
        let result = await withDiscardingTaskGroup { group -> Result<Void, any Error> in
            var driver = PushDriver(dispatcher, clock: office.clock)
            do {
                try await body(&driver, &group)
                await driver.end()
                return .success(())
            } catch {
                await driver.end()
                return .failure(error)
            }
        }
        try result.get()
    }
}

/// Does the dispatcher's work step by step, by a clock that it moves itself.
private struct PushDriver {
    private let dispatcher: PushDispatcher
    private let clock: Town.Clock
    private var pass: PushPass
    private var wakes: AsyncStream<Void>.Iterator

    init(_ dispatcher: PushDispatcher, clock: Town.Clock) {
        self.dispatcher = dispatcher
        self.clock = clock
        pass = PushPass(dispatcher)
        wakes = dispatcher.wakes.makeAsyncIterator()
    }

    /// Moves the clock, and does all that is due then, until no attempt and no transaction is under way.
    mutating func advance(bySeconds seconds: Double, in group: inout DiscardingTaskGroup) async {
        clock.advance(bySeconds: seconds)
        repeat {
            for signal in dispatcher.takeSignals() { pass.applySignal(signal) }
            await pass.advance(in: &group)
            // Each attempt and each transaction sends a signal when it ends, and a signal wakes the pass.
            if pass.isBusy { await wakes.next() }
        } while pass.isBusy
    }

    mutating func end() async { await pass.end() }
}

/// Two push services: APNs takes everything, and FCM answers 500 until it is back.
private final class PushServices: PushSender {
    private struct Record {
        /// The newest sync count of each dataset that each device was told.
        var heard: [PushPlatform: [String: [String: Int64]]] = [:]
        var deliveries: [PushPlatform: Int] = [:]
        var failures: [String: [Instant]] = [:]
    }

    let isBack = Mutex(false)
    private let record = Mutex(Record())
    private let now: @Sendable () -> Instant

    init(now: @escaping @Sendable () -> Instant) { self.now = now }

    func heard(by platform: PushPlatform) -> [String: [String: Int64]] { record.withLock { $0.heard[platform] ?? [:] } }
    func deliveryCount(by platform: PushPlatform) -> Int { record.withLock { $0.deliveries[platform] ?? 0 } }
    var failures: [String: [Instant]] { record.withLock { $0.failures } }

    func send(_ message: PushMessage, to address: PushAddress) async -> PushOutcome {
        let (device, isUp) = (address.deviceID, address.platform == .apns || isBack.withLock { $0 })
        return record.withLock { record in
            guard isUp else {
                record.failures[device, default: []].append(now())
                return .retry("answered 500", afterSeconds: nil)
            }
            guard case .text(let dataset)? = message.data.first(where: { $0.key == "datasetName" })?.value,
                case .number(let count)? = message.data.first(where: { $0.key == "syncCount" })?.value,
                count > record.heard[address.platform]?[device]?[dataset] ?? 0
            else { return .refused("an older message after a newer one") }
            record.heard[address.platform, default: [:]][device, default: [:]][dataset] = count
            record.deliveries[address.platform, default: 0] += 1
            return .delivered
        }
    }
}
