import HTTPTypes
import Hummingbird
import Logging
import MusterCore
import MusterWire
import NIOCore
import NIOEmbedded
import Testing

@testable import MusterHTTP
@testable import MusterServer

/// The relay's route: who is let in, what a connection becomes, and when it ends.
@Suite struct RelayConnectionTests {
    private static let path = "/api/v1/nearby/relay"

    /// A connection of a client, on an event loop whose clock stands still until it is moved.
    private final class Wire {
        let channel = NIOAsyncTestingChannel()
        private var received = ByteBuffer()
        private var reader = RelayFrameReader()

        init(_ office: Office, _ connections: OpenConnections = OpenConnections()) async throws {
            let logger = Logger(label: "test")
            let responder = office.endpoints.router(logger: logger).buildResponder()
            let connection = HTTPConnection(responder, connections: connections, logger: logger)
            _ = try await channel.testingEventLoop.executeInContext { [channel] in
                connection.setup(channel: channel, logger: logger)
            }.get()
            try await channel.connect(to: .init(unixDomainSocketPath: "/client"))
        }

        /// Asks for the relay with a key, and returns the head of the answer.
        func ask(with key: String, _ field: String = "X: y") async throws -> String {
            let request = """
                GET \(path) HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(key)\r\nConnection: keep-alive, Upgrade\r
                Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
                Sec-WebSocket-Protocol: other, muster-relay.1\r\n\(field)\r\n\r\n
                """
            try await channel.writeInbound(ByteBuffer(string: request))
            var head = ""
            while !head.contains("\r\n\r\n") {
                head += String(buffer: try await channel.waitForOutboundWrite(as: ByteBuffer.self))
            }
            return head
        }

        /// Sends frames of the relay in one frame of the WebSocket, whose mask changes nothing.
        func send(_ frames: RelayFrame...) async throws {
            let bytes = frames.flatMap(\.bytes)
            var buffer = ByteBuffer(bytes: [0x82, 0x80 | UInt8(bytes.count), 0, 0, 0, 0])
            buffer.writeBytes(bytes)
            try await channel.writeInbound(buffer)
        }

        /// Returns the next frame of the relay.
        func next() async throws -> RelayFrame {
            while true {
                if let frame = try reader.next() { return frame }
                var part = try await channel.waitForOutboundWrite(as: ByteBuffer.self)
                received.writeBuffer(&part)
                while let payload = nextPayload() { reader.append(payload) }
            }
        }

        private func nextPayload() -> [UInt8]? {
            guard let head = received.getBytes(at: received.readerIndex, length: 2) else { return nil }
            let isLong = head[1] == 126
            let long = received.getInteger(at: received.readerIndex + 2, as: UInt16.self)
            guard !isLong || long != nil else { return nil }
            let (start, count) = isLong ? (4, Int(long ?? 0)) : (2, Int(head[1]))
            guard received.readableBytes >= start + count else { return nil }
            received.moveReaderIndex(forwardBy: start)
            return received.readBytes(length: count)
        }

        func pass(seconds: Int64) async { await channel.testingEventLoop.advanceTime(by: .seconds(seconds)) }
    }

    private func isOver(_ wire: Wire) async -> Bool {
        await wire.channel.testingEventLoop.run()
        return !wire.channel.isActive
    }

