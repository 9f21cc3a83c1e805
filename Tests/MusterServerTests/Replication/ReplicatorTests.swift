import HTTPTypes
import Hummingbird
import Logging
import MusterCore
import MusterReplication
import MusterWire
import NIOCore
import ServiceLifecycle
import Synchronization
import Testing

@testable import MusterCouchDB
@testable import MusterHTTP
@testable import MusterServer

/// The replications that a server runs.
@Suite struct ReplicatorTests {
    @Test(arguments: [true, false])
    func `an unreachable peer is looked up again at each attempt`(isContinuous: Bool) async throws {
        let town = try await Town()
        let resolver = MovingResolver(lookups: 5)
        let replicator = Replicator(
            coordinator: town.coordinator, feeds: LogFeeds(coordinator: town.coordinator),
            client: try DeliveryDispatcherTests.client(resolver: resolver),
            pacing: ReplicationPacing(sleep: { _ in try Task.checkCancellation() }))
        let text =
            #"{"source":"http://peer.example:1/notes","target":"notes","create_target":true,"#
            + #""continuous":\#(isContinuous)}"#
        let order = try ReplicationOrder(JSONValue(parsing: Array(text.utf8)), openedBy: replicator.seal)
        let states = Mutex<[ReplicationProgress.State]>([])
        // Nobody listens at the port. The last lookup ends it: it leads where nobody may call, and that does not pass.
        await #expect(throws: ReplicationError.self) {
            try await replicator.persist(in: order, by: Town.ana) { progress in
                states.withLock { $0.append(progress.state) }
            }
        }
        #expect(resolver.asked == 5)
        #expect(!states.withLock { $0.isEmpty })
        for state in states.withLock({ $0 }) {
            guard case .waiting(_, .unreachable) = state else {
                Issue.record("\(state)")
                continue
            }
        }
        try await town.coordinator.close()
    }

    @Test func `the checked address is connected to, whatever the name resolves to later`() async throws {
        let peer = StandInPeer(redirectingTo: nil)
        let resolver = TestResolver([["127.0.0.1"], ["169.254.169.254"]])
        await #expect(throws: ReplicationError.self) { try await peer.replicate("peer.example", resolver) }
        // Several requests, one lookup: the second answer of the resolver was never asked for.
        #expect(peer.asked.filter { $0 == "/notes" }.count >= 1)
        #expect(resolver.count == 1)
    }

    @Test func `a peer's redirect is not followed`() async throws {
        let peer = StandInPeer(redirectingTo: "/inside")
        await #expect(throws: ReplicationError.self) {
            try await peer.replicate("peer.example", TestResolver([["127.0.0.1"]]))
        }
        #expect(peer.asked.contains("/notes") && !peer.asked.contains("/inside"))
    }

    @Test func `an endless answer ends at its deadline`() async throws {
        let endless = CallbackResponder { (_: Request, _: BasicRequestContext) in
            Response(
                status: .ok,
                body: ResponseBody { writer in
                    while true { try await writer.write(ByteBuffer(string: "x")) }
                })
        }
        try await serve(endless) { port in
            let transport = AsyncHTTPTransport()
            // On a slow machine the deadline may pass before the head of the response arrives; then `send` throws.
            await #expect(throws: ReplicationError.self) {
                let response = try await transport.send(
                    HTTPTransportRequest(method: "GET", url: "http://127.0.0.1:\(port)/", deadlineSeconds: 2))
                while try await response.nextPiece() != nil {}
            }
            await transport.close()
        }
    }

    @Test func `a name with a private address is refused where the operator does not allow it`() async throws {
        let peer = StandInPeer(redirectingTo: nil)
        let addresses = [["127.0.0.1"], ["93.184.215.14", "10.0.0.1"], ["::ffff:127.0.0.1"]]
        for answer in addresses {
            await #expect(throws: ReplicationError.unsupported("a private or loopback address may not be reached")) {
                try await peer.replicate("peer.example", TestResolver([answer]), allowsPrivate: false)
            }
        }
        #expect(peer.asked.isEmpty)
    }
}

/// A web server that has no database, and remembers what it was asked for.
private final class StandInPeer: Sendable {
    private let paths = Mutex<[String]>([])
    private let place: String?

    /// - Parameter place: where it leads those who ask for anything else.
    init(redirectingTo place: String?) { self.place = place }

    var asked: [String] { paths.withLock { $0 } }

    /// Pulls from this server under another name, once.
    func replicate(_ name: String, _ resolver: TestResolver, allowsPrivate: Bool = true) async throws {
        let town = try await Town()
        let responder = CallbackResponder { (request: Request, _: BasicRequestContext) in
            let path = request.uri.path
            self.paths.withLock { $0.append(path) }
            guard let place = self.place, path != place else { return Response(status: .notFound) }
            return Response(status: .temporaryRedirect, headers: [.location: place])
        }
        try await serve(responder) { port in
            let replicator = Replicator(
                coordinator: town.coordinator, feeds: LogFeeds(coordinator: town.coordinator),
                client: try DeliveryDispatcherTests.client(
                    resolver: resolver, policy: AddressPolicy(allowsPrivate: allowsPrivate)),
                pacing: ReplicationPacing(sleep: { _ in try Task.checkCancellation() }))
            let text = #"{"source":"http://\#(name):\#(port)/notes","target":"notes","create_target":true}"#
            let order = try ReplicationOrder(JSONValue(parsing: Array(text.utf8)), openedBy: replicator.seal)
            _ = try await replicator.replicate(order, by: Town.ana) { _ in }
        }
        try await town.coordinator.close()
    }
}

/// Runs a web server on this machine for as long as a body runs, which receives its port.
private func serve(
    _ responder: CallbackResponder<BasicRequestContext>, _ body: (Int) async throws -> Void
) async throws {
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    let (ports, isListening) = AsyncStream.makeStream(of: Int.self)
    let connections = OpenConnections()
    let listener = HTTPListener(
        host: "127.0.0.1", port: 0, connection: HTTPConnection(responder, connections: connections, logger: logger),
        connections: connections, logger: logger, onReady: { isListening.yield($0) })
    let group = ServiceGroup(configuration: .init(services: [.init(service: listener)], logger: logger))
    async let serving: Void = group.run()
    var ended: Result<Void, any Error> = .success(())
    for await port in ports {
        do {
            try await body(port)
        } catch {
            ended = .failure(error)
        }
        break
    }
    await group.triggerGracefulShutdown()
    try await serving
    try ended.get()
}

/// Names a port of this machine at which nobody listens, and at last an address that may not be called.
private final class MovingResolver: HostResolver {
    private let left: Mutex<Int>
    private let lookups: Int

    init(lookups: Int) {
        self.lookups = lookups
        left = Mutex(lookups)
    }

    var asked: Int { lookups - left.withLock { $0 } }

    func addresses(of host: String, port: Int) async throws -> [SocketAddress] {
        let isLast = left.withLock { left in
            left -= 1
            return left == 0
        }
        return [try SocketAddress(ipAddress: isLast ? "169.254.169.254" : "127.0.0.1", port: port)]
    }
}
