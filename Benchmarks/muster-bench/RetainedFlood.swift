import Foundation
import MusterTerminal
import MusterWire
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// A member whose MQTT clients publish messages that are to be retained, each to a topic of another device, of a user
/// of another team, or of nobody.
struct RetainedFlood: Attacker {
    let name = "mqtt, retained messages"
    private static let clients = 8
    /// Messages that each client publishes in a tick.
    private static let messagesOfTick = 4
    private static let tick = Duration.milliseconds(20)
    /// One message in so many has a large payload.
    private static let largeEach = 100

    private let address: (host: String, port: Int)
    private let key: String
    /// Where the server has a certificate, its port for MQTT speaks TLS.
    private let tls: NIOSSLContext?
    private let group: any EventLoopGroup

    static func prepare(
        on server: BenchServer, _ mallory: Mallory, group: any EventLoopGroup
    ) async throws -> RetainedFlood {
        guard let port = server.mqttPort else { throw CommandFailure("the server has no port for MQTT") }
        return RetainedFlood(
            address: (server.load.host, port), key: try await Mallory.key(of: Mallory.name, on: server),
            tls: server.tlsPort == nil ? nil : try UnreadTLS.trustingContext(), group: group)
    }

    func run(until end: ContinuousClock.Instant) async -> AttackTally {
        await withTaskGroup(of: AttackTally.self) { tasks in
            for number in 0..<Self.clients { tasks.addTask { await run(number, until: end) } }
            return await tasks.reduce(into: AttackTally()) { $0.merge($1) }
        }
    }

    /// Publishes on one connection, and on a new one when the server closes it.
    private func run(_ number: Int, until end: ContinuousClock.Instant) async -> AttackTally {
        let flood = Flood()
        var turn = number
        while ContinuousClock.now < end {
            do {
                let channel = try await connect("flood\(number)", flood)
                while ContinuousClock.now < end, channel.isActive {
                    for _ in 0..<Self.messagesOfTick where flood.hasRoom {
                        flood.publish(Self.message(turn), on: channel)
                        turn += Self.clients
                    }
                    try await Task.sleep(for: Self.tick)
                }
                try? await channel.close()
            } catch {
                try? await Task.sleep(for: .milliseconds(100))
            }
        }
        return flood.tally
    }

    private func connect(_ client: String, _ flood: Flood) async throws -> any Channel {
        let channel = try await ClientBootstrap(group: group)
            .channelInitializer { [tls] channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls {
                        try channel.pipeline.syncOperations.addHandler(
                            NIOSSLClientHandler(context: tls, serverHostname: nil))
                    }
                    try channel.pipeline.syncOperations.addHandler(FloodHandler(flood))
                }
            }
            .connect(host: address.host, port: address.port).get()
        let connect = MQTTConnect(
            version: .v5, clientID: client, keepAliveSeconds: 0, userName: Mallory.name, password: Array(key.utf8))
        try await channel.writeAndFlush(ByteBuffer(bytes: MQTTPacket.connect(connect).bytes(.v5)))
        return channel
    }

    private static func message(_ turn: Int) -> (topic: String, payload: [UInt8]) {
        let second = Int(Date().timeIntervalSince1970)
        let note = turn % largeEach == 0 ? #","note":"\#(String(repeating: "x", count: 200_000))""# : ""
        let payload = #"{"_type":"location","lat":46.5,"lon":14.5,"acc":9,"tid":"aa","tst":\#(second)\#(note)}"#
        let topic =
            switch turn % 4 {
            case 0, 1: "owntracks/\(Mallory.name)/d\(turn)"
            case 2: "owntracks/u1/phone"
            default: "notes/\(turn)"
            }
        return (topic, Array(payload.utf8))
    }
}

/// What one client of the flood has under way, and what was answered.
private final class Flood: Sendable {
    private struct State {
        var isOpen = false
        var underWay = 0
        var nextID: UInt16 = 0
        var tally = AttackTally()
    }

    /// As many as the server lets a client have under way (its Receive Maximum).
    private static let room = 64
    private let state = Mutex(State())

    var tally: AttackTally { state.withLock { $0.tally } }
    var hasRoom: Bool { state.withLock { $0.isOpen && $0.underWay < Self.room } }

    func publish(_ message: (topic: String, payload: [UInt8]), on channel: any Channel) {
        let id = state.withLock { state in
            state.underWay += 1
            state.nextID = state.nextID == .max ? 1 : state.nextID + 1
            return state.nextID
        }
        let publish = MQTTPublish(
            topic: message.topic, payload: message.payload, qos: .atLeastOnce, packetID: id, isRetained: true)
        channel.writeAndFlush(ByteBuffer(bytes: MQTTPacket.publish(publish).bytes(.v5)), promise: nil)
    }

    func receive(_ packet: MQTTPacket) {
        state.withLock { state in
            switch packet {
            case .connectAnswer(let answer):
                state.isOpen = answer.reason == .success
                if !state.isOpen { state.tally.count(.refused, "\(answer.reason)") }
            case .acknowledgement(let answer):
                state.underWay -= 1
                state.tally.count(answer.reason.rawValue < 0x80 ? .answered : .refused, "\(answer.reason)")
            case .disconnect(let reason, _): state.tally.count(.refused, "\(reason)")
            default: break
            }
        }
    }

    /// Counts what was under way when the connection ended.
    func end() {
        state.withLock { state in
            for _ in 0..<state.underWay { state.tally.count(.unanswered, "none") }
            (state.isOpen, state.underWay) = (false, 0)
        }
    }
}

/// Passes the packets that a channel receives to its client.
private final class FloodHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let flood: Flood
    private var reader = MQTTPacketReader(limitBytes: 1 << 20, version: .v5)

    init(_ flood: Flood) { self.flood = flood }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        reader.append(unwrapInboundIn(data).readableBytesView)
        do {
            while let packet = try reader.next() { flood.receive(packet) }
        } catch {
            context.close(promise: nil)
        }
    }

    func channelInactive(context: ChannelHandlerContext) { flood.end() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
