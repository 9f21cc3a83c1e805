import Foundation
import MusterTerminal
import MusterWire
import NIOCore
import NIOPosix
import Synchronization

/// Members of one team who attack the relay: they exhaust it, break its protocol, and look for the streams of a team
/// to which they do not belong, while two members of that team send each other messages.
///
/// Whatever arrives at the attackers of the other team, or at the other team of the attackers, is a leak.
struct RelayAttack: Attacker {
    enum Way: String, CaseIterable { case exhaust, disorder, peek }

    let name: String
    private let way: Way
    private let once: OneRequest
    /// The API key of each lane's user, because the relay limits what a user sends.
    private let keys: [String]

    /// What begins the name of each attacker's account.
    private static let accounts = "relay-mallory"

    private static func account(_ way: Way, _ lane: Int) -> String { "\(accounts)-\(way.rawValue)-\(lane)" }

    private static let lanesOfWay = 3
    /// Connections that a lane opens at once in order to exhaust the relay; a user may have eight.
    private static let connections = 12
    /// Streams that a lane opens on a connection; a connection may have 160.
    private static let streams = 200
    /// Peers, and streams, whose numbers are tried at a time in order to find another team's.
    private static let guesses: UInt32 = 100
    /// How long who exhausts the relay waits for it.
    private static let patience = Duration.milliseconds(300)

    static func prepare(on server: BenchServer, group: any EventLoopGroup) async throws -> [any Attacker] {
        let once = OneRequest(host: server.load.host, port: server.load.port, group: group)
        try await server.connection.makeUnlessThere("/teams", json: NewTeam(name: "relay-attackers"))
        var attackers: [any Attacker] = []
        for way in Way.allCases {
            var keys: [String] = []
            for lane in 0..<lanesOfWay {
                let user = account(way, lane)
                try await server.connection.makeUnlessThere(
                    "/users", json: NewUser(name: user, role: "member", team: "relay-attackers"))
                keys.append(try await Mallory.key(of: user, on: server))
            }
            attackers.append(RelayAttack(name: "relay, \(way.rawValue)", way: way, once: once, keys: keys))
        }
        return attackers + [try await RelayBystanders.prepare(on: server, once)]
    }

    func run(until end: ContinuousClock.Instant) async -> AttackTally {
        await withTaskGroup(of: AttackTally.self) { tasks in
            for lane in keys.indices { tasks.addTask { await run(lane, until: end) } }
            return await tasks.reduce(into: AttackTally()) { $0.merge($1) }
        }
    }

    private func run(_ lane: Int, until end: ContinuousClock.Instant) async -> AttackTally {
        let key = keys[lane]
        var tally = AttackTally()
        var turn = 0
        while ContinuousClock.now < end {
            switch way {
            case .exhaust: await exhaust(key, of: Self.account(way, lane), &tally)
            case .disorder: await disorder(key, turn, &tally)
            case .peek: await peek(key, turn, &tally)
            }
            turn += 1
            try? await Task.sleep(for: .milliseconds(20))
        }
        return tally
    }

    private func open(_ key: String, _ tally: inout AttackTally) async -> RelayLine? {
        do {
            let line = try await RelayLine.open(at: once, token: key)
            tally.count(.answered, "connected")
            return line
        } catch let refused as RelayLine.Refused {
            tally.count(.refused, String(refused.status))
        } catch {
            tally.count(.unanswered, "none")
        }
        return nil
    }

    // MARK: Exhausting it

    /// Opens more connections than a user may have, on the first of them more streams to another than it may have, and
    /// sends on each as much as may be on its way. Nobody reads it.
    private func exhaust(_ key: String, of account: String, _ tally: inout AttackTally) async {
        var lines: [RelayLine] = []
        defer { for line in lines { line.close() } }
        for number in 0..<Self.connections {
            guard let line = await open(key, &tally) else { continue }
            line.send([.hello(name: "exhaust \(number)", key: "e")])
            lines.append(line)
        }
        guard let first = lines.first else { return }
        var (peer, accepted): (UInt32?, [UInt32]) = (nil, [])
        func count(_ frames: [RelayFrame]) {
            for frame in frames {
                switch frame {
                case .appeared(let other) where other.account == account: peer = other.number
                case .close(_, let closing): tally.count(.refused, "closed: \(closing)")
                case .farewell(let farewell): tally.count(.refused, "farewell: \(farewell)")
                case .accept(let stream):
                    tally.count(.answered, "streams")
                    accepted.append(stream)
                default: break
                }
            }
        }
        try? await Task.sleep(for: Self.patience)
        count(first.takeFrames())
        guard let peer else { return tally.count(.unanswered, "none") }
        for stream in 1...UInt32(Self.streams) { first.send([.open(stream: stream, peer: peer)]) }
        try? await Task.sleep(for: Self.patience)
        for line in lines.dropFirst() {
            for case .open(let stream, _) in line.takeFrames() { line.send([.accept(stream: stream)]) }
        }
        try? await Task.sleep(for: Self.patience)
        count(first.takeFrames())
        let piece = [UInt8](repeating: 0x78, count: RelayFrame.dataLimit)
        for stream in accepted { for _ in 0..<2 { first.send([.data(stream: stream, piece)]) } }
        try? await Task.sleep(for: Self.patience)
        count(first.takeFrames())
    }