    @Test func `each role is admitted or refused, and a request for another WebSocket is refused`() async throws {
        try await Office().open { desk in
            let office = desk.office
            var fields = HTTPFields()
            fields[.connection] = "Upgrade"
            fields[.upgrade] = "websocket"
            fields[.secWebSocketVersion] = "13"
            fields[.secWebSocketKey] = "dGhlIHNhbXBsZSBub25jZQ=="
            fields[.secWebSocketProtocol] = "muster-relay.1"
            // Without a connection of its own, a request that is let in is told that there is no WebSocket.
            let expected: [(String, Int)] = [
                ("mia", 426), ("lena", 426), ("sue", 426), ("admin", 426), ("ann", 426), ("gus", 403),
            ]
            for (name, status) in expected {
                let answer = try await desk.send(.get, "/nearby/relay", as: name, headers: fields)
                #expect(answer.status == status, "\(name)")
            }
            #expect(try await desk.send(.get, "/nearby/relay", headers: fields).status == 401)
            let token = try await office.identity.makeDeviceToken(for: try office.phone(of: "mia").number)
            let device = try await desk.send(
                .get, "/nearby/relay", authorization: "Bearer \(token)", headers: fields)
            #expect(device.status == 403)
            fields[.secWebSocketProtocol] = "mqtt"
            #expect(try await desk.send(.get, "/nearby/relay", as: "mia", headers: fields).status == 426)
        }
    }

