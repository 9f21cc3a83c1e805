import AsyncAlgorithms
package import Logging
package import MusterCore
import MusterHTTP
import MusterStore
import ServiceLifecycle
import Synchronization

/// Reads the log and sends its changes to devices through push services. How far it has read is stored, so that a crash
/// loses nothing and at worst repeats what was just sent. In memory it holds only messages that are about to be sent;
/// those that failed wait in the store.
package final class PushDispatcher: Service {
    /// An event that the dispatcher handles.
    enum Signal: Sendable {
        /// The log may have grown.
        case announced
        case ended(device: String, PushOutcome?)
        /// A transaction that stores outcomes has ended. The value says whether the outcomes are on disk.
        case stored(Bool)
        case timer
    }

    package let coordinator: StoreCoordinator
    let vault: SecretVault
    /// The senders to the platforms' services.
    package let senders: PushSenders
    let policy: PushPolicy
    let now: @Sendable () -> Instant
    let jitter: @Sendable () -> Double
    let logger: Logger
    /// The questions "where are you now?", and the channels through which each was sent.
    package let locationRequests = LocationRequests()
    let record = Mutex(PushRecord())
    /// Limits the test messages of each user.
    let testLimiter = Mutex(PushTestLimiter())
    /// Limits the warnings about refusals, by user: 3 at once, and then one a minute. Users choose services that refuse
    /// as often as they like.
    private let warnings = Mutex(TokenBuckets(.init(tries: 3, perSecond: 1.0 / 60), capacity: 10_000))
    /// Yields when there may be signals to handle.
    let wakes: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation
    private let inbox = Mutex(Inbox())

    /// The signals that the dispatcher has not handled yet.
    private struct Inbox {
        var signals: [Signal] = []
        var isAnnounced = false
    }

    /// Seconds between two transactions that store the outcomes of messages.
    static let storingSeconds: Double = 0.1
    /// Seconds after which the position in the log is stored without outcomes: after messages were sent, and otherwise.
    static let markSeconds: (sent: Double, idle: Double) = (1, 60)
    /// The number of changes read at once.
    static let pageLimit = 2_000
    /// The number of people or devices looked up at once.
    static let lookupLimit = 256
    /// The number of changes whose devices are looked up at once.
    static let expansionLimit = 64
    /// The number of attempts that begin before outcomes are handled again.
    static let beginningLimit = 64

    /// - Parameters:
    ///   - vault: opens the devices' addresses.
    ///   - jitter: returns random numbers in [0, 1).
    package init(
        coordinator: StoreCoordinator, vault: SecretVault, senders: PushSenders, policy: PushPolicy = PushPolicy(),
        logger: Logger, now: @escaping @Sendable () -> Instant,
        jitter: @escaping @Sendable () -> Double = { .random(in: 0..<1) }
    ) {
        self.coordinator = coordinator
        self.vault = vault
        self.senders = senders
        self.policy = policy
        self.logger = logger
        self.now = now
        self.jitter = jitter
        (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Tells the dispatcher that the log may have grown. Never blocks.
    package func announce() {
        inbox.withLock { $0.isAnnounced = true }
        wake.yield()
    }

    /// Hands a signal to the dispatcher. Signals that arrive while it is busy are handled together. Never blocks.
    func signal(_ signal: Signal) {
        inbox.withLock { $0.signals.append(signal) }
        wake.yield()
    }

    /// Removes and returns the signals that have come.
    func takeSignals() -> [Signal] {
        let inbox = inbox.withLock { inbox in
            defer { inbox = Inbox() }
            return inbox
        }
        return inbox.signals + (inbox.isAnnounced ? [.announced] : [])
    }

    /// The counts of sent and waiting messages.
    package var statistics: PushRecord { record.withLock { $0 } }

    /// Sends until the server shuts down. It then abandons attempts under way, and makes them again after the next
    /// start.
    package func run() async throws {
        do {
            try await locationRequests.load(from: coordinator)
        } catch {
            logger.warning("The open questions where someone is cannot be read", metadata: ["why": "\(error)"])
        }
        announce()
        await withDiscardingTaskGroup { group in
            var pass = PushPass(self)
            for await _ in wakes.cancelOnGracefulShutdown() {
                for signal in takeSignals() { pass.applySignal(signal) }
                await pass.advance(in: &group)
            }
            await pass.end()
            group.cancelAll()
        }
    }

    /// Opens a device's address. Where it was sealed with a key that is lost, the device must register anew.
    func address(of credential: Credential) -> PushAddress? { try? PushAddress(credential, openedBy: vault) }

    /// Sends a message to a device, and counts the outcome.
    func attempt(_ message: PushMessage, to credential: Credential) async -> PushOutcome {
        let platform = PushDevice(credential)?.platform
        guard let platform, let address = address(of: credential) else {
            return .gone("its address was sealed with a key that is lost", since: credential.createdAt)
        }
        let outcome = await SubscriptionResolver.$user.withValue(credential.user) {
            await senders.send(message, to: address)
        }.judged(of: credential)
        record.withLock { $0.count(outcome, of: platform) }
        watchConfiguration(outcome, of: platform, device: String(decoding: credential.key, as: UTF8.self))
        if message.topic == PushRecipients.locateTopic, let user = credential.user {
            locationRequests.recordOutcome(
                outcome.word, through: .push(device: String(decoding: credential.key, as: UTF8.self), platform),
                reason: outcome.reason, to: user, asked: message.createdAt, at: now())
        }
        guard let reason = outcome.reason else { return outcome }
        let metadata: Logger.Metadata = [
            "device": "\(String(decoding: credential.key, as: UTF8.self))", "service": "\(credential.label)",
            "why": "\(reason)",
        ]
        switch outcome {
        case .refused:
            let key = credential.user.map { "\($0.rawValue)" } ?? ""
            let mayWarn = warnings.withLock { [moment = now()] in $0.spendOne(for: key, at: moment) == 0 }
            logger.log(level: mayWarn ? .warning : .info, "A push service refused a message", metadata: metadata)
        case .gone: logger.info("A push device is gone and was removed", metadata: metadata)
        case .foreign: logger.info("A push device has the token of another app or account", metadata: metadata)
        // `watchConfiguration` has told the operator.
        case .misconfigured: logger.debug("A push service refused the server's configuration", metadata: metadata)
        default: logger.info("A push failed and is tried again", metadata: metadata)
        }
        return outcome
    }
}

extension PushOutcome {
    /// The outcome for one registration of a device. Where the service ended the token before that registration, the
    /// outcome concerns an earlier one: the message is tried again, and the device stays registered.
    fileprivate func judged(of registration: Credential) -> PushOutcome {
        guard case .gone(let reason, let end) = self else { return self }
        guard let end else { return .gone(reason, since: registration.createdAt) }
        guard registration.createdAt <= end else {
            return .retry("\(reason), of an earlier registration", afterSeconds: nil)
        }
        return self
    }
}

/// Why a push service refuses what the operator configured for its platform.
package struct PushFault: Hashable, Sendable {
    package let reason: String
    /// What the operator can do.
    package let advice: String
    package let since: Instant
}

/// The dispatcher's counts, and the numbers of waiting messages and devices.
package struct PushRecord: Sendable {
    /// The attempts by platform and outcome.
    package private(set) var attempts: [PushPlatform: [String: Int]] = [:]
    /// The platforms whose services refuse the operator's configuration, until one accepts a message.
    package private(set) var faults: [PushPlatform: PushFault] = [:]
    /// The last fault that was logged for each platform, and when.
    private var told: [PushPlatform: (reason: String, at: Instant)] = [:]
    /// The devices of each platform whose tokens the service called foreign since it last accepted a message; at most
    /// `severalDevices`.
    private var foreign: [PushPlatform: Set<String>] = [:]
    /// The platforms whose services accepted a message since the start of the server.
    private var accepting: Set<PushPlatform> = []
    /// How many devices with foreign tokens, with no message accepted in between, show a wrong configuration.
    static let severalDevices = 3
    /// How long a fault that comes back is not logged again, in seconds.
    private static let tellingSeconds: Double = 86_400
    /// The number of messages that the dispatcher gave up since the start.
    package var givenUp = 0
    /// The number of attempts that no push service has answered yet.
    package var underWay = 0
    /// The number of messages that wait in memory for an attempt.
    package var messages = 0
    /// The number of devices whose messages wait in the store.
    package var postponed = 0
    /// The change up to which everything was sent, given up or stored.
    package var through: Int64 = 0

    /// The number of attempts with an outcome, on all platforms together.
    package func count(of word: String) -> Int { attempts.values.reduce(0) { $0 + ($1[word] ?? 0) } }

    /// Records what an outcome for a device says of a platform's configuration.
    ///
    /// - Returns: the fault, where the operator has not been told of it yet.
    mutating func recordConfiguration(
        _ outcome: PushOutcome, of platform: PushPlatform, device: String, at now: Instant
    ) -> PushFault? {
        switch outcome {
        case .delivered:
            faults[platform] = nil
            foreign[platform] = nil
            accepting.insert(platform)
        case .misconfigured(let reason, let advice): return recordFault(reason, advice, of: platform, at: now)
        case .foreign(let reason, let advice):
            var devices = foreign[platform] ?? []
            if devices.count < Self.severalDevices { devices.insert(device) }
            foreign[platform] = devices
            // One device of another app among good ones is no fault of the configuration.
            guard devices.count >= Self.severalDevices || !accepting.contains(platform) else { return nil }
            return recordFault(reason, advice, of: platform, at: now)
        case .gone, .retry, .refused, .obsolete: break
        }
        return nil
    }

    private mutating func recordFault(
        _ reason: String, _ advice: String, of platform: PushPlatform, at now: Instant
    ) -> PushFault? {
        guard faults[platform]?.reason != reason else { return nil }
        let fault = PushFault(reason: reason, advice: advice, since: now)
        faults[platform] = fault
        let isKnown =
            told[platform].map { $0.reason == reason && now.seconds(since: $0.at) < Self.tellingSeconds } ?? false
        guard !isKnown else { return nil }
        told[platform] = (reason, now)
        return fault
    }

    mutating func count(_ outcome: PushOutcome, of platform: PushPlatform) {
        attempts[platform, default: [:]][outcome.word, default: 0] += 1
    }

    /// The counts as `/metrics` shows them.
    var families: [MetricFamily] {
        let outcomes = ["delivered", "failed", "gone", "refused"]
        return [
            MetricFamily(
                "muster_push_attempts_total", .counter, "Pushes sent to services, by outcome.", by: "outcome",
                outcomes.map { ($0, Double(count(of: $0))) }),
            MetricFamily(
                "muster_push_platform_attempts_total", .counter, "Pushes sent to services, by platform.",
                by: "platform",
                PushPlatform.allCases.map { ($0.rawValue, Double(attempts[$0]?.values.reduce(0, +) ?? 0)) }),
            MetricFamily(
                "muster_push_misconfigured", .gauge, "Whether a platform's service refuses the configuration.",
                by: "platform", PushPlatform.allCases.map { ($0.rawValue, faults[$0] == nil ? 0 : 1) }),
            MetricFamily("muster_pushes_given_up_total", .counter, "Pushes that were given up.", Double(givenUp)),
            MetricFamily("muster_pushes_under_way", .gauge, "Attempts under way.", Double(underWay)),
            MetricFamily("muster_pushes_waiting", .gauge, "Pushes about to be sent.", Double(messages)),
            MetricFamily(
                "muster_push_devices_postponed", .gauge, "Devices whose pushes wait to be tried again.",
                Double(postponed)),
            MetricFamily(
                "muster_pushed_through_sequence", .gauge, "The change up to which pushes are done.", Double(through)),
        ]
    }
}
