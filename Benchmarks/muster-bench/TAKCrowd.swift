import Foundation
import MusterCore
import MusterGeometry
import MusterTerminal
import MusterWire
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// TAK clients of some teams, each over TLS with a certificate of its own that opens the whereabouts of its team.
///
/// Each position carries its number as ten-millionths of a degree of longitude, by which those who get it know it.
final class TAKCrowd: Sendable {
    private struct State {
        var certificates: [Int: Certificate] = [:]
        var channels: [Int: any Channel] = [:]
        /// When the measured positions were due, by their number.
        var due: [Int: ContinuousClock.Instant] = [:]
        var latencies: [Double] = []
        var expected = 0
        var worstLateness = 0.0
        var closed = 0
    }

    private let clients: Int
    private let teams: Int
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let state = Mutex(State())
    private let key: TAKClientKey

    private struct Certificate: Decodable, Sendable {
        var certificate: String
        var authority: String
    }

    private struct CertificateRequest: Encodable {
        var request: String
        var days = 1.0
        var readsAsUser = true
    }

    private static let longitude = 14.0
    private static let perDegree = 1e7

    init(clients: Int, teams: Int) throws {
        self.clients = clients
        self.teams = teams
        // One key for all, because a key of RSA takes long to find. Each certificate is another all the same.
        key = try TAKClientKey()
    }

    /// Milliseconds from when each measured position was due until each other client of the team had it.
    var latencies: [Double] { state.withLock { $0.latencies } }
    /// How many measured positions should have arrived, those at several clients counted for each.
    var expected: Int { state.withLock { $0.expected } }
    /// How many milliseconds the most belated position was sent after it was due.
    var worstLateness: Double { state.withLock { $0.worstLateness } }

    private func team(of client: Int) -> Int { client % teams }

    private func sizeOfTeam(of client: Int) -> Int { (clients - team(of: client) + teams - 1) / teams }

    // MARK: Setting up

