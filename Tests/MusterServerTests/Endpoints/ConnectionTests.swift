import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import Testing

@testable import MusterHTTP
@testable import MusterServer

/// A connection as time goes by, which the tests over sockets cannot wait for.
@Suite struct ConnectionTests {
    /// One connection, and the clock that it goes by.
    private struct Wire {
        let channel = NIOAsyncTestingChannel()

        /// - Parameter answer: to any request.
        init(_ answer: @escaping @Sendable (Request) async throws -> Response) async throws {
            let responder = CallbackResponder<BasicRequestContext> { request, _ in try await answer(request) }
            let logger = Logger(label: "test")
            // The rate of a body is measured by the machine's clock, which no test moves.
            var limits = ConnectionLimits()
            limits.bodyGraceSeconds = 3_600
            let connection = HTTPConnection(responder, connections: OpenConnections(limits: limits), logger: logger)
            _ = try await channel.testingEventLoop.executeInContext { [channel] in
                connection.setup(channel: channel, logger: logger)
            }.get()
            try await channel.connect(to: .init(unixDomainSocketPath: "/client"))
        }

        func send(_ text: String) async throws {
            try await channel.writeInbound(ByteBuffer(string: text))
        }

        /// What was sent until so much of it was.
        func answer(endingWith end: String) async throws -> String {
            var text = ""
            while !text.hasSuffix(end) {
                text += String(buffer: try await channel.waitForOutboundWrite(as: ByteBuffer.self))
            }
            return text
        }

        func pass(seconds: Int64) async { await channel.testingEventLoop.advanceTime(by: .seconds(seconds)) }
    }

    private static let half = "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n12345"

    @Test func `a request that stalls is answered with 408, and the connection ends`() async throws {
        let wire = try await Wire { _ in Response(status: .ok) }
        try await wire.send(Self.half)
        await wire.pass(seconds: 119)
        #expect(wire.channel.isActive)
        await wire.pass(seconds: 1)
        let answer = try await wire.answer(endingWith: "\r\n\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 408 Request Timeout\r\n") && answer.contains("connection: close\r\n"))
        await wire.pass(seconds: 2)
        #expect(!wire.channel.isActive)
    }

    @Test func `a request that comes a little at a time is answered`() async throws {
        let wire = try await Wire { request in
            Response(status: .ok, body: .init(byteBuffer: try await request.body.collect(upTo: 100)))
        }
        try await wire.send(Self.half)
        for digit in 6...9 {
            await wire.pass(seconds: 59)
            try await wire.send("\(digit)")
        }
        await wire.pass(seconds: 59)
        try await wire.send("0")
        #expect(try await wire.answer(endingWith: "1234567890").hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(wire.channel.isActive)
    }

    @Test func `an idle connection ends after ten minutes`() async throws {
        let wire = try await Wire { _ in Response(status: .noContent) }
        await wire.pass(seconds: 9 * 60)
        try await wire.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try await wire.answer(endingWith: "\r\n\r\n").hasPrefix("HTTP/1.1 204"))
        await wire.pass(seconds: 10 * 60)
        #expect(wire.channel.isActive)
        await wire.pass(seconds: 60)
        #expect(!wire.channel.isActive)
    }

    @Test func `a client that waits for an answer is not disconnected, however long`() async throws {
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let wire = try await Wire { _ in
            for await _ in gate { break }
            return Response(status: .ok, body: .init(byteBuffer: ByteBuffer(string: "at last")))
        }
        try await wire.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
        await wire.pass(seconds: 24 * 3600)
        open.yield()
        #expect(try await wire.answer(endingWith: "at last").hasPrefix("HTTP/1.1 200 OK\r\n"))
    }
}
