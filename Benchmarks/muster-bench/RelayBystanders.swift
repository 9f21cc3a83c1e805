import Foundation
import MusterTerminal
import MusterWire

/// Two devices of another team than the attackers', which send each other a message every 50 ms through the relay.
struct RelayBystanders: Attacker {
    let name = "relay, bystanders' messages"
    private let once: OneRequest
    private let keys: [String]
    private static let users = ["bystander-a", "bystander-b"]
    private static let secret = Array("for my own team alone".utf8)

    /// Whether bytes are of a bystander's message.
    static func isMessage(_ bytes: [UInt8]) -> Bool { bytes.starts(with: secret) }

    static func prepare(on server: BenchServer, _ once: OneRequest) async throws -> RelayBystanders {
        try await server.connection.makeUnlessThere("/teams", json: NewTeam(name: "bystanders"))
        var keys: [String] = []
        for user in users {
            try await server.connection.makeUnlessThere(
                "/users", json: NewUser(name: user, role: "member", team: "bystanders"))
            keys.append(try await Mallory.key(of: user, on: server))
        }
        return RelayBystanders(once: once, keys: keys)
    }

    func run(until end: ContinuousClock.Instant) async -> AttackTally {
        var tally = AttackTally()
        do {
            let sender = try await RelayLine.open(at: once, token: keys[0])
            defer { sender.close() }
            sender.send([.hello(name: "a", key: "a")])
            let receiver = try await RelayLine.open(at: once, token: keys[1])
            defer { receiver.close() }
            receiver.send([.hello(name: "b", key: "b")])
            while ContinuousClock.now < end, !sender.isOver, !receiver.isOver {
                if let number = await openStream(from: sender, to: receiver, &tally) {
                    await send(sender, receiver, number, until: end, &tally)
                }
            }
            if sender.isOver || receiver.isOver { tally.count(.unanswered, "lost the connection") }
        } catch {
            tally.count(.unanswered, "could not connect")
        }
        return tally
    }

    /// Opens stream 1 to the other device, which accepts it.
    ///
    /// - Returns: the stream's number there; nil if it is not open within five seconds.
    private func openStream(from sender: RelayLine, to receiver: RelayLine, _ tally: inout AttackTally) async
        -> UInt32?
    {
        var number: UInt32?
        for _ in 0..<500 {
            for frame in receiver.takeFrames() {
                check(frame, &tally)
                guard case .open(let stream, _) = frame else { continue }
                receiver.send([.accept(stream: stream)])
                number = stream
            }
            for frame in sender.takeFrames() {
                check(frame, &tally)
                if case .accept = frame { return number }
                if case .appeared(let peer) = frame { sender.send([.open(stream: 1, peer: peer.number)]) }
            }
            try? await Task.sleep(for: .milliseconds(10))
        }
        return nil
    }

    /// Sends messages one after another, and counts those that arrived within five seconds.
    private func send(
        _ sender: RelayLine, _ receiver: RelayLine, _ number: UInt32, until end: ContinuousClock.Instant,
        _ tally: inout AttackTally
    ) async {
        while ContinuousClock.now < end, !sender.isOver, !receiver.isOver {
            sender.send([.data(stream: 1, Self.secret)])
            var hasArrived = false
            for frame in await receiver.nextFrames() {
                check(frame, &tally)
                guard case .data(number, let bytes) = frame, bytes == Self.secret else { continue }
                receiver.send([.credit(stream: number, bytes: UInt32(bytes.count))])
                hasArrived = true
            }
            tally.count(hasArrived ? .answered : .unanswered, hasArrived ? "arrived" : "lost")
            for frame in sender.takeFrames() { check(frame, &tally) }
            try? await Task.sleep(for: .milliseconds(50))
        }
    }

    /// Counts a frame that comes of somebody outside the team.
    private func check(_ frame: RelayFrame, _ tally: inout AttackTally) {
        switch frame {
        case .appeared(let peer) where !Self.users.contains(peer.account):
            tally.count(.leaked, "LEAK: shown \(peer.account)")
        case .data(_, let bytes) where bytes != Self.secret: tally.count(.leaked, "LEAK: another's bytes")
        case .close(_, let closing): tally.count(.leaked, "LEAK: closed, \(closing)")
        default: break
        }
    }
}
