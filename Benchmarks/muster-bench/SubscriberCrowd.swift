import Foundation
import MusterTerminal
import NIOCore
import NIOPosix
import Synchronization

/// Subscribers to `safetyChanged`, each on a WebSocket of its own by graphql-transport-ws.
final class SubscriberCrowd: Sendable {
    struct State {
        /// WebSockets whose `connection_init` was acknowledged.
        var begun = 0
        /// Changes that came, of all WebSockets together.
        var heard = 0
        var closed = 0
        var sentAt = ContinuousClock.now
        var latencies: [Double] = []
    }

    private let state = Mutex(State())

    /// Milliseconds from `noteSending` until each change came.
    var latencies: [Double] { state.withLock { $0.latencies } }

    func forgetLatencies() { state.withLock { $0.latencies.removeAll() } }

    func noteSending() { state.withLock { $0.sentAt = .now } }

    fileprivate func noteBeginning() { state.withLock { $0.begun += 1 } }
    fileprivate func noteClosing() { state.withLock { $0.closed += 1 } }

    fileprivate func noteChange() {
        let now = ContinuousClock.now
        state.withLock { state in
            state.heard += 1
            state.latencies.append(state.sentAt.duration(to: now) / .milliseconds(1))
        }
    }

    /// Waits until so many have come so far; at most two minutes.
    ///
    /// - Throws: also when the server closed a WebSocket.
    func wait(until what: any KeyPath<State, Int> & Sendable, is number: Int) async throws {
        for _ in 0..<60_000 {
            let (reached, closed) = state.withLock { ($0[keyPath: what], $0.closed) }
            if reached >= number { return }
            guard closed == 0 else { throw CommandFailure("the server closed \(closed) WebSockets") }
            try await Task.sleep(for: .milliseconds(2))
        }
        throw CommandFailure("the subscribers do not come on: \(state.withLock { $0[keyPath: what] }) of \(number)")
    }

    /// Opens WebSockets, a hundred at a time.
    func open(_ count: Int, on server: BenchServer) async throws -> [any Channel] {
        let token = server.connection.token
        let bootstrap = ClientBootstrap(group: server.load.group).channelInitializer { [self] channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(SubscriberHandler(self, token: token))
            }
        }
        var channels: [any Channel] = []
        while channels.count < count {
            for _ in 0..<min(100, count - channels.count) {
                channels.append(try await bootstrap.connect(host: server.load.host, port: server.load.port).get())
            }
            try await wait(until: \.begun, is: channels.count)
        }
        return channels
    }
}

/// As much of RFC 6455 as a measuring client needs: small text messages in one frame each.
private final class SubscriberHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer
    private let crowd: SubscriberCrowd
    private let token: String
    private var received = ByteBuffer()
    private var isOpen = false

    init(_ crowd: SubscriberCrowd, token: String) {
        self.crowd = crowd
        self.token = token
    }

    func channelActive(context: ChannelHandlerContext) {
        let request =
            "GET /graphql HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
            + "Sec-WebSocket-Protocol: graphql-transport-ws\r\nAuthorization: Bearer \(token)\r\n\r\n"
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: request)), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        received.writeBuffer(&bytes)
        if !isOpen {
            guard let end = received.readableBytesView.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound else {
                return
            }
            received.moveReaderIndex(to: end)
            isOpen = true
            send(#"{"type":"connection_init"}"#, context)
        }
        while let text = nextMessage() {
            if text.contains(#""type":"next""#) {
                crowd.noteChange()
            } else if text.contains(#""type":"connection_ack""#) {
                let query = "subscription { safetyChanged { sequence person { name safety } } }"
                send(#"{"id":"1","type":"subscribe","payload":{"query":"\#(query)"}}"#, context)
                crowd.noteBeginning()
            } else if text.contains(#""type":"ping""#) {
                send(#"{"type":"pong"}"#, context)
            }
        }
        received.discardReadBytes()
    }

    func channelInactive(context: ChannelHandlerContext) { crowd.noteClosing() }

    /// Takes the next message that is complete.
    private func nextMessage() -> String? {
        var frame = received
        guard let _: UInt8 = frame.readInteger(), let short: UInt8 = frame.readInteger() else { return nil }
        var length = Int(short)
        if short == 126 {
            guard let long: UInt16 = frame.readInteger() else { return nil }
            length = Int(long)
        } else if short == 127 {
            guard let long: UInt64 = frame.readInteger() else { return nil }
            length = Int(long)
        }
        guard let text = frame.readString(length: length) else { return nil }
        received = frame
        return text
    }

    /// Sends a text message, masked by zeros, which leaves it as it is.
    private func send(_ text: String, _ context: ChannelHandlerContext) {
        var frame = ByteBuffer()
        frame.writeInteger(0x81 as UInt8)
        let length = text.utf8.count
        if length < 126 {
            frame.writeInteger(0x80 | UInt8(length))
        } else {
            frame.writeInteger(0xFE as UInt8)
            frame.writeInteger(UInt16(length))
        }
        frame.writeInteger(0 as UInt32)
        frame.writeString(text)
        context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
    }
}
