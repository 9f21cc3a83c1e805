import HTTPTypes
import Hummingbird
import Logging
import MusterCore
import MusterStore
import MusterTestSupport
import NIOCore
import ServiceLifecycle
import Synchronization
import Testing

@testable import MusterHTTP
@testable import MusterServer

/// The dispatcher against a web server on this machine.
@Suite struct DeliveryDispatcherTests {
    /// One that waits however long this machine takes.
    static func client(
        resolver: any HostResolver = SystemResolver(), policy: AddressPolicy = AddressPolicy(allowsPrivate: true),
        lookupSeconds: Int64 = 3_600
    ) throws -> CheckedHTTPClient {
        try CheckedHTTPClient(
            resolver: resolver, policy: policy,
            timeouts: .init(connectSeconds: 3_600, wholeSeconds: 3_600, lookupSeconds: lookupSeconds))
    }

    @Test(arguments: [1, 2] as [UInt64])
    func `each device's events arrive in order, whatever fails, and none is lost`(seed: UInt64) async throws {
        let random = Mutex(SeededNumbers(seed: seed))
        let office = try await PostOffice { _ in
            random.withLock { Int.random(in: 0..<10, using: &$0) } < 3 ? .internalServerError : .noContent
        }
        let expected = try await office.post(200, devices: 12)
        let arrived = try await office.run { letters in
            Set(letters.lazy.filter { $0.status == .noContent }.map(\.event)).count == 200
        }
        for (device, events) in expected {
            let taken = arrived.filter { $0.status == .noContent && events.contains($0.event) }.map(\.event)
            // At least once: on a machine so busy that an answer comes too late, the same event comes again.
            let order = taken.indices.filter { $0 == 0 || taken[$0] != taken[$0 - 1] }.map { taken[$0] }
            #expect(order == events, "seed \(seed), device \(device)")
        }
        // The dispatcher was stopped when the last had come, perhaps before it heard the answer: one a lane.
        #expect(office.store.pendingDeliveryCount <= 12)
        #expect(try office.store.deadLetterCounts().isEmpty)
        let tries = Dictionary(grouping: arrived, by: \.event).mapValues { Set($0.map(\.body)) }
        #expect(tries.count == 200 && tries.values.allSatisfy { $0.count == 1 })
    }

    @Test func `a delivery not yet recorded as delivered is sent again, in order, after a crash`() async throws {
        let office = try await PostOffice { _ in .noContent }
        let expected = try await office.post(6, devices: 1)[1] ?? []
        // What the store would hold, had the server died before anything was noted.
        let again = try await office.run { $0.count == 6 }.map(\.event)
        // At least once: on a machine so busy that an answer comes too late, the same event comes again.
        #expect(again.indices.filter { $0 == 0 || again[$0] != again[$0 - 1] }.map { again[$0] } == expected)
        // The dispatcher was stopped when the last had come, perhaps before it heard the answer.
        #expect((5...6).contains(office.dispatcher.statistics.delivered))
    }

    @Test func `a removed device's events are not sent any more`() async throws {
        let office = try await PostOffice { _ in .noContent }
        _ = try await office.post(6, devices: 2)
        try await office.coordinator.storeState { transaction, _ in try transaction.remove(DeviceNumber(1)) }
        let arrived = try await office.run { $0.count == 3 }
        #expect(arrived.map(\.event) == ["event-1", "event-3", "event-5"])
    }

