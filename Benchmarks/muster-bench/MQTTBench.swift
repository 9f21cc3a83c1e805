import ArgumentParser
import Foundation
import MusterTerminal
import MusterWire
import NIOCore
import NIOPosix
import Synchronization

extension Bench {
    /// Measures the memory of idle MQTT clients, the messages stored per second, and the delay until subscribers
    /// receive them.
    struct MQTT: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "mqtt", abstract: "MQTT clients: memory, QoS 1 publishes on disk, publish to subscriber.")
        @Option(help: "Clients that are connected and say nothing; mind `ulimit -n`.") var clients = 10_000
        @Option(help: "Phones that publish at once.") var phones = 64
        @Option(help: "Positions that each phone publishes.") var publishes = 5_000
        @Option(help: "Messages of a phone under way at a time.") var inFlight = 20
        @Option(help: "Positions whose way to a subscriber is timed, 100 a second.") var probes = 500
        @Option(help: "The port for the server to be measured.") var port = 18_830

        func validate() throws {
            guard clients >= 1, phones >= 1, publishes >= 1, (1...60).contains(inFlight), probes >= 1 else {
                throw ValidationError("counts must be positive, --in-flight at most 60")
            }
        }

        func run() async throws {
            let server = try await BenchServer.start(arguments: ["--mqtt-port", "\(port)"])
            defer { server.stop() }
            try await server.connection.makeUnlessThere("/teams", json: NewTeam(name: "bench"))
            try await server.makePeople(phones * usersEach + 1)
            announce("Muster, which acknowledges what is on disk:")
            try await measure(
                Measured(
                    name: "Muster", host: server.load.host, port: port, token: server.connection.token,
                    group: server.load.group
                ) { server.residentBytes })
            guard let peer = try MosquittoPeer.start(port: port + 1) else {
                Figures.recordAbsence(of: "mosquitto")
                return announce("The peer is skipped: mosquitto is not installed.")
            }
            defer { peer.stop() }
            announce("mosquitto with persistence, which acknowledges from memory and waits for no disk:")
            let measured = Measured(
                name: "mosquitto", host: "127.0.0.1", port: port + 1, token: "", group: server.load.group,
                isRetaining: true
            ) { peer.residentBytes }
            try await waitUntilReady(measured, peer)
            try await measure(measured)
        }

        /// OwnTracks' times are whole seconds, so a phone's connection reports for several users, each a second on in
        /// its turn: no sample is ahead of the server's clock, and none is older than the engine's tolerance.
        private var usersEach: Int { publishes / Self.spanSeconds + 1 }
        private static let spanSeconds = 40

        private func waitUntilReady(_ measured: Measured, _ peer: MosquittoPeer) async throws {
            for _ in 0..<100 {
                guard peer.isRunning else { throw CommandFailure("mosquitto ended at its start") }
                if let client = try? await measured.connect("first") { return client.close() }
                try await Task.sleep(for: .milliseconds(50))
            }
            throw CommandFailure("mosquitto does not answer")
        }

        private func measure(_ measured: Measured) async throws {
            try await measureMemory(of: measured)
            try await measurePublishing(to: measured)
            try await measureLatency(of: measured)
        }

        private func measureMemory(of measured: Measured) async throws {
            let before = measured.residentBytes()
            var open: [BenchClient] = []
            for number in 0..<clients { open.append(try await measured.connect("idle\(number)")) }
            let after = measured.residentBytes()
            Figures.record(measured.row("\(clients) clients"), bytes: after)
            announce("RSS before \(megabytes(before)), with \(clients) clients \(megabytes(after))")
            for client in open { client.close() }
        }

        private func measurePublishing(to measured: Measured) async throws {
            var senders: [BenchClient] = []
            for number in 0..<phones { senders.append(try await measured.connect("phone\(number)")) }
            let clock = ContinuousClock()
            let start = Int(Date().timeIntervalSince1970) - Self.spanSeconds - 1
            let taken = try await clock.measure {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for (number, sender) in senders.enumerated() {
                        group.addTask { [publishes, inFlight, usersEach] in
                            for index in 0..<publishes {
                                try await sender.waitForRoom(inFlight)
                                let user = number * usersEach + index % usersEach
                                sender.publish(user: "u\(user)", at: start + index / usersEach)
                            }
                            try await sender.waitForRoom(1)
                        }
                    }
                    try await group.waitForAll()
                }
            }
            let rate = Double(phones * publishes) / (taken / .seconds(1))
            Figures.record(measured.row("QoS 1 publishes"), "acknowledged/s", rate)
            announce("\(phones) phones, \(inFlight) under way each: \(Int(rate)) QoS 1 publishes/s acknowledged")
            for sender in senders { sender.close() }
        }

        private func measureLatency(of measured: Measured) async throws {
            let subscriber = try await measured.connect("subscriber")
            let sender = try await measured.connect("prober")
            let user = "u\(phones * usersEach)"
            try await subscriber.subscribe("owntracks/\(user)/phone")
            // One device, whose clock is behind, because it reports more often than once a second.
            let start = Int(Date().timeIntervalSince1970) - probes - 60
            var latencies: [Double] = []
            for index in 0..<probes {
                let sent = ContinuousClock.now
                let heard = subscriber.messages
                sender.publish(user: user, at: start + index)
                while subscriber.messages == heard {
                    guard sent.duration(to: .now) < .seconds(10) else { throw CommandFailure("a message got lost") }
                    try await Task.sleep(for: .microseconds(50))
                }
                latencies.append(sent.duration(to: .now) / .milliseconds(1))
                try await Task.sleep(for: .milliseconds(10))
            }
            latencies.sort()
            Figures.record(measured.row("publish to subscriber"), sortedMilliseconds: latencies)
            func share(_ part: Double) -> Double { latencies[Int(Double(latencies.count - 1) * part)] }
            announce(String(format: "publish to subscriber: p50 %.2f ms, p99 %.2f ms", share(0.5), share(0.99)))
            subscriber.close()
            sender.close()
        }
    }
}