    @Test func `a request becomes a WebSocket, and devices of one team find each other`() async throws {
        let office = try await Office()
        let (mia, max, sue) = (try await Wire(office), try await Wire(office), try await Wire(office))
        let head = try await mia.ask(with: office.keys["mia"] ?? "")
        #expect(head.hasPrefix("HTTP/1.1 101 Switching Protocols\r\n"))
        // The answer to the example of RFC 6455, section 1.3.
        #expect(head.contains("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"))
        #expect(head.contains("Sec-WebSocket-Protocol: muster-relay.1\r\n") && !head.contains("Connection: close"))
        try await mia.send(.hello(name: "Mias Handy", key: "01"))
        #expect(
            try await mia.next()
                == .welcome(RelayTerms(windowBytes: 32_768, streams: 160, silenceSeconds: 60)))
        _ = try await sue.ask(with: office.keys["sue"] ?? "")
        try await sue.send(.hello(name: "Sues Handy", key: "02"))
        _ = try await max.ask(with: office.keys["max"] ?? "")
        try await max.send(.hello(name: "Max", key: "03"), .ping)
        guard case .appeared(let peer) = try await mia.next() else { throw RelayError.malformed }
        #expect(peer.account == "max" && peer.name == "Max" && peer.key == "03")
        _ = try await max.next()
        guard case .appeared(let other) = try await max.next() else { throw RelayError.malformed }
        #expect(other.account == "mia" && other.name == "Mias Handy")
        #expect(try await max.next() == .pong)
        // Sue is of the other team: a welcome, and nothing else.
        try await sue.send(.ping)
        guard case .welcome = try await sue.next() else { throw RelayError.malformed }
        #expect(try await sue.next() == .pong)
        try await office.coordinator.close()
    }

    @Test func `a user without a team is refused, and so is a ninth connection`() async throws {
        let office = try await Office()
        let admin = try await Wire(office)
        #expect(try await admin.ask(with: office.keys["admin"] ?? "").hasPrefix("HTTP/1.1 409"))
        var wires: [Wire] = []
        for place in 0..<9 {
            wires.append(try await Wire(office))
            let answer = try await wires[place].ask(with: office.keys["mia"] ?? "")
            #expect(answer.hasPrefix(place < 8 ? "HTTP/1.1 101" : "HTTP/1.1 429"))
        }
        try await wires[0].channel.close()
        _ = await isOver(wires[0])
        let again = try await Wire(office)
        #expect(try await again.ask(with: office.keys["mia"] ?? "").hasPrefix("HTTP/1.1 101"))
        try await office.coordinator.close()
    }

    @Test func `a device that says nothing loses its connection, and so does one that breaks the protocol`()
        async throws
    {
        let office = try await Office()
        let (silent, idle, broken) = (try await Wire(office), try await Wire(office), try await Wire(office))
        for (wire, name) in [(silent, "mia"), (idle, "max"), (broken, "lena")] {
            _ = try await wire.ask(with: office.keys[name] ?? "")
        }
        await silent.pass(seconds: 15)
        #expect(try await silent.next() == .farewell(.silent))
        #expect(await isOver(silent))
        try await broken.send(.ping)
        #expect(try await broken.next() == .farewell(.fault))
        #expect(await isOver(broken))
        try await idle.send(.hello(name: "Max", key: "03"))
        _ = try await idle.next()
        await idle.pass(seconds: 55)
        try await idle.send(.ping)
        #expect(try await idle.next() == .pong)
        await idle.pass(seconds: 65)
        #expect(try await idle.next() == .farewell(.silent))
        #expect(await isOver(idle))
        try await office.coordinator.close()
    }

    @Test func `a user who far exceeds the relay's rate loses the connection`() async throws {
        var limits = RelayLimits()
        (limits.bytesPerSecond, limits.burstBytes, limits.owedSeconds) = (1, 10_000, 10_000)
        let office = try await Office(relayLimits: limits)
        let mia = try await Wire(office)
        _ = try await mia.ask(with: office.keys["mia"] ?? "")
        // A hello and an `open` cost 4 KiB each.
        try await mia.send(.hello(name: "Mia", key: "01"))
        _ = try await mia.next()
        for stream in UInt32(1)...2 {
            try await mia.send(.open(stream: stream, peer: 77))
            #expect(try await mia.next() == .close(stream: stream, .absent))
        }
        try await mia.send(.open(stream: 3, peer: 77), .open(stream: 4, peer: 77), .open(stream: 5, peer: 77))
        #expect(try await mia.next() == .farewell(.fault))
        #expect(await isOver(mia))
        // Another connection does not help.
        let again = try await Wire(office)
        _ = try await again.ask(with: office.keys["mia"] ?? "")
        try await again.send(.hello(name: "Mia", key: "01"))
        #expect(try await again.next() == .farewell(.fault))
        try await office.coordinator.close()
    }

    @Test func `a request with a body becomes no WebSocket`() async throws {
        let office = try await Office()
        for field in ["Content-Length: 100000", "Transfer-Encoding: chunked"] {
            let wire = try await Wire(office)
            #expect(try await wire.ask(with: office.keys["mia"] ?? "", field).hasPrefix("HTTP/1.1 426"))
        }
        try await office.coordinator.close()
    }

    @Test(arguments: ["key", "team", "role", "user"])
    func `a right that ends ends the connection, and the other end of its streams`(_ what: String) async throws {
        let office = try await Office()
        let (mia, max) = (try await Wire(office), try await Wire(office))
        _ = try await mia.ask(with: office.keys["mia"] ?? "")
        try await mia.send(.hello(name: "Mia", key: "01"))
        _ = try await mia.next()
        _ = try await max.ask(with: office.keys["max"] ?? "")
        try await max.send(.hello(name: "Max", key: "03"))
        guard case .appeared(let peer) = try await mia.next() else { throw RelayError.malformed }
        try await mia.send(.open(stream: 1, peer: peer.number))
        _ = (try await max.next(), try await max.next())
        guard case .open(let stream, _) = try await max.next() else { throw RelayError.malformed }
        try await max.send(.accept(stream: stream))
        #expect(try await mia.next() == .accept(stream: 1))
        await office.relay.verifyRights(by: office.identity)
        try await office.open { desk in
            let number = try office.user("mia").number
            switch what {
            case "key": try await office.identity.removeKey(try await office.identity.keys(of: number)[0], by: nil)
            case "team": _ = try await desk.send(.patch, "/users/mia", as: "admin", #"{"team":"south"}"#)
            case "role": _ = try await desk.send(.patch, "/users/mia", as: "admin", #"{"role":"gateway"}"#)
            default: _ = try await desk.send(.delete, "/users/mia", as: "admin")
            }
            await office.relay.verifyRights(by: office.identity)
        }
        #expect(try await mia.next() == .farewell(.rightEnded))
        #expect(try await max.next() == .close(stream: stream, .gone))
        guard case .gone = try await max.next() else { throw RelayError.malformed }
        #expect(await isOver(mia))
    }
}
