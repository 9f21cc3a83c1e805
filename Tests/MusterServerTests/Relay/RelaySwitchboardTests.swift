import MusterCore
import MusterWire
import NIOCore
import Testing

@testable import MusterServer

/// Who sees whom, what streams carry, and what one device can take from others.
@Suite struct RelaySwitchboardTests {
    /// A switchboard, and what each device has received.
    private struct Board {
        var switchboard: RelaySwitchboard
        private var readers: [UInt32: RelayFrameReader] = [:]

        init(_ change: (inout RelayLimits) -> Void = { _ in }) {
            var limits = RelayLimits()
            change(&limits)
            switchboard = RelaySwitchboard(limits)
        }

        mutating func connect(_ user: Int32, team: Int32 = 1) throws -> UInt32 {
            try switchboard.admit(UserNumber(user), account: "user\(user)", team: TeamNumber(team))
        }

        /// Connects a device that says hello.
        mutating func enter(_ user: Int32, team: Int32 = 1, name: String? = nil) throws -> UInt32 {
            let id = try connect(user, team: team)
            try send(.hello(name: name ?? "device\(user)", key: "0\(user)"), from: id)
            return id
        }

        mutating func send(_ frame: RelayFrame, from id: UInt32) throws { try switchboard.receive(frame, from: id) }

        /// What the device has received since the last call.
        mutating func received(by id: UInt32) throws -> [RelayFrame] {
            var reader = readers[id] ?? RelayFrameReader()
            while let next = switchboard.takeOutbox(of: id, upTo: 1_000) { reader.append(next.bytes.readableBytesView) }
            var frames: [RelayFrame] = []
            while let frame = try reader.next() { frames.append(frame) }
            readers[id] = reader
            return frames
        }

        /// Opens a stream from one device to another, which accepts it. Returns its numbers at both.
        mutating func open(from id: UInt32, to other: UInt32, as stream: UInt32 = 1) throws -> (UInt32, UInt32) {
            try send(.open(stream: stream, peer: other), from: id)
            let opened = try received(by: other).compactMap {
                if case .open(let stream, id) = $0 { stream } else { nil }
            }
            let incoming = try #require(opened.last)
            try send(.accept(stream: incoming), from: other)
            #expect(try received(by: id).last == .accept(stream: stream))
            return (stream, incoming)
        }
    }

    private static func peer(_ id: UInt32, _ user: Int32) -> RelayPeer {
        RelayPeer(number: id, account: "user\(user)", name: "device\(user)", key: "0\(user)")
    }

    @Test func `devices of a team see each other once both have said hello, and when one goes`() throws {
        var board = Board()
        let ana = try board.enter(1)
        let ben = try board.connect(2)
        #expect(try board.received(by: ana).count == 1)
        #expect(try board.received(by: ben).isEmpty)
        try board.send(.hello(name: "device2", key: "02"), from: ben)
        #expect(try board.received(by: ana) == [.appeared(Self.peer(ben, 2))])
        #expect(try board.received(by: ben).last == .appeared(Self.peer(ana, 1)))
        board.switchboard.leave(ben)
        #expect(try board.received(by: ana) == [.gone(peer: ben)])
        #expect(board.switchboard.takeOutbox(of: ben, upTo: 1) == nil)
    }