/// A server that speaks MQTT.
private struct Measured: Sendable {
    let name: String
    let host: String
    let port: Int
    /// The password of the clients: of the user of the command line, who may report for every device.
    let token: String
    let group: any EventLoopGroup
    /// Whether publishes ask for being retained, as Muster retains the last position by itself.
    var isRetaining = false
    let residentBytes: @Sendable () -> Int?

    /// The name of a row of its figures.
    func row(_ name: String) -> String { "\(self.name): \(name)" }

    /// Connects a client.
    func connect(_ name: String) async throws -> BenchClient {
        let client = BenchClient(isRetaining: isRetaining)
        let bootstrap = ClientBootstrap(group: group).channelInitializer { channel in
            channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Reader(client)) }
        }
        try await client.open(try await bootstrap.connect(host: host, port: port).get(), named: name, token: token)
        return client
    }
}

/// One MQTT client.
private final class BenchClient: Sendable {
    private struct State {
        var channel: (any Channel)?
        var underWay = 0
        var answered = 0
        var messages = 0
        var nextID: UInt16 = 0
        var hasEnded = false
    }

    private let state = Mutex(State())
    private let isRetaining: Bool

    init(isRetaining: Bool) { self.isRetaining = isRetaining }

    /// The number of messages that the client has received.
    var messages: Int { state.withLock { $0.messages } }

    func open(_ channel: any Channel, named name: String, token: String) async throws {
        state.withLock { $0.channel = channel }
        send(
            .connect(
                MQTTConnect(
                    version: .v3, clientID: name, keepAliveSeconds: 0, userName: "", password: Array(token.utf8))))
        try await waitForAnswer(1)
    }

    func subscribe(_ filter: String) async throws {
        send(.subscribe(MQTTSubscribe(packetID: 1, [.init(filter, qos: .atLeastOnce)])))
        try await waitForAnswer(2)
    }

    func publish(user: String, at second: Int) {
        let id = state.withLock { state in
            state.underWay += 1
            state.nextID = state.nextID == .max ? 1 : state.nextID + 1
            return state.nextID
        }
        let payload = #"{"_type":"location","lat":46.5,"lon":14.5,"acc":9,"tid":"aa","tst":\#(second)}"#
        send(
            .publish(
                MQTTPublish(
                    topic: "owntracks/\(user)/phone", payload: Array(payload.utf8), qos: .atLeastOnce,
                    packetID: id, isRetained: isRetaining)))
    }

    /// Waits until fewer than `limit` messages of the client are unacknowledged.
    func waitForRoom(_ limit: Int) async throws {
        try await wait { $0.underWay < limit }
    }

    private func waitForAnswer(_ count: Int) async throws { try await wait { $0.answered >= count } }

    private func wait(until isDone: (borrowing State) -> Bool) async throws {
        let start = ContinuousClock.now
        while true {
            let (isDone, hasEnded) = state.withLock { (isDone($0), $0.hasEnded) }
            if isDone { return }
            guard !hasEnded else { throw CommandFailure("the server closed a connection") }
            guard start.duration(to: .now) < .seconds(30) else {
                throw CommandFailure("the server did not answer within 30 s")
            }
            try await Task.sleep(for: .microseconds(100))
        }
    }

    func receive(_ packet: MQTTPacket) {
        switch packet {
        case .connectAnswer(let answer) where answer.reason == .success: state.withLock { $0.answered += 1 }
        case .subscribeAnswer: state.withLock { $0.answered += 1 }
        case .acknowledgement: state.withLock { $0.underWay -= 1 }
        case .publish(let publish):
            if !publish.isRetained { state.withLock { $0.messages += 1 } }
            if let id = publish.packetID { send(.acknowledgement(.init(.published, of: id))) }
        default: break
        }
    }

    func end() { state.withLock { $0.hasEnded = true } }

    func close() { state.withLock { $0.channel }?.close(promise: nil) }

    private func send(_ packet: MQTTPacket) {
        state.withLock { $0.channel }?.writeAndFlush(ByteBuffer(bytes: packet.bytes(.v3)), promise: nil)
    }
}

/// Passes the packets that a channel receives to its client.
private final class Reader: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let client: BenchClient
    private var reader = MQTTPacketReader(limitBytes: 1 << 20, version: .v3)

    init(_ client: BenchClient) { self.client = client }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        reader.append(unwrapInboundIn(data).readableBytesView)
        do {
            while let packet = try reader.next() { client.receive(packet) }
        } catch {
            context.close(promise: nil)
        }
    }

    func channelInactive(context: ChannelHandlerContext) { client.end() }
}
