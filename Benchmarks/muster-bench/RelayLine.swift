import Foundation
import MusterWire
import NIOCore
import NIOPosix
import Synchronization

/// A connection to the relay that sends whatever frames it is given, in any order, as no device of ours would.
final class RelayLine: Sendable {
    /// The server did not open the WebSocket.
    struct Refused: Error { var status: Int }

    private struct State {
        var status: Int?
        var frames: [RelayFrame] = []
        var isOver = false
    }

    private let state = Mutex(State())
    private let channel: any Channel

    private init(_ channel: any Channel) { self.channel = channel }

    /// Opens a connection.
    ///
    /// - Throws: `Refused` when the server does not; `BrokenConnection` when it does not answer within five seconds.
    static func open(at once: OneRequest, token: String) async throws -> RelayLine {
        let channel = try await ClientBootstrap(group: once.group)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .connect(host: once.host, port: once.port).get()
        let line = RelayLine(channel)
        try await channel.eventLoop.submit { try channel.pipeline.syncOperations.addHandler(RelayLineReader(line)) }
            .get()
        let request = ByteBuffer(
            string: "GET /api/v1/nearby/relay HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(token)\r\n"
                + "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                + "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: muster-relay.1\r\n\r\n")
        channel.writeAndFlush(request, promise: nil)
        guard let status = await line.wait({ $0.status }) else {
            line.close()
            throw BrokenConnection()
        }
        guard status == 101 else {
            line.close()
            throw Refused(status: status)
        }
        return line
    }

    /// Whether the server has ended the connection.
    var isOver: Bool { state.withLock { $0.isOver } }

    /// Takes the frames that have arrived.
    func takeFrames() -> [RelayFrame] {
        state.withLock { state in
            defer { state.frames = [] }
            return state.frames
        }
    }

    /// Waits until frames have arrived, and takes them; none when the connection is over, or after a time.
    func nextFrames(within seconds: Double = 5) async -> [RelayFrame] {
        _ = await wait(within: seconds) { $0.frames.isEmpty ? nil : true }
        return takeFrames()
    }

    func send(_ frames: [RelayFrame]) { send(bytes: frames.flatMap(\.bytes)) }

    /// Sends bytes in one WebSocket frame, masked with zeros.
    ///
    /// - Parameter bytes: at most 65,535.
    func send(bytes: [UInt8]) {
        var frame = ByteBuffer()
        frame.writeInteger(UInt8(0x82))
        if bytes.count < 126 {
            frame.writeInteger(UInt8(0x80 | bytes.count))
        } else {
            frame.writeInteger(UInt8(0x80 | 126))
            frame.writeInteger(UInt16(bytes.count))
        }
        frame.writeInteger(UInt32(0))
        frame.writeBytes(bytes)
        channel.writeAndFlush(frame, promise: nil)
    }

    func close() { channel.close(promise: nil) }

    private func wait<Found>(within seconds: Double = 5, _ found: (borrowing State) -> Found?) async -> Found? {
        let end = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < end {
            let (value, isOver) = state.withLock { (found($0), $0.isOver) }
            if value != nil || isOver { return value }
            try? await Task.sleep(for: .milliseconds(5))
        }
        return nil
    }

    fileprivate func opened(_ status: Int) { state.withLock { $0.status = status } }
    fileprivate func receive(_ frames: [RelayFrame]) { state.withLock { $0.frames += frames } }
    fileprivate func end() { state.withLock { $0.isOver = true } }
}

/// Reads the answer to the upgrade, and then the frames of the relay out of those of the WebSocket.
private final class RelayLineReader: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let line: RelayLine
    private var received = ByteBuffer()
    private var isOpen = false
    private var reader = RelayFrameReader()

    init(_ line: RelayLine) { self.line = line }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        received.writeBuffer(&bytes)
        if !isOpen {
            guard let (status, _) = HTTPAnswer.head(of: received) else { return }
            line.opened(status)
            guard status == 101, let end = endOfHead else { return }
            received.moveReaderIndex(forwardBy: end)
            isOpen = true
        }
        while let payload = nextPayload() { reader.append(payload.readableBytesView) }
        var frames: [RelayFrame] = []
        do {
            while let frame = try reader.next() { frames.append(frame) }
        } catch {
            context.close(promise: nil)
        }
        line.receive(frames)
        received.discardReadBytes()
    }

    /// The number of bytes of the answer's head, its empty line included.
    private var endOfHead: Int? {
        let text = received.readableBytesView
        let end = Array("\r\n\r\n".utf8)
        return (0...max(0, text.count - end.count)).first {
            text.dropFirst($0).prefix(end.count).elementsEqual(end)
        }.map { $0 + end.count }
    }

    /// The payload of the next binary frame; empty for any other frame, nil until a frame has arrived whole.
    private func nextPayload() -> ByteBuffer? {
        var rest = received
        guard let first = rest.readInteger(as: UInt8.self), let short = rest.readInteger(as: UInt8.self) else {
            return nil
        }
        let length: Int? =
            switch short {
            case 127: rest.readInteger(as: UInt64.self).map(Int.init)
            case 126: rest.readInteger(as: UInt16.self).map(Int.init)
            default: Int(short)
            }
        guard let length, let payload = rest.readSlice(length: length) else { return nil }
        received = rest
        return first & 0x0F <= 2 ? payload : ByteBuffer()
    }

    func channelInactive(context: ChannelHandlerContext) { line.end() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