    @Test func `a name that resolves to a forbidden address at its second lookup is refused`() async throws {
        let office = try await PostOffice { _ in .noContent }
        try await office.serve { port in
            let address = try HTTPAddress("http://target.example:\(port)/hook")
            let answers = TestResolver([
                ["127.0.0.1"], ["169.254.169.254"], ["127.0.0.1", "fe80::1"], ["::1", "0.0.0.0"],
            ])
            let client = try Self.client(resolver: answers, lookupSeconds: 0)
            let headers = [(name: "webhook-id", value: "one")]
            #expect(try await client.post([], to: address, headers: headers).status == 204)
            for _ in 0..<3 {
                await #expect(
                    throws: CallError.forbidden(
                        "a link-local, multicast, reserved or metadata address may not be reached")
                ) { try await client.post([], to: address, headers: headers) }
            }
            let strict = try Self.client(resolver: TestResolver([["127.0.0.1"]]), policy: AddressPolicy())
            await #expect(throws: CallError.self) { try await strict.post([], to: address, headers: headers) }
            #expect(office.letters.withLock { $0.count } == 1)
        }
    }

    @Test func `a checked address is kept, and a connection that the receiver closed is opened again`() async throws {
        let office = try await PostOffice { _ in .noContent }
        let resolver = TestResolver(Array(repeating: ["127.0.0.1"], count: 9))
        let client = try Self.client(resolver: resolver)
        let place = try ReservedPort()
        let address = try HTTPAddress("http://127.0.0.1:\(place.number)/hook")
        try await office.serve(port: place.number) { _ in
            for _ in 0..<5 {
                _ = try await client.post([1], to: address, headers: [(name: "webhook-id", value: "a")])
            }
        }
        #expect(resolver.count == 1)
        // The server has ended, and its connections with it; another listens at the same place.
        try await office.serve(port: place.number) { _ in
            let answer = try await client.post([2], to: address, headers: [(name: "webhook-id", value: "b")])
            #expect(answer.status == 204)
        }
        // A client that learns of the closed connection only when it sends looks the name up once more.
        let lookups = resolver.count
        #expect((1...2).contains(lookups))
        // Nobody listens there any more: the name is looked up anew, for the target may have moved.
        await #expect(throws: CallError.self) { try await client.post([3], to: address, headers: []) }
        #expect(resolver.count == lookups + 1)
        withExtendedLifetime(place) {}
    }

    @Test func `a target is asked for as its URL spells it`() async throws {
        let target = "/hook%2Fa%20b;c/?x=%2F&y=a+b&z=%C3%A9&sig=a%3D%2B=&q='!*()"
        let office = try await PostOffice { _ in .noContent }
        try await office.serve { port in
            let client = try Self.client()
            let answer = try await client.post([], to: HTTPAddress("http://127.0.0.1:\(port)\(target)"), headers: [])
            #expect(answer.status == 404)
        }
        #expect(office.targets.withLock { $0 } == [target])
    }

    @Test func `of several addresses of a name the first that accepts is used`() async throws {
        let office = try await PostOffice { _ in .noContent }
        try await office.serve { port in
            let client = try Self.client(resolver: TestResolver([["::1", "127.0.0.2", "127.0.0.1"]]))
            let address = try HTTPAddress("http://target.example:\(port)/hook")
            #expect(try await client.post([1], to: address, headers: [(name: "webhook-id", value: "a")]).status == 204)
        }
    }
}

/// Answers each question with the next list of addresses.
final class TestResolver: HostResolver {
    private let answers: Mutex<[[String]]>
    private let asked = Mutex(0)

    init(_ answers: [[String]]) { self.answers = Mutex(answers) }

    var count: Int { asked.withLock { $0 } }

    func addresses(of host: String, port: Int) async throws -> [SocketAddress] {
        asked.withLock { $0 += 1 }
        return try answers.withLock { $0.removeFirst() }.map { try SocketAddress(ipAddress: $0, port: port) }
    }
}

/// A coordinator with one webhook target, its dispatcher, and the web server that the target is.
private final class PostOffice: Sendable {
    struct Letter: Sendable {
        var event: String
        var body: String
        var status: HTTPResponse.Status
    }

    let store = MemoryStore()
    let coordinator: StoreCoordinator
    let dispatcher: DeliveryDispatcher
    let vault = SecretVault()
    let letters = Mutex<[Letter]>([])
    /// What was asked for, as the request lines spell it.
    let targets = Mutex<[String]>([])
    private let arrivals: AsyncStream<Void>
    private let arrival: AsyncStream<Void>.Continuation
    private let answer: @Sendable (String) -> HTTPResponse.Status
    private let logger: Logger

