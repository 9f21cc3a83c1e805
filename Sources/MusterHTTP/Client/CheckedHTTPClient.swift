package import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization

/// Calls servers at checked addresses only, over HTTP/1.1 or where a service wants it over HTTP/2: a short POST by
/// `post`, a bounded GET by `get`, and everything else by a client that `client(for:)` makes.
///
/// It looks a name up by itself, and the policy must allow every address of the answer. AsyncHTTPClient then connects
/// to the address that was checked: it does not look the name up again, and it follows no redirects.
package final class CheckedHTTPClient: Sendable {
    private let resolver: any HostResolver
    private let policy: AddressPolicy
    private let timeouts: Timeouts
    /// The TLS requirements for servers. The first encrypted call reads the certificate authorities.
    private let tls: FirstUse<TLSConfiguration>
    /// Whether this system has a list of certificate authorities. Where it has none, the client trusts only the
    /// authorities in `roots`.
    package let hasSystemRoots: Bool
    private let kept = Mutex<[Service: PinnedClient]>([:])

    /// The key of kept connections: an origin, and the protocol.
    private struct Service: Hashable {
        let origin: HTTPAddress.Origin
        let version: Version
    }

    /// The protocol of a connection to a server.
    package enum Version: Hashable, Sendable {
        case http1
        /// HTTP/2 where the server offers it.
        case http2
    }

    /// The time limits of a call.
    package struct Timeouts: Sendable {
        /// Seconds for name resolution, and as many for connecting.
        var connectSeconds: Int64 = 5
        /// Seconds until the whole answer has arrived.
        var wholeSeconds: Int64 = 15
        /// Seconds for which a checked address of an origin is used, before its name is looked up again.
        var lookupSeconds: Int64 = 30
    }

    /// The largest number of addresses of a name that are tried.
    static let addressLimit = 4
    /// The largest number of origins whose connections are kept.
    static let originLimit = 256

    /// - Parameters:
    ///   - roots: a PEM file of certificate authorities to trust besides the system's.
    ///   - timeouts: the time limits.
    /// - Throws: an error that names that file when it cannot be read.
    package init(
        resolver: any HostResolver = SystemResolver(), policy: AddressPolicy, roots: String? = nil,
        timeouts: Timeouts = Timeouts()
    ) throws {
        self.resolver = resolver
        self.policy = policy
        self.timeouts = timeouts
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        if let roots {
            configuration.additionalTrustRoots = [.certificates(try CertificateFiles.certificates(in: roots))]
        }
        hasSystemRoots = !Self.authorityFiles().isEmpty || Self.isUsable(configuration)
        tls = FirstUse { [configuration] in
            var configuration = configuration
            if let authorities = Self.systemAuthorities() {
                configuration.trustRoots = .certificates(authorities)
            } else if !Self.isUsable(configuration) {
                // A minimal system without ca-certificates.
                configuration.trustRoots = .certificates([])
            }
            return configuration
        }
    }

    /// Whether a TLS context can be made, which fails where this system has no list of authorities.
    private static func isUsable(_ configuration: TLSConfiguration) -> Bool {
        (try? NIOSSLContext(configuration: configuration)) != nil
    }

    /// The files among those where Linux distributions keep their list of authorities that this process can read; none
    /// on macOS.
    private static func authorityFiles() -> [String] {
        ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt"]
            .filter { FileManager.default.isReadableFile(atPath: $0) }
    }

    /// The certificate authorities of this system; nil where no file lists them. They are read once for all clients,
    /// because each client's own TLS context would otherwise hold a copy of 1 MB.
    private static func systemAuthorities() -> [NIOSSLCertificate]? {
        authorityFiles().lazy.compactMap { try? NIOSSLCertificate.fromPEMFile($0) }.first { !$0.isEmpty }
    }

    /// Sends a POST and waits for the end of the answer.
    ///
    /// - Parameters:
    ///   - seconds: the time limit of the whole call; nil for the client's own limit.
    ///   - limit: the largest body that the answer may have, in bytes; a longer one is an error. nil to keep only the
    ///     first `CallAnswer.bodyLimitBytes` of it.
    /// - Throws: `CallError.forbidden` when the policy refuses an address of the target; `.unreachable`.
    package func post(
        _ body: [UInt8], to address: HTTPAddress, headers: [(name: String, value: String)],
        over version: Version = .http1, within seconds: Int64? = nil, keepingBodyUpTo limit: Int? = nil
    ) async throws(CallError) -> CallAnswer {
        try await send(.POST, body, to: address, headers, over: version, within: seconds, keepingBodyUpTo: limit)
    }

    /// Sends a GET and waits for the end of the answer. It follows no redirect: `CallAnswer.Fields.location` says where
    /// one leads.
    ///
    /// - Parameters:
    ///   - seconds: the time limit of the whole call; nil for the client's own limit.
    ///   - limit: the largest body that the answer may have, in bytes; a longer one is an error.
    /// - Throws: `CallError.forbidden` when the policy refuses an address of the target; `.unreachable`.
    package func get(
        _ address: HTTPAddress, headers: [(name: String, value: String)], within seconds: Int64? = nil,
        keepingBodyUpTo limit: Int
    ) async throws(CallError) -> CallAnswer {
        try await send(.GET, nil, to: address, headers, over: .http1, within: seconds, keepingBodyUpTo: limit)
    }

    private func send(
        _ method: HTTPMethod, _ body: [UInt8]?, to address: HTTPAddress, _ headers: [(name: String, value: String)],
        over version: Version, within seconds: Int64?, keepingBodyUpTo limit: Int?
    ) async throws(CallError) -> CallAnswer {
        var request = HTTPClientRequest(url: address.shown + address.requestTarget)
        request.method = method
        request.headers = HTTPHeaders([("Host", address.hostField), ("User-Agent", "Muster")])
        for header in headers { request.headers.add(name: header.name, value: header.value) }
        if let body { request.body = .bytes(ByteBuffer(bytes: body)) }
        let deadline = NIODeadline.now() + .seconds(seconds ?? timeouts.wholeSeconds)
        do {
            let service = Service(origin: address.origin, version: version)
            let (client, isKept) = try await pinnedClient(for: service)
            do {
                return try await client.send(request, by: deadline, keepingBodyUpTo: limit)
            } catch let error where isKept && !(error is CallError) && NIODeadline.now() < deadline {
                // The target may have closed the connection, or moved: the client looks it up and connects again, once.
                forget(client, of: service)
                let fresh = try await pinnedClient(for: service).client
                return try await fresh.send(request, by: deadline, keepingBodyUpTo: limit)
            }
        } catch {
            throw CallError(error)
        }
    }

    /// Makes a client that connects to one checked address of an origin, with the settings that the caller needs. The
    /// caller shuts it down.
    ///
    /// - Parameters:
    ///   - host: the name as the caller's URLs spell it, where that differs from the origin's.
    ///   - settings: time limits and the like. Redirects, names and trust are set here.
    /// - Throws: `CallError.forbidden` where the policy refuses the address; `.unreachable`.
    package func client(
        for origin: HTTPAddress.Origin, spelled host: String? = nil, _ settings: HTTPClient.Configuration
    ) async throws(CallError) -> HTTPClient {
        do {
            let address = try await firstAccepting(addresses(of: origin))
            return makeClient([origin.host, host ?? origin.host], at: address, settings)
        } catch {
            throw CallError(error)
        }
    }

    /// The reason why the client may not call an address that a URL spells out, in any notation; nil when it may, or
    /// when the URL has a name.
    package func refusal(of address: HTTPAddress) -> String? {
        guard let literal = try? SystemResolver.lookUp(address.host, address.port, isLiteral: true) else { return nil }
        return literal.lazy.compactMap { self.policy.refusal(of: $0) }.first
    }

    /// Closes the connections that `post` keeps, once the calls over them have ended.
    package func close() { kept.withLock { $0.removeAll() } }

    // MARK: Pinned clients

    private func pinnedClient(for service: Service) async throws -> (client: PinnedClient, isKept: Bool) {
        let origin = service.origin
        let known = kept.withLock { $0[service] }
        if let known, known.isFresh { return (known, true) }
        let addresses = try await addresses(of: origin)
        if let known, addresses.contains(known.address) {
            known.recordCheck(for: timeouts.lookupSeconds)
            return (known, true)
        }
        let address = try await firstAccepting(addresses)
        var settings = HTTPClient.Configuration()
        settings.timeout = .init(connect: .seconds(timeouts.connectSeconds), read: .seconds(timeouts.wholeSeconds))
        // The dispatcher limits the number of calls under way, so that no call has to wait for another's connection.
        settings.connectionPool = .init(idleTimeout: .seconds(30), concurrentHTTP1ConnectionsPerHostSoftLimit: 512)
        let client = PinnedClient(
            makeClient([origin.host], at: address, settings, over: service.version), at: address)
        client.recordCheck(for: timeouts.lookupSeconds)
        return kept.withLock { kept in
            // A simultaneous call was faster.
            if let other = kept[service], other.isFresh, other.address == address { return (other, false) }
            kept = kept.filter { $0.value.isFresh }
            if kept.count >= Self.originLimit, let one = kept.first { kept[one.key] = nil }
            kept[service] = client
            return (client, false)
        }
    }

    private func forget(_ client: PinnedClient, of service: Service) {
        kept.withLock { kept in if kept[service] === client { kept[service] = nil } }
    }

    /// Makes a client that connects to this address and to no other, even if the name has got another address since.
    private func makeClient(
        _ hosts: Set<String>, at address: SocketAddress, _ settings: HTTPClient.Configuration,
        over version: Version = .http1
    ) -> HTTPClient {
        var settings = settings
        settings.tlsConfiguration = tls.value
        settings.redirectConfiguration = .disallow
        settings.httpVersion = version == .http1 ? .http1Only : .automatic
        // The callers know when to try again.
        settings.connectionPool.retryConnectionEstablishment = false
        for host in hosts { settings.dnsOverride[host] = address.ipAddress }
        let requireAddress: @Sendable (any Channel) -> EventLoopFuture<Void> = { channel in
            guard channel.remoteAddress?.ipAddress == address.ipAddress else {
                return channel.eventLoop.makeFailedFuture(CallError.unreachable("it is not at the address checked"))
            }
            return channel.eventLoop.makeSucceededVoidFuture()
        }
        settings.http1_1ConnectionDebugInitializer = requireAddress
        settings.http2ConnectionDebugInitializer = requireAddress
        return HTTPClient(eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: settings)
    }

    /// The addresses of an origin, all of them allowed.
    private func addresses(of origin: HTTPAddress.Origin) async throws -> [SocketAddress] {
        let (resolver, host, port) = (resolver, origin.host, origin.port)
        let addresses = try await withTimeout(seconds: timeouts.connectSeconds) {
            try await resolver.addresses(of: host, port: port)
        }
        for address in addresses {
            if let refusal = policy.refusal(of: address) { throw CallError.forbidden(refusal) }
        }
        return addresses
    }

    /// The first address that accepts a connection; where there is only one, it is not tried here.
    private func firstAccepting(_ addresses: [SocketAddress]) async throws -> SocketAddress {
        let addresses = addresses.prefix(Self.addressLimit)
        if let only = addresses.first, addresses.count == 1 { return only }
        // An address that does not answer uses only its share of the time.
        let part = TimeAmount.milliseconds(timeouts.connectSeconds * 1000 / Int64(max(1, addresses.count)))
        var fault: any Error = CallError.unreachable("the name has no address")
        for address in addresses {
            do {
                try Task.checkCancellation()
                try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                    .connectTimeout(part).connect(to: address).get().close()
                return address
            } catch {
                fault = error
            }
        }
        throw fault
    }
}