    @Test func `a device of another team is invisible, and looks like a missing one`() throws {
        var board = Board()
        let ana = try board.enter(1)
        let eve = try board.enter(9, team: 2)
        _ = (try board.received(by: ana), try board.received(by: eve))
        for peer in [ana, 12_345, eve] { try board.send(.open(stream: 1, peer: peer), from: eve) }
        #expect(
            try board.received(by: eve) == [RelayFrame](repeating: .close(stream: 1, .absent), count: 3))
        #expect(try board.received(by: ana).isEmpty)
        board.switchboard.leave(eve)
        #expect(try board.received(by: ana).isEmpty)
    }

    @Test func `bytes go from end to end in order, each end with its own number`() throws {
        var board = Board()
        let (ana, ben) = (try board.enter(1), try board.enter(2))
        let (outgoing, incoming) = try board.open(from: ana, to: ben, as: 5)
        #expect(outgoing == 5 && incoming >= RelayFrame.firstIncoming)
        for byte in UInt8(0)..<3 { try board.send(.data(stream: 5, [byte]), from: ana) }
        try board.send(.data(stream: incoming, [9]), from: ben)
        #expect(try board.received(by: ben) == (0..<3).map { .data(stream: incoming, [$0]) })
        #expect(try board.received(by: ana) == [.data(stream: 5, [9])])
        try board.send(.close(stream: 5, .done), from: ana)
        #expect(try board.received(by: ben) == [.close(stream: incoming, .done)])
        // What was on its way when the stream was closed is dropped.
        try board.send(.data(stream: incoming, [9]), from: ben)
        #expect(try board.received(by: ana).isEmpty)
        #expect(board.switchboard.owedInAll == 0 && board.switchboard.counts.openStreams == 0)
    }

    @Test func `a device that dies ends its streams at the others`() throws {
        var board = Board()
        let (ana, ben) = (try board.enter(1), try board.enter(2))
        let (_, incoming) = try board.open(from: ana, to: ben)
        try board.send(.data(stream: 1, [1]), from: ana)
        _ = try board.received(by: ben)
        board.switchboard.leave(ana)
        #expect(try board.received(by: ben) == [.close(stream: incoming, .gone), .gone(peer: ana)])
        #expect(board.switchboard.owedInAll == 0)
    }

    @Test func `frames out of place are errors`() throws {
        var board = Board()
        let (ana, ben) = (try board.enter(1), try board.enter(2))
        let silent = try board.connect(3)
        func check(_ frame: RelayFrame, from id: UInt32) {
            var board = board
            #expect(throws: RelayError.self, "\(frame)") { try board.send(frame, from: id) }
        }
        check(.ping, from: silent)
        check(.hello(name: "again", key: "01"), from: ana)
        check(.open(stream: 0, peer: ben), from: ana)
        check(.open(stream: RelayFrame.firstIncoming, peer: ben), from: ana)
        for frame: RelayFrame in [.pong, .gone(peer: ben), .appeared(Self.peer(ben, 2)), .farewell(.slow)] {
            check(frame, from: ana)
        }
        let (_, incoming) = try board.open(from: ana, to: ben)
        check(.open(stream: 1, peer: ben), from: ana)
        check(.accept(stream: 1), from: ana)
        check(.accept(stream: incoming), from: ben)
        check(.credit(stream: incoming, bytes: 1), from: ben)
        try board.send(.open(stream: 2, peer: ben), from: ana)
        check(.data(stream: 2, [1]), from: ana)
    }

    @Test func `a slow reader costs its sender the stream, and no other stream anything`() throws {
        var board = Board {
            $0.windowBytes = 1_000
            $0.owedBytes = 2_500
        }
        let (ana, ben, cyd) = (try board.enter(1), try board.enter(2), try board.enter(3))
        let (_, toCyd) = try board.open(from: ana, to: cyd, as: 9)
        for stream in UInt32(1)...3 { _ = try board.open(from: ana, to: ben, as: stream) }
        _ = try board.received(by: ana)
        let full = [UInt8](repeating: 1, count: 1_000)
        // Nobody may send more than the window, whatever the reader does.
        var over = board
        try over.send(.data(stream: 1, full), from: ana)
        #expect(throws: RelayError.overCredit) { try over.send(.data(stream: 1, [1]), from: ana) }
        for stream in UInt32(1)...3 { try board.send(.data(stream: stream, full), from: ana) }
        #expect(try board.received(by: ana) == [.close(stream: 3, .slow)])
        #expect(board.switchboard.owedInAll == 2_000)
        try board.send(.data(stream: 9, full), from: ana)
        #expect(try board.received(by: cyd) == [.data(stream: toCyd, full)])
        // Once ben reads, there is room again.
        let read = try board.received(by: ben)
        let first = try #require(read.compactMap { if case .data(let stream, _) = $0 { stream } else { nil } }.first)
        try board.send(.credit(stream: first, bytes: 1_000), from: ben)
        #expect(try board.received(by: ana) == [.credit(stream: 1, bytes: 1_000)])
        try board.send(.data(stream: 1, full), from: ana)
        #expect(try board.received(by: ben) == [.data(stream: first, full)])
    }

    @Test func `a device that does not read the relay's frames loses its connection`() throws {
        var board = Board { $0.waitingBytes = 200 }
        let ana = try board.enter(1)
        for user in Int32(2)..<12 { board.switchboard.leave(try board.enter(user)) }
        #expect(try board.received(by: ana).last == .farewell(.slow))
        #expect(board.switchboard.counts.farewells == [.slow: 1])
        let ben = try board.enter(20)
        #expect(try board.received(by: ben).count == 1)
    }

    @Test func `data sent to a slow device is bounded in memory`() throws {
        var board = Board()
        let (ana, ben) = (try board.enter(1), try board.enter(2))
        let (_, incoming) = try board.open(from: ana, to: ben)
        _ = try board.received(by: ana)
        let part = [UInt8](repeating: 1, count: 10_000)
        try board.send(.data(stream: 1, part), from: ana)
        for _ in 0..<1_000 {
            try board.send(.data(stream: 1, part), from: ana)
            let next = board.switchboard.takeOutbox(of: ben, upTo: part.count + 7)
            let taken = try #require(next)
            #expect(taken.bytes.readableBytes == part.count + 7 && !taken.isLast)
            try board.send(.credit(stream: incoming, bytes: UInt32(part.count)), from: ben)
            _ = try board.received(by: ana)
        }
        let outbox = try #require(board.switchboard.devices[ben]).outbox
        #expect(outbox.readableBytes == part.count + 7)
        #expect(outbox.storageCapacity < 200_000)
    }

    @Test func `each bound refuses what is beyond it`() throws {
        var board = Board {
            $0.connectionsOfUser = 2
            $0.connectionsOfTeam = 3
            $0.connections = 4
            $0.streams = 1
        }
        let ana = try board.enter(1, name: "phone")
        let other = try board.enter(1, name: "watch")
        #expect(throws: RelayRefusal.userHasItsShare(limit: 2)) { try board.connect(1) }
        let ben = try board.enter(2)
        #expect(throws: RelayRefusal.teamHasItsShare(limit: 3)) { try board.connect(3) }
        _ = try board.enter(4, team: 2)
        #expect(throws: RelayRefusal.isFull) { try board.connect(5, team: 3) }
        _ = try board.open(from: ana, to: ben)
        try board.send(.open(stream: 2, peer: other), from: ana)
        try board.send(.open(stream: 1, peer: ben), from: other)
        #expect(try board.received(by: ana).last == .close(stream: 2, .tooMany))
        #expect(try board.received(by: other).last == .close(stream: 1, .tooMany))
        board.switchboard.leave(other)
        _ = try board.connect(1)
    }

    @Test func `a device that reconnects replaces its own lost connection, and no other's`() throws {
        var board = Board()
        let ana = try board.enter(1)
        let impostor = try board.connect(2)
        try board.send(.hello(name: "device1", key: "01"), from: impostor)
        #expect(
            try board.received(by: ana).last
                == .appeared(
                    RelayPeer(number: impostor, account: "user2", name: "device1", key: "01")))
        let again = try board.enter(1)
        #expect(try board.received(by: ana).last == .farewell(.replaced))
        #expect(try board.received(by: impostor).suffix(2) == [.gone(peer: ana), .appeared(Self.peer(again, 1))])
    }

    @Test func `a user who sends too much is read more slowly, also with many small frames, and others are not`() throws
    {
        var board = Board {
            $0.bytesPerSecond = 1_000
            $0.burstBytes = 10_000
        }
        let (ana, ben) = (try board.enter(1), try board.enter(2))
        let now = ContinuousClock.now
        #expect(board.switchboard.charge([.ping], bytes: 9_000, of: ana, at: now) == 0)
        #expect(board.switchboard.charge([.ping], bytes: 2_936, of: ana, at: now) > 1.9)
        #expect(board.switchboard.charge([.ping], bytes: 1_000, of: ben, at: now) == 0)
        let small = [RelayFrame](repeating: .data(stream: 1, [1]), count: 200)
        #expect(board.switchboard.charge(small, bytes: 1_600, of: ben, at: now) > 5)
        #expect(board.switchboard.charge([.ping], bytes: 0, of: ana, at: now + .seconds(60)) == 0)
        // A frame of the WebSocket that brings nothing costs as much.
        let cyd = try board.enter(3)
        for _ in 0..<200 { _ = board.switchboard.charge([], bytes: 0, of: cyd, at: now) }
        #expect(board.switchboard.charge([], bytes: 0, of: cyd, at: now) > 2)
    }
}
