import MusterNearby
import MusterWire
import NIOCore
import NIOWebSocket

/// Receives the events of a connection to the relay, on its event loop.
struct RelayLinkOwner: Sendable {
    var welcomed: @Sendable () -> Void
    var appeared: @Sendable (RelayPeer) -> Void
    var gone: @Sendable (UInt32) -> Void
    var accept: @Sendable (any PeerStream) -> Void
    /// Called once, last, when the connection is over.
    var ended: @Sendable (RelayEnd) -> Void
}

/// A connection to the relay: its peers and its streams. It lives on the connection's event loop.
final class RelayLink: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    /// One stream.
    private struct Entry {
        var flow: RelayFlow
        /// Waits until the other end accepts; nil for a stream that the other end opened, or accepted.
        var opening: EventLoopPromise<RelayStream>?
        let stream: RelayStream
        var receive: (@Sendable ([UInt8]) -> Void)?
        var ended: (@Sendable () -> Void)?
        /// The bytes that arrived before the stream was started.
        var early: [[UInt8]] = []
    }

    /// The largest number of streams, in both directions, with which this device accepts another one.
    private static let mostIncoming = 1_024
    /// The seconds that the other end has to accept a stream.
    private static let openingSeconds: Int64 = 5
    /// The seconds that a closed stream has to send its waiting bytes.
    private static let closingSeconds: Int64 = 2

    private let hello: RelayFrame
    private let owner: RelayLinkOwner
    private var reader = RelayFrameReader()
    private var context: ChannelHandlerContext?
    private var terms: RelayTerms?
    private var peers: [UInt32: RelayPeer] = [:]
    private var entries: [UInt32: Entry] = [:]
    private var lastNumber: UInt32 = 0
    private var lastHeard = NIODeadline.uptimeNanoseconds(0)
    private var beats: RepeatedTask?
    private var end: RelayEnd?
    private var isOver = false

    init(announcing own: Announcement, owner: RelayLinkOwner) {
        hello = .hello(name: own.name, key: own.key)
        self.owner = owner
    }

    // MARK: The channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        lastHeard = context.eventLoop.now
        write([hello])
        // The welcome states the silence that the relay allows. Until then, 30 s count as a silent relay.
        beat(everySeconds: 10)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        finish(.lost)
        self.context = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        finish(.lost)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail(error is NIOWebSocketError ? .fault("\(error)") : .lost)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        lastHeard = context.eventLoop.now
        switch frame.opcode {
        case .binary, .continuation: receive(frame.unmaskedData)
        case .ping:
            let answer = WebSocketFrame(
                fin: true, opcode: .pong, maskKey: .random(), data: frame.unmaskedData)
            context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
        case .pong: break
        default: fail(.lost)
        }
    }

    private func receive(_ bytes: ByteBuffer) {
        reader.append(bytes.readableBytesView)
        do throws(RelayError) {
            while !isOver, let frame = try reader.next() { try handle(frame) }
        } catch {
            fail(.fault("\(error)"))
        }
    }

    private func write(_ frames: [RelayFrame]) {
        guard let context, !isOver else { return }
        let frame = WebSocketFrame(
            fin: true, opcode: .binary, maskKey: .random(),
            data: context.channel.allocator.buffer(bytes: frames.flatMap(\.bytes)))
        context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
    }

    private func beat(everySeconds seconds: Int64) {
        guard let context else { return }
        beats?.cancel()
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        let period = TimeAmount.seconds(max(1, seconds))
        beats = context.eventLoop.scheduleRepeatedTask(initialDelay: period, delay: period) { _ in
            bound.value.lookForSilence(seconds: 3 * max(1, seconds))
        }
    }

    private func lookForSilence(seconds: Int64) {
        guard let context, !isOver else { return }
        if context.eventLoop.now - lastHeard > .seconds(seconds) { return fail(.silent) }
        if terms != nil { write([.ping]) }
    }

    private func fail(_ end: RelayEnd) {
        let context = context
        finish(end)
        context?.close(promise: nil)
    }

    private func finish(_ end: RelayEnd) {
        guard !isOver else { return }
        isOver = true
        beats?.cancel()
        let left = entries
        entries = [:]
        for entry in left.values {
            entry.opening?.fail(RelayStreamRefusal(closing: nil))
            entry.stream.release(entry.flow.waitingBytes)
            entry.ended?()
        }
        owner.ended(self.end ?? end)
    }

    // MARK: Frames

    private func handle(_ frame: RelayFrame) throws(RelayError) {
        if case .welcome(let terms) = frame {
            guard self.terms == nil, terms.windowBytes > 0 else { throw .untimely("a welcome") }
            self.terms = terms
            beat(everySeconds: Int64(terms.silenceSeconds) / 3)
            return owner.welcomed()
        }
        if case .farewell(let farewell) = frame {
            end = .farewell(farewell)
            return fail(.farewell(farewell))
        }
        guard terms != nil else { throw .untimely("a frame before the welcome") }
        switch frame {
        case .appeared(let peer):
            peers[peer.number] = peer
            owner.appeared(peer)
        case .gone(let number):
            if peers.removeValue(forKey: number) != nil { owner.gone(number) }
        case .open(let number, let peer): try opened(number, by: peer)
        case .accept(let number): try accepted(number)
        case .data(let number, let bytes): try deliver(bytes, on: number)
        case .credit(let number, let count):
            // Here and in `closed`, this device may have closed the stream meanwhile.
            try entries[number]?.flow.credit(Int(count))
            pump(number)
        case .close(let number, let closing): closed(number, closing)
        case .pong: break
        case .hello, .welcome, .farewell, .ping: throw .untimely("this frame")
        }
    }

    private func opened(_ number: UInt32, by peer: UInt32) throws(RelayError) {
        guard number >= RelayFrame.firstIncoming, entries[number] == nil, let context else {
            throw .untimely("a stream of this number")
        }
        guard let peer = peers[peer], entries.count < Self.mostIncoming else {
            return write([.close(stream: number, .refused)])
        }
        let stream = makeEntry(number, from: peer.account, opening: nil, context)
        owner.accept(stream)
    }

    private func accepted(_ number: UInt32) throws(RelayError) {
        guard let entry = entries[number] else { return }
        guard let opening = entry.opening else { throw .untimely("an acceptance") }
        entries[number]?.opening = nil
        entries[number]?.flow.accept()
        opening.succeed(entry.stream)
    }

    private func deliver(_ bytes: [UInt8], on number: UInt32) throws(RelayError) {
        guard entries[number] != nil else { return }
        try entries[number]?.flow.receive(bytes.count)
        if let receive = entries[number]?.receive { receive(bytes) } else { entries[number]?.early.append(bytes) }
    }

    private func closed(_ number: UInt32, _ closing: RelayFrame.Closing) {
        guard let entry = entries.removeValue(forKey: number) else { return }
        entry.stream.release(entry.flow.waitingBytes)
        entry.opening?.fail(RelayStreamRefusal(closing: closing))
        entry.ended?()
    }

    // MARK: Calls from streams and the owner

    /// Opens a stream to a peer.
    func open(_ peer: UInt32, _ opening: EventLoopPromise<RelayStream>) {
        guard let context, !isOver, terms != nil, let found = peers[peer] else {
            return opening.fail(RelayStreamRefusal(closing: isOver ? nil : .absent))
        }
        repeat {
            lastNumber = lastNumber + 1 < RelayFrame.firstIncoming ? lastNumber + 1 : 1
        } while entries[lastNumber] != nil
        let stream = makeEntry(lastNumber, from: found.account, opening: opening, context)
        write([.open(stream: lastNumber, peer: peer)])
        let bound = NIOLoopBound((self, stream), eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: .seconds(Self.openingSeconds)) {
            let (link, stream) = bound.value
            if link.entries[stream.number]?.opening != nil { link.cut(stream) }
        }
    }

    private func makeEntry(
        _ number: UInt32, from account: String, opening: EventLoopPromise<RelayStream>?,
        _ context: ChannelHandlerContext
    ) -> RelayStream {
        let stream = RelayStream(
            number, from: "relay/\(account)", over: NIOLoopBound(self, eventLoop: context.eventLoop),
            on: context.eventLoop)
        let flow = RelayFlow(windowBytes: Int(terms?.windowBytes ?? 1))
        entries[number] = Entry(flow: flow, opening: opening, stream: stream)
        return stream
    }

    func start(
        _ number: UInt32, _ receive: @escaping @Sendable ([UInt8]) -> Void, _ ended: @escaping @Sendable () -> Void
    ) {
        guard let entry = entries[number] else { return ended() }
        entries[number]?.receive = receive
        entries[number]?.ended = ended
        entries[number]?.early = []
        for bytes in entry.early { receive(bytes) }
        if number >= RelayFrame.firstIncoming, !entry.flow.isAccepted {
            entries[number]?.flow.accept()
            write([.accept(stream: number)])
        }
        pump(number)
    }

    func returnCredit(_ count: Int, of number: UInt32) {
        guard let credit = entries[number]?.flow.returnCredit(count) else { return }
        write([.credit(stream: number, bytes: UInt32(credit))])
    }

    func send(_ bytes: [UInt8], on stream: RelayStream) {
        guard let entry = entries[stream.number], entry.stream === stream, !entry.flow.isClosing else {
            return stream.release(bytes.count)
        }
        entries[stream.number]?.flow.send(bytes)
        pump(stream.number)
    }

    func close(_ number: UInt32) {
        guard let entry = entries[number], !entry.flow.isClosing, let context else { return }
        entries[number]?.receive = { _ in }
        entries[number]?.ended = nil
        entries[number]?.flow.close()
        // Without a deadline, a peer that does not read would keep the stream open.
        let bound = NIOLoopBound((self, entry.stream), eventLoop: context.eventLoop)
        pump(number)
        guard entries[number] != nil else { return }
        context.eventLoop.scheduleTask(in: .seconds(Self.closingSeconds)) {
            bound.value.0.cut(bound.value.1)
        }
    }

    private func cut(_ stream: RelayStream) {
        guard entries[stream.number]?.stream === stream else { return }
        write([.close(stream: stream.number, .done)])
        closed(stream.number, .done)
    }

    /// Sends the bytes of a stream that may be sent now, and closes a closing stream after its last byte.
    private func pump(_ number: UInt32) {
        guard let pieces = entries[number]?.flow.takePieces(), let entry = entries[number] else { return }
        var frames = pieces.map { RelayFrame.data(stream: number, $0) }
        entry.stream.release(pieces.reduce(0) { $0 + $1.count })
        if entry.flow.isDone {
            frames.append(.close(stream: number, entry.flow.isAccepted ? .done : .refused))
        }
        if !frames.isEmpty { write(frames) }
        if entry.flow.isDone { closed(number, .done) }
    }
}