/// The connections to one checked address. They close when no call uses them any more.
private final class PinnedClient: Sendable {
    let address: SocketAddress
    private let http: HTTPClient
    private let freshUntil = Mutex(NIODeadline.distantPast)

    /// Where the caller gives no limit, reading a body stops after this many bytes. A shorter body is read to its end,
    /// so that its connection can be used again.
    static let bodyLimitBytes = 64 << 10

    init(_ http: HTTPClient, at address: SocketAddress) {
        self.http = http
        self.address = address
    }

    deinit { http.shutdown { _ in } }

    /// Whether the address need not be looked up again yet.
    var isFresh: Bool { NIODeadline.now() < freshUntil.withLock { $0 } }

    /// Records that the address was looked up and allowed just now.
    func recordCheck(for seconds: Int64) { freshUntil.withLock { $0 = .now() + .seconds(seconds) } }

    /// Sends a request and reads the answer to its end. Without a limit the result holds the beginning of the body, and
    /// a body of more than `bodyLimitBytes` is not read to its end.
    func send(
        _ request: HTTPClientRequest, by deadline: NIODeadline, keepingBodyUpTo limit: Int?
    ) async throws -> CallAnswer {
        defer { withExtendedLifetime(self) {} }
        let response = try await http.execute(request, deadline: deadline)
        var count = 0
        var body: [UInt8] = []
        for try await part in response.body {
            count += part.readableBytes
            if let limit {
                guard count <= limit else { throw CallError.tooLong }
                body.append(contentsOf: part.readableBytesView)
            } else {
                let room = CallAnswer.bodyLimitBytes - body.count
                if room > 0 { body += part.readableBytesView.prefix(room) }
                if count > Self.bodyLimitBytes { break }
            }
            guard NIODeadline.now() < deadline else { throw HTTPClientError.deadlineExceeded }
        }
        var answer = CallAnswer(
            status: Int(response.status.code),
            retryAfterSeconds: response.headers.first(name: "retry-after").flatMap(RetryAfter.seconds), body: body)
        answer.fields.location = response.headers.first(name: "location")
        answer.fields.entityTag = response.headers.first(name: "etag")
        answer.fields.lastModified = response.headers.first(name: "last-modified")
        return answer
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
