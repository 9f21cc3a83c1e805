import NIOCore
import Synchronization

/// A way to a server that is as bad as its seed: it cuts connections after any byte, in either direction, and holds
/// what it passes on, so that what was sent later on another connection arrives earlier.
///
/// What becomes of a connection follows from the seed and from how many there were before it. Nothing is held by a
/// clock: a piece waits for a number of turns of all others.
final class BadNetwork: Passage {
    /// What becomes of a connection.
    struct Fate: Sendable {
        /// Whether it was made before the network was bad: it ends with that.
        let isOfGoodTimes: Bool
        let room: Room
        /// How many turns a piece waits at most.
        let turns: Int
        let dice: Dice
    }

    /// How many bytes a connection may still pass, in both directions together.
    final class Room: Sendable {
        private let left: Mutex<Int?>

        /// - Parameter bytes: after how many it is cut; nil: never.
        init(_ bytes: Int?) { left = Mutex(bytes) }

        /// - Returns: how many of so many bytes pass.
        func take(_ wanted: Int) -> Int {
            left.withLock { left in
                guard let room = left else { return wanted }
                left = max(0, room - wanted)
                return min(room, wanted)
            }
        }
    }

    private let seed: UInt64
    let targetPort: Int
    private let state = Mutex((connections: UInt64(0), cuts: 0, isBad: false))

    /// The share of connections that is cut.
    private static let cutShare = 0.6
    /// The most bytes that pass before a cut. Most requests are smaller, so that many are cut in their middle.
    private static let mostBytes = 30_000
    private static let mostTurns = 300

    init(to targetPort: Int, seed: UInt64) {
        self.targetPort = targetPort
        self.seed = seed
    }

    /// How many connections were cut.
    var cuts: Int { state.withLock { $0.cuts } }

    /// Whether it is bad to connections from now on; it is good at first.
    func setBad(_ isBad: Bool) { state.withLock { $0.isBad = isBad } }

    func nextFate() -> Fate {
        state.withLock { state in
            state.connections += 1
            var dice = Dice(seed: seed &+ state.connections &* 0x9E37)
            guard state.isBad else { return Fate(isOfGoodTimes: true, room: Room(nil), turns: 0, dice: dice) }
            let isCut = Double.random(in: 0..<1, using: &dice) < Self.cutShare
            let bytes = isCut ? Int.random(in: 0..<Self.mostBytes, using: &dice) : nil
            return Fate(isOfGoodTimes: false, room: Room(bytes), turns: Self.mostTurns, dice: dice)
        }
    }

    func passOn(_ pieces: Source, to server: Sink, answeringTo _: Sink, _ fate: Fate) async throws {
        try await pump(pieces, server, fate)
    }

    func passBack(_ pieces: Source, to client: Sink, _ fate: Fate) async throws {
        try await pump(pieces, client, fate)
    }

    private func pump(_ source: Source, _ sink: Sink, _ fate: Fate) async throws {
        var dice = fate.dice
        for try await var piece in source {
            for _ in 0..<Int.random(in: 0...fate.turns, using: &dice) { await Task.yield() }
            let length = piece.readableBytes
            // In good times nothing is cut, also on a connection of bad times.
            let isBad = state.withLock { $0.isBad }
            let passed = !isBad ? length : fate.isOfGoodTimes ? 0 : fate.room.take(length)
            if let head = piece.readSlice(length: passed), passed > 0 { try await sink.write(head) }
            guard passed == length else { return state.withLock { $0.cuts += 1 } }
        }
    }
}