    init(answer: @escaping @Sendable (String) -> HTTPResponse.Status) async throws {
        self.answer = answer
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        self.logger = logger
        coordinator = try StoreCoordinator(store: store, now: Instant.systemClock)
        var policy = DeliveryPolicy()
        policy.firstDelaySeconds = 0.005
        let caller = TargetCaller(
            coordinator: coordinator, vault: vault, client: try DeliveryDispatcherTests.client(),
            logger: logger, now: Instant.systemClock)
        dispatcher = DeliveryDispatcher(
            coordinator: coordinator, caller: caller, policy: policy, metrics: Metrics(), now: Instant.systemClock)
        (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
    }

    /// Puts so many deliveries about devices in turn; the events of each device in order.
    func post(_ count: Int, devices: Int) async throws -> [Int: [String]] {
        try await coordinator.storeState { transaction, now in
            for index in 0..<count {
                try transaction.put(
                    NewDelivery(
                        target: TargetNumber(1), subject: .device(DeviceNumber(Int32(index % devices + 1))),
                        rule: "rule", event: "event-\(index)", body: Array("{\"index\":\(index)}".utf8),
                        createdAt: now))
            }
        }
        return Dictionary(grouping: 0..<count) { $0 % devices + 1 }.mapValues { $0.map { "event-\($0)" } }
    }

    /// Runs the dispatcher until the letters that arrived fulfil a condition.
    func run(until isDone: @escaping @Sendable ([Letter]) -> Bool) async throws -> [Letter] {
        try await serve { port in
            let (vault, url) = (self.vault, "http://127.0.0.1:\(port)/hook")
            try await self.coordinator.edit { _, draft in
                let number = try draft.transaction.nextTargetNumber()
                draft.edits = [.putTarget(Target(number: number, name: "hook", kind: .webhook))]
                let settings = TargetSettings(url: url, secrets: [.init(secret: WebhookSecret())])
                draft.credentials = [settings.credential(of: number, sealedBy: vault, at: Instant(seconds: 0))]
            }
            let group = ServiceGroup(
                configuration: .init(services: [.init(service: self.dispatcher)], logger: self.logger))
            async let delivering: Void = group.run()
            for await _ in self.arrivals where isDone(self.letters.withLock { $0 }) { break }
            await group.triggerGracefulShutdown()
            try await delivering
            return self.letters.withLock { $0 }
        }
    }

    /// Listens while `body` runs.
    func serve<Result: Sendable>(port: Int = 0, _ body: @Sendable (Int) async throws -> Result) async throws -> Result {
        let router = Router()
        router.add(middleware: TargetRecord(office: self))
        router.post("/hook") { [self] request, _ in
            let event = request.headers[HTTPField.Name("webhook-id")!] ?? ""
            let status = answer(event)
            let bytes = try await request.body.collect(upTo: 1 << 20)
            letters.withLock { $0.append(Letter(event: event, body: String(buffer: bytes), status: status)) }
            arrival.yield()
            return Response(status: status)
        }
        let (ports, isListening) = AsyncStream.makeStream(of: Int.self)
        let connections = OpenConnections()
        let listener = HTTPListener(
            host: "127.0.0.1", port: port,
            connection: HTTPConnection(router.buildResponder(), connections: connections, logger: logger),
            connections: connections, logger: logger, onReady: { isListening.yield($0) })
        let group = ServiceGroup(configuration: .init(services: [.init(service: listener)], logger: logger))
        async let serving: Void = group.run()
        for await port in ports {
            let result = try await body(port)
            await group.triggerGracefulShutdown()
            try await serving
            return result
        }
        throw CancellationError()
    }
}

/// Notes what is asked for.
private struct TargetRecord: RouterMiddleware {
    let office: PostOffice

    func handle(
        _ request: Request, context: BasicRequestContext,
        next: (Request, BasicRequestContext) async throws -> Response
    ) async throws -> Response {
        office.targets.withLock { $0.append(request.uri.string) }
        return try await next(request, context)
    }
}