    /// Makes the teams, their leaders with a phone each, and a certificate for each phone, as `muster tak enroll
    /// --reads` does.
    func enroll(at server: BenchServer) async throws {
        for team in 0..<teams { try await server.connection.makeUnlessThere("/teams", json: NewTeam(name: "t\(team)")) }
        let token = server.connection.token
        let users = (0..<clients).map { number in
            HTTPAnswer.request(
                "POST", "/api/v1/users", token: token,
                body: Array(#"{"name":"u\#(number)","role":"leader","team":"t\#(team(of: number))"}"#.utf8))
        }
        let devices = (0..<clients).map { number in
            HTTPAnswer.request(
                "POST", "/api/v1/users/u\(number)/devices", token: token, body: Array(#"{"name":"phone"}"#.utf8))
        }
        for requests in [users, devices] {
            let outcome = try await server.load.run(BenchServer.dealt(requests, to: 16))
            guard outcome.failures.isEmpty else { throw CommandFailure("making people failed: \(outcome.failures)") }
        }
        let request = try key.request
        try await inParallel { [self] number in
            let answer = try await server.connection.send(
                "POST", "/users/u\(number)/devices/phone/certificate", json: CertificateRequest(request: request))
            let made = try JSONDecoder().decode(Certificate.self, from: answer)
            state.withLock { $0.certificates[number] = made }
        }
    }

    /// Connects every client.
    func connect(to server: BenchServer, port: Int) async throws {
        let privateKey = try NIOSSLPrivateKey(bytes: key.privateKey, format: .der)
        let made = state.withLock { $0.certificates }
        guard let first = made[0] else { throw CommandFailure("no client has a certificate") }
        let authority = try NIOSSLCertificate(bytes: Array(first.authority.utf8), format: .pem)
        try await inParallel { [self] number in
            var configuration = TLSConfiguration.makeClientConfiguration()
            let pem = Array((made[number]?.certificate ?? "").utf8)
            configuration.certificateChain = [.certificate(try NIOSSLCertificate(bytes: pem, format: .pem))]
            configuration.privateKey = .privateKey(privateKey)
            configuration.trustRoots = .certificates([authority])
            configuration.certificateVerification = .noHostnameVerification
            let context = try NIOSSLContext(configuration: configuration)
            let greeted = group.next().makePromise(of: Void.self)
            let channel = try await ClientBootstrap(group: group)
                .channelOption(.tcpOption(.tcp_nodelay), value: 1)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandlers(
                            NIOSSLClientHandler(context: context, serverHostname: nil),
                            TAKCrowdHandler(self, greeted))
                    }
                }
                .connect(host: server.load.host, port: port).get()
            try await greeted.futureResult.get()
            state.withLock { $0.channels[number] = channel }
        }
    }

    /// Does something for each client, eight at a time.
    private func inParallel(_ work: @escaping @Sendable (Int) async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for first in 0..<min(8, clients) {
                tasks.addTask { [clients] in
                    for number in stride(from: first, to: clients, by: 8) { try await work(number) }
                }
            }
            try await tasks.waitForAll()
        }
    }

    // MARK: Reporting

    /// Sends the position with this number. The clients take turns, and so do the teams.
    func report(_ number: Int, due: ContinuousClock.Instant, isMeasured: Bool) {
        let client = number % clients
        let channel = state.withLock { state -> (any Channel)? in
            state.worstLateness = max(state.worstLateness, due.duration(to: .now) / .milliseconds(1))
            if isMeasured {
                state.due[number] = due
                state.expected += sizeOfTeam(of: client) - 1
            }
            return state.channels[client]
        }
        let now = Instant.now
        let place = Coordinate(
            validLatitude: 46 + Double(client) / 1_000, longitude: Self.longitude + Double(number) / Self.perDegree)
        var detail = XMLElements()
        detail.add("takv", [("device", "bench"), ("platform", "ATAK-CIV"), ("os", "34"), ("version", "5.4.0")])
        detail.add("contact", [("callsign", "u\(client)"), ("endpoint", "*:-1:stcp")])
        detail.add("__group", [("name", "Cyan"), ("role", "Team Member")])
        detail.add("status", [("battery", "77")])
        detail.add("track", [("speed", "0.8"), ("course", "90")])
        let event = CoTMessage(
            uid: "ANDROID-\(client)", type: "a-f-G-U-C", time: now, stale: now.advanced(bySeconds: 75), at: place,
            height: 300, error: 8, detail: detail)
        channel?.writeAndFlush(ByteBuffer(bytes: event.xml), promise: nil)
    }

    /// Counts a position that a client got for the first time.
    fileprivate func hear(_ number: Int) {
        let now = ContinuousClock.now
        state.withLock { state in
            guard let due = state.due[number] else { return }
            state.latencies.append(due.duration(to: now) / .milliseconds(1))
        }
    }

    fileprivate func noteClosing() { state.withLock { $0.closed += 1 } }

    /// The number that a longitude carries.
    fileprivate static func number(at longitude: Double) -> Int {
        Int(((longitude - Self.longitude) * perDegree).rounded())
    }

    /// Waits until all that is expected has arrived; at most ten seconds.
    ///
    /// - Throws: when the server has closed a connection.
    func waitForRest() async throws {
        for _ in 0..<1_000 {
            let (heard, expected, closed) = state.withLock { ($0.latencies.count, $0.expected, $0.closed) }
            guard closed == 0 else { throw CommandFailure("the server closed \(closed) connections") }
            if heard >= expected { return }
            try await Task.sleep(for: .milliseconds(10))
        }
    }
}

/// One client: knows the newest position that it got of each other.
private final class TAKCrowdHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let crowd: TAKCrowd
    private var greeted: EventLoopPromise<Void>?
    private var frames = CoTFrames()
    private var newest: [String: Int] = [:]

    init(_ crowd: TAKCrowd, _ greeted: EventLoopPromise<Void>) {
        self.crowd = crowd
        self.greeted = greeted
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // The server speaks first, once it has admitted the certificate.
        greeted?.succeed()
        greeted = nil
        frames.append(unwrapInboundIn(data).readableBytesView)
        do {
            while let frame = try frames.next() {
                guard case .xml(let bytes) = frame, let event = try? bytes.withUnsafeBytes({ try CoTEvent(xml: $0) }),
                    event.type == "a-f-G-U-C", let place = event.point?.coordinate
                else { continue }
                let number = TAKCrowd.number(at: place.longitude)
                guard number > newest[event.uid] ?? -1 else { continue }
                newest[event.uid] = number
                crowd.hear(number)
            }
        } catch {
            context.close(promise: nil)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        greeted?.fail(BrokenConnection())
        greeted = nil
        crowd.noteClosing()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
