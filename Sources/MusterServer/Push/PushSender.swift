package import MusterCore

/// Sends messages by the push services of one platform.
package protocol PushSender: Sendable {
    /// Sends one message to one device, and returns the outcome within some seconds.
    func send(_ message: PushMessage, to address: PushAddress) async -> PushOutcome

    /// Why an address may not be called; nil where it may, or where that is known only once its name is looked up.
    func refusal(of address: PushAddress) -> String?
}

extension PushSender {
    package func refusal(of address: PushAddress) -> String? { nil }
}

/// The outcome of an attempt.
package enum PushOutcome: Hashable, Sendable {
    /// The service accepted the message.
    case delivered
    /// The service no longer knows the device, with its reason, and the time since when where the service states it. A
    /// device that registered after that time is valid again.
    case gone(String, since: Instant?)
    /// The service could not accept the message now, with the seconds after which it may; nil where the service states
    /// none.
    case retry(String, afterSeconds: Double?)
    /// The service refuses what the operator configured, such as a key or an account of another app. It says nothing
    /// about the device, which stays registered; the message waits until the operator has mended it.
    case misconfigured(String, advice: String)
    /// The service says that the device's token is of another app or account than the configured one. The device stays
    /// registered, and the message waits. One such device has a wrong token; where several have one, or the service
    /// accepts no message, the configuration is wrong.
    case foreign(String, advice: String)
    /// The service will never accept this message.
    case refused(String)
    /// The message was not sent, because it is no longer true, or because the token is now registered for another use.
    case obsolete

    /// The reason for refusing a message that is too long for the service.
    static let tooLong = "the message is longer than the service takes"

    /// Why the message was not accepted, for people; nil where it was.
    package var reason: String? {
        switch self {
        case .delivered, .obsolete: nil
        case .gone(let reason, _), .retry(let reason, _), .refused(let reason), .misconfigured(let reason, _),
            .foreign(let reason, _):
            reason
        }
    }

    /// The outcome in one word, as answers and metrics name it.
    package var word: String {
        switch self {
        case .delivered: "delivered"
        case .gone: "gone"
        case .retry, .misconfigured, .foreign: "failed"
        case .refused: "refused"
        case .obsolete: "obsolete"
        }
    }
}

/// The senders of the platforms that are configured.
package struct PushSenders: Sendable {
    private var senders: [PushPlatform: any PushSender]

    package init(_ senders: [PushPlatform: any PushSender]) { self.senders = senders }

    /// Sends a message by the address's platform.
    package func send(_ message: PushMessage, to address: PushAddress) async -> PushOutcome {
        guard let sender = senders[address.platform] else {
            return .refused("this server has no credentials for \(address.platform.rawValue)")
        }
        return await sender.send(message, to: address)
    }

    /// Why an address may not be called; nil where it may, or where that is known only once its name is looked up.
    package func refusal(of address: PushAddress) -> String? { senders[address.platform]?.refusal(of: address) }

    /// Whether messages to devices of this platform can be sent.
    package func serves(_ platform: PushPlatform) -> Bool { senders[platform] != nil }
}

/// The limits of push attempts: how often, for how long and how many at once.
package struct PushPolicy: Hashable, Sendable {
    /// The delay before the second attempt, in seconds. It doubles with each further one.
    package var firstDelaySeconds: Double = 5
    package var longestDelaySeconds: Double = 600
    /// Seconds after which a message is given up.
    package var lifetimeSeconds: Double = 86_400
    /// The largest number of attempts under way.
    package var attemptsInAll = 256
    /// The largest number of attempts under way at one service.
    package var attemptsOfService = 64
    /// The largest number of attempts under way at a service whose last attempt failed.
    package var attemptsOfFailingService = 8
    /// The number of devices of a failing service that wait in memory. The others wait in the store.
    package var devicesOfFailingService = 64
    /// The longest time after which a device that waits in the store because of a failing service is tried again, in
    /// seconds.
    package var longestPutOffSeconds: Double = 60
    /// The number of messages that may be held in memory. The log is not read on before there are fewer.
    package var messagesInMemory = 4_096

    package init() {}

    /// Returns how many seconds a device waits in the store that was not tried because its service fails for other
    /// devices: between half of `longestPutOffSeconds` and all of it.
    ///
    /// - Parameter jitter: a random number in [0, 1).
    func putOffSeconds(jitter: Double) -> Double { longestPutOffSeconds * (0.5 + jitter / 2) }

    /// The delay in seconds after a number of failed attempts, at least one: between half of a bound that doubles and
    /// all of it, so that messages that failed together are not tried again together.
    ///
    /// - Parameter jitter: a random number in [0, 1).
    func delaySeconds(afterAttempts attempts: Int, jitter: Double) -> Double {
        min(firstDelaySeconds * Double(1 << min(max(0, attempts - 1), 20)), longestDelaySeconds) * (0.5 + jitter / 2)
    }
}
