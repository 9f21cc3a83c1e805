package import NIOCore
import NIOPosix

/// Advertises services on the local network, and finds those of other hosts, by multicast DNS and DNS-SD (RFC 6762, RFC
/// 6763). It needs no daemon, and shares the port with daemons and other programs.
///
/// ```swift
/// let services = MulticastDNS()
/// async let stopped: Void = services.run()
/// let names = try await services.advertise(ServiceDescription(type: "_chat._tcp", name: "Ana", port: 4711))
/// for await event in try services.browse("_chat._tcp") { … }
/// ```
///
/// It does not find the services that it advertises itself.
package final class MulticastDNS: Sendable {
    /// The options.
    package struct Configuration: Sendable {
        /// The first label of the host's name in `local`, 1 to 63 bytes; nil for a random one. A random label does not
        /// reveal the host's name, and no daemon on this host uses it.
        package var hostLabel: String?
        package var interfaces: InterfaceChoice = .all
        /// The UDP port that all hosts use: 5353, except in tests.
        package var port = MDNSHost.port
        /// The time between two readings of the list of interfaces.
        package var rescan: TimeAmount = .seconds(3)
        /// Called with an error and the interface on which it happened. The next reading of the list tries again.
        package var onError: @Sendable (_ interface: String, any Error) -> Void = { _, _ in }

        package init(hostLabel: String? = nil, interfaces: InterfaceChoice = .all) {
            (self.hostLabel, self.interfaces) = (hostLabel, interfaces)
        }
    }

    private let eventLoop: any EventLoop
    private let state: NIOLoopBoundBox<MulticastLoop>

    /// - Parameters:
    ///   - configuration: the options.
    ///   - eventLoop: runs everything, and provides the time.
    package init(
        _ configuration: Configuration = Configuration(),
        eventLoop: any EventLoop = MultiThreadedEventLoopGroup.singleton.any(),
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) {
        self.eventLoop = eventLoop
        state = .makeBoxSendingValue(
            MulticastLoop(configuration, eventLoop: eventLoop, random: random), eventLoop: eventLoop)
    }

    /// Opens sockets on the chosen interfaces, and follows them as they come and go, until the task is cancelled.
    /// Then it says goodbye for every service, closes the sockets and ends all sequences. It runs once.
    package func run() async {
        await onLoop { $0.start() }
        let (never, continuation) = AsyncStream<Never>.makeStream()
        for await _ in never {}
        continuation.finish()
        // An error while the sockets close needs no handling.
        try? await eventLoop.flatSubmit { [state] in state.value.stop() }.get()
    }

    /// Begins to advertise a service, until `run` ends.
    ///
    /// - Returns: the name under which the service is announced, after about a second, once no other host has objected.
    ///   Later each new name: another host may already have the name, or turn up with it when networks are joined. A
    ///   slow reader gets the last name. The stream ends with `run`, and serves one iteration.
    /// - Throws: `ServiceError`.
    package func advertise(_ service: ServiceDescription) async throws(ServiceError) -> AsyncStream<String> {
        let result: Result<AsyncStream<String>, ServiceError> = await onLoop { loop in
            Result { () throws(ServiceError) in try loop.advertise(service) }
        }
        return try result.get()
    }

    /// Looks for services of a type, until the sequence is dropped. It begins with those that are known already.
    ///
    /// - Throws: `ServiceError.badType`.
    package func browse(_ type: String) throws(ServiceError) -> ServiceEvents {
        let type = type.lowercased()
        _ = try ServiceNames.type(type)
        let (wakes, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let pending = PendingEvents()
        let reader = MulticastLoop.Reader(pending: pending, wakes: continuation)
        continuation.onTermination = { [eventLoop, state] _ in
            eventLoop.execute { state.value.removeReader(reader, of: type) }
        }
        eventLoop.execute { [state] in state.value.addReader(reader, of: type) }
        return ServiceEvents(pending: pending, wakes: wakes)
    }

    private func onLoop<Value: Sendable>(_ body: @escaping @Sendable (MulticastLoop) -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            eventLoop.execute { [state] in continuation.resume(returning: body(state.value)) }
        }
    }
}
