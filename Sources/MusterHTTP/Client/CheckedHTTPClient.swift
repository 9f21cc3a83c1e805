import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization

/// Calls targets over HTTP/1.1, and connects only to checked addresses. It resolves the name for every connection, all
/// addresses of the answer must be allowed, and it connects to exactly these addresses. It does not follow redirects.
package final class CheckedHTTPClient: Sendable {
    private let resolver: any HostResolver
    private let policy: AddressPolicy
    private let timeouts: Timeouts
    private let tls: NIOSSLContext
    /// Whether this system has a list of authorities. Without one no certificate is trusted but by those of `roots`.
    package let hasSystemRoots: Bool
    private let idle = Mutex<[HTTPAddress.Origin: [any Channel]]>([:])

    /// The time limits of a call.
    package struct Timeouts: Sendable {
        /// Seconds for name resolution, and as many for connecting.
        var connectSeconds: Int64 = 5
        /// Seconds until the whole answer has arrived.
        var wholeSeconds: Int64 = 15
    }

    /// The largest number of idle connections kept for one origin.
    static let idleLimit = 16
    /// The largest number of addresses of a name that are tried.
    static let addressLimit = 4

    /// - Parameters:
    ///   - roots: a PEM file of certificate authorities to trust besides the system's.
    ///   - timeouts: the time limits.
    /// - Throws: `NIOSSLError` when that file cannot be read.
    package init(
        resolver: any HostResolver = SystemResolver(), policy: AddressPolicy, roots: String? = nil,
        timeouts: Timeouts = Timeouts()
    ) throws {
        self.resolver = resolver
        self.policy = policy
        self.timeouts = timeouts
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        if let roots { configuration.additionalTrustRoots = [.file(roots)] }
        if let context = try? NIOSSLContext(configuration: configuration) {
            tls = context
            hasSystemRoots = true
        } else {
            // A minimal system without ca-certificates; what is wrong with `roots` is thrown here again.
            configuration.trustRoots = .certificates([])
            tls = try NIOSSLContext(configuration: configuration)
            hasSystemRoots = false
        }
    }

    /// Sends a POST and waits for the end of the answer.
    ///
    /// - Throws: `CallError.unreachable`.
    package func post(
        _ body: [UInt8], to address: HTTPAddress, headers: [(name: String, value: String)]
    ) async throws(CallError) -> CallAnswer {
        var fields = HTTPHeaders([("Host", address.hostField), ("User-Agent", "Muster")])
        for header in headers { fields.add(name: header.name, value: header.value) }
        fields.add(name: "Content-Length", value: String(body.count))
        let head = HTTPRequestHead(version: .http1_1, method: .POST, uri: address.requestTarget, headers: fields)
        let deadline = NIODeadline.now() + .seconds(timeouts.wholeSeconds)
        do {
            if let channel = takeIdle(address.origin) {
                do throws(CallError) {
                    return try await exchange(head, body, on: channel, address.origin, deadline)
                } catch .stale {}
            }
            return try await exchange(head, body, on: connect(to: address.origin), address.origin, deadline)
        } catch {
            throw CallError(error)
        }
    }

    /// Why the client may not call an address that a URL spells out, in any notation; nil when it may, or when the URL
    /// has a name.
    package func refusal(of address: HTTPAddress) -> String? {
        guard let literal = try? SystemResolver.ask(address.host, address.port, isLiteral: true) else { return nil }
        return literal.lazy.compactMap { self.policy.refusal(of: $0) }.first
    }

    /// Closes idle connections.
    package func close() {
        let channels = idle.withLock { idle in
            defer { idle.removeAll() }
            return idle.values.flatMap { $0 }
        }
        for channel in channels { channel.close(promise: nil) }
    }

    private func exchange(
        _ head: HTTPRequestHead, _ body: [UInt8], on channel: any Channel, _ origin: HTTPAddress.Origin,
        _ deadline: NIODeadline
    ) async throws(CallError) -> CallAnswer {
        let answer = channel.eventLoop.makePromise(of: CallAnswer.self)
        let exchange = CheckedExchange(head: head, body: ByteBuffer(bytes: body), deadline: deadline, answer: answer)
        channel.writeAndFlush(exchange).whenFailure { answer.fail($0) }
        do {
            let result = try await withTaskCancellationHandler {
                try await answer.futureResult.get()
            } onCancel: {
                channel.close(promise: nil)
            }
            putBack(channel, origin)
            return result
        } catch {
            throw CallError(error)
        }
    }

    // MARK: Connections

    private func takeIdle(_ origin: HTTPAddress.Origin) -> (any Channel)? {
        idle.withLock { idle in
            while let channel = idle[origin]?.popLast() { if channel.isActive { return channel } }
            idle[origin] = nil
            return nil
        }
    }

    private func putBack(_ channel: any Channel, _ origin: HTTPAddress.Origin) {
        guard channel.isActive else { return }
        let isKept = idle.withLock { idle in
            guard idle[origin, default: []].count < Self.idleLimit else { return false }
            idle[origin, default: []].append(channel)
            return true
        }
        if !isKept { channel.close(promise: nil) }
    }

    /// Removes a closed connection from the idle ones.
    private func forget(_ channel: any Channel, _ origin: HTTPAddress.Origin) {
        idle.withLock { idle in
            idle[origin]?.removeAll { $0 === channel }
            if idle[origin]?.isEmpty ?? false { idle[origin] = nil }
        }
    }

    private func connect(to origin: HTTPAddress.Origin) async throws -> any Channel {
        let addresses = try await addresses(of: origin).prefix(Self.addressLimit)
        // An address that does not answer uses only its share of the time.
        let part = TimeAmount.milliseconds(timeouts.connectSeconds * 1000 / Int64(addresses.count))
        var refusal: any Error = CallError.unreachable("the name has no address")
        for address in addresses {
            do {
                try Task.checkCancellation()
                let channel = try await connect(to: address, origin, within: part)
                channel.closeFuture.whenComplete { [weak self, weak channel] _ in
                    if let channel { self?.forget(channel, origin) }
                }
                return channel
            } catch {
                refusal = error
            }
        }
        throw refusal
    }

    /// The addresses of an origin, all of them allowed.
    private func addresses(of origin: HTTPAddress.Origin) async throws -> [SocketAddress] {
        let (resolver, host, port) = (resolver, origin.host, origin.port)
        let addresses = try await withTimeout(seconds: timeouts.connectSeconds) {
            try await resolver.addresses(of: host, port: port)
        }
        for address in addresses {
            if let refusal = policy.refusal(of: address) { throw CallError.unreachable(refusal) }
        }
        return addresses
    }

    private func connect(
        to address: SocketAddress, _ origin: HTTPAddress.Origin, within timeout: TimeAmount
    ) async throws -> any Channel {
        let (channel, ready) = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(timeout)
            .channelOption(ChannelOptions.socketOption(.tcp_nodelay), value: 1)
            .connect(to: address) { [tls = origin.isEncrypted ? tls : nil] channel in
                channel.eventLoop.makeCompletedFuture {
                    let ready = channel.eventLoop.makePromise(of: Void.self)
                    let handler = CheckedExchangeHandler(ready: ready, isEncrypted: tls != nil)
                    do {
                        let pipeline = channel.pipeline.syncOperations
                        if let tls { try pipeline.addHandler(Self.tlsHandler(tls, host: origin.host)) }
                        try pipeline.addHTTPClientHandlers()
                        try pipeline.addHandler(handler)
                    } catch {
                        ready.fail(error)
                        throw error
                    }
                    return (channel, ready.futureResult)
                }
            }
        // Only the handshake itself reports why it fails. A request written during it would only see a closed
        // connection.
        let timer = channel.eventLoop.scheduleTask(in: timeout) { channel.close(promise: nil) }
        defer { timer.cancel() }
        try await ready.get()
        return channel
    }

    /// The certificate must match the name, or the address where the URL has a literal one.
    private static func tlsHandler(_ context: NIOSSLContext, host: String) throws -> NIOSSLClientHandler {
        let isLiteral = (try? SocketAddress(ipAddress: host, port: 0)) != nil
        return try NIOSSLClientHandler(context: context, serverHostname: isLiteral ? nil : host)
    }
}

/// Runs a body that cannot be interrupted, and stops waiting for it after some seconds.
private func withTimeout<Success: Sendable>(
    seconds: Int64, _ body: @escaping @Sendable () async throws -> Success
) async throws -> Success {
    let promise = MultiThreadedEventLoopGroup.singleton.any().makePromise(of: Success.self)
    promise.completeWithTask { try await body() }
    let timer = promise.futureResult.eventLoop.scheduleTask(in: .seconds(seconds)) {
        promise.fail(CallError.unreachable("the name was not found in time"))
    }
    defer { timer.cancel() }
    return try await promise.futureResult.get()
}