    // MARK: Breaking its protocol

    /// Frames of which the last has no place where it is, and bytes that are no frames.
    private static let disorders: [[UInt8]] = {
        let hello = RelayFrame.hello(name: "disorder", key: "d").bytes
        let untimely: [RelayFrame] = [
            .hello(name: "disorder", key: "d"), .welcome(RelayTerms(windowBytes: 1, streams: 1, silenceSeconds: 1)),
            .appeared(RelayPeer(number: 1, account: "u1", name: "phone", key: "a")), .gone(peer: 1), .pong,
            .farewell(.stopping), .open(stream: 0, peer: 1), .open(stream: RelayFrame.firstIncoming, peer: 1),
        ]
        let early: [RelayFrame] = [
            .open(stream: 1, peer: 1), .accept(stream: 1), .data(stream: 1, [1]), .credit(stream: 1, bytes: 1),
            .close(stream: 1, .done), .ping,
        ]
        let noFrames: [[UInt8]] = [
            [0, 0], [0xFF, 0xFF, 1], [0, 1, 99], [0, 3, 1, 1, 200], [0, 6, 8, 0, 0, 0, 1, 0], [0, 2, 12, 77],
        ]
        return untimely.map { hello + $0.bytes } + early.map(\.bytes) + noFrames.map { hello + $0 }
    }()

    /// Sends one of them, and counts whether the server ended the connection.
    private func disorder(_ key: String, _ turn: Int, _ tally: inout AttackTally) async {
        guard let line = await open(key, &tally) else { return }
        defer { line.close() }
        line.send(bytes: Self.disorders[turn % Self.disorders.count] + RelayFrame.ping.bytes)
        let end = ContinuousClock.now + .seconds(5)
        while ContinuousClock.now < end {
            for frame in await line.nextFrames(within: 1) {
                switch frame {
                case .farewell(let farewell): return tally.count(.refused, "farewell: \(farewell)")
                case .pong: return tally.count(.answered, "went on")
                default: break
                }
            }
            if line.isOver { return tally.count(.refused, "closed") }
        }
        tally.count(.unanswered, "none")
    }

    // MARK: Looking for other teams' streams

    /// Opens streams to peers of guessed numbers, and sends frames for streams of guessed numbers.
    private func peek(_ key: String, _ turn: Int, _ tally: inout AttackTally) async {
        guard let line = await open(key, &tally) else { return }
        defer { line.close() }
        line.send([.hello(name: "peek", key: "f")])
        let first = UInt32(turn % 20) * Self.guesses + 1
        var peerOfStream: [UInt32: UInt32] = [:]
        for number in 1...Self.guesses {
            peerOfStream[number] = first + number - 1
            let incoming = RelayFrame.firstIncoming + number - 1
            line.send([.open(stream: number, peer: first + number - 1)])
            line.send([
                .accept(stream: incoming), .credit(stream: incoming, bytes: 1_000), .data(stream: incoming, [1]),
                .close(stream: incoming, .done),
            ])
        }
        line.send([.ping])
        var own: Set<UInt32> = []
        let end = ContinuousClock.now + .seconds(10)
        while ContinuousClock.now < end {
            for frame in await line.nextFrames(within: 1) {
                switch frame {
                case .appeared(let peer) where peer.account.hasPrefix(Self.accounts): own.insert(peer.number)
                case .appeared(let peer): tally.count(.leaked, "LEAK: shown \(peer.account)")
                case .open(_, let peer) where !own.contains(peer): tally.count(.leaked, "LEAK: a stream")
                case .data(_, let bytes) where RelayBystanders.isMessage(bytes):
                    tally.count(.leaked, "LEAK: a message")
                case .close(_, .absent): tally.count(.refused, "closed: absent")
                case .close(let stream, _), .accept(let stream):
                    // A stream to one of the own team.
                    guard let peer = peerOfStream[stream], !own.contains(peer) else { continue }
                    tally.count(.leaked, "LEAK: peer \(peer) is there")
                case .farewell(let farewell): return tally.count(.refused, "farewell: \(farewell)")
                case .pong: return
                default: break
                }
            }
            if line.isOver { return tally.count(.refused, "closed") }
        }
        tally.count(.unanswered, "none")
    }
}
