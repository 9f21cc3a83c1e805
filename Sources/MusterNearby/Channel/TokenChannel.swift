import MusterCore
import MusterMutex
import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS

/// The functions by which a channel calls its owner. All except `judge` are called on the channel's event loop.
struct ChannelOwner: Sendable {
    /// Returns what this device sends to a peer of this key; throws when it must not talk to the peer.
    var introduce: @Sendable (KeyFingerprint) throws -> Conversation.Own
    /// Decides whether to accept a peer: returns nil to accept it, or the reason to refuse it.
    var judge: @Sendable (_ name: String, _ key: KeyFingerprint, _ proof: [UInt8]) async -> String?
    /// Receives a peer that both sides accepted. Returns nil, or how the channel must end and what the peer is told.
    var open: @Sendable (OpenedPeer, KeyFingerprint, TokenChannel) -> (ChannelEnd, ChannelMessage.Bye)?
    /// Receives a note of an open channel.
    var note: @Sendable ([UInt8]) -> Void
    /// Called once, when the channel has ended.
    var ended: @Sendable (ChannelEnd) -> Void
    /// Receives the tag that the peer of an open channel hands over.
    var tagged: @Sendable (RangeTag) -> Void = { _ in }
}

/// A connection to a peer, by TLS 1.3 with a key at both ends.
final class TokenChannel: Sendable {
    private let channel: any Channel
    private let handler: NIOLoopBound<ConversationHandler>

    fileprivate init(_ channel: any Channel, _ handler: ConversationHandler) {
        self.channel = channel
        self.handler = NIOLoopBound(handler, eventLoop: channel.eventLoop)
    }

    /// Sends a note, or drops it while the peer reads too slowly. On the channel's event loop it is sent at once, so
    /// the channel may end, and call its owner, before this returns. The caller must hold no lock there.
    func send(note: [UInt8]) {
        guard channel.isWritable else { return }
        guard channel.eventLoop.inEventLoop else {
            return channel.eventLoop.execute { self.handler.value.send(.note(note)) }
        }
        handler.value.send(.note(note))
    }

    /// Says goodbye to the peer, and closes the connection.
    func end(_ end: ChannelEnd, telling reason: ChannelMessage.Bye?) {
        channel.eventLoop.execute { self.handler.value.end(end, telling: reason) }
    }

    /// Sets up a connection as one end of a channel.
    ///
    /// - Parameters:
    ///   - channel: a connected channel, on whose event loop this runs.
    ///   - tls: the context of this end.
    static func configure(
        _ channel: any Channel, isServer: Bool, tls: NIOSSLContext, deadlines: Conversation.Deadlines,
        clock: NearbyClock, owner: ChannelOwner
    ) throws {
        let key = PeerKey()
        let verify: NIOSSLCustomVerificationCallback = { certificates, promise in
            guard let first = certificates.first, let fingerprint = try? KeyFingerprint(of: first) else {
                return promise.succeed(.failed)
            }
            key.fingerprint.withLock { $0 = fingerprint }
            promise.succeed(.certificateVerified)
        }
        let pipeline = channel.pipeline.syncOperations
        if isServer {
            try pipeline.addHandler(NIOSSLServerHandler(context: tls, customVerificationCallback: verify))
        } else {
            try pipeline.addHandler(
                NIOSSLClientHandler(context: tls, serverHostname: nil, customVerificationCallback: verify))
        }
        try pipeline.addHandler(ConversationHandler(key, deadlines: deadlines, clock: clock, owner: owner))
    }
}

/// The key that the other end has proved to hold.
private final class PeerKey: Sendable {
    let fingerprint = Mutex<KeyFingerprint?>(nil)
}

/// Carries out a conversation over a connection. It lives on the connection's event loop.
private final class ConversationHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let key: PeerKey
    private let deadlines: Conversation.Deadlines
    private let clock: NearbyClock
    private let owner: ChannelOwner
    private var reader = FrameReader(prefixBytes: 2, limit: ChannelMessage.limitBytes)
    private var conversation: Conversation?
    private var context: ChannelHandlerContext?
    private var ticks: RepeatedTask?
    private var handshake: Scheduled<Void>?
    /// Asks the owner whether to accept the peer; cancelled when the connection ends.
    private var judging: Task<Void, Never>?
    private var isOver = false

    init(_ key: PeerKey, deadlines: Conversation.Deadlines, clock: NearbyClock, owner: ChannelOwner) {
        self.key = key
        self.deadlines = deadlines
        self.clock = clock
        self.owner = owner
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        let seconds = deadlines.hello
        handshake = context.eventLoop.scheduleTask(in: .milliseconds(Int64(seconds * 1000))) {
            if bound.value.conversation == nil { bound.value.finish(.silent(seconds: seconds)) }
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        finish(.closed)
        self.context = nil
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted = event as? TLSUserEvent { begin(context) }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver, conversation != nil else { return }
        reader.append(unwrapInboundIn(data).readableBytesView)
        do {
            while !isOver, let frame = try reader.next() {
                let message = try ChannelMessage(frame)
                let now = clock.now()
                perform(conversation?.receive(message, at: now) ?? [])
            }
        } catch let fault as ChannelProtocolError {
            perform(conversation?.end(fault: fault) ?? [])
        } catch let fault as FrameReader.LengthError {
            perform(conversation?.end(fault: .tooLong(fault.length)) ?? [])
        } catch {
            perform(conversation?.end(fault: .malformed) ?? [])
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        finish(.closed)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A peer that is killed while it sends leaves half a record, or a reset: no more than a closed connection.
        let isTLS = error is NIOSSLError || error is BoringSSLError
        let isCut = (error as? NIOSSLError) == .uncleanShutdown || !isTLS
        finish(isCut && conversation != nil ? .closed : .broke("no TLS 1.3 came about (\(error))"))
    }

    func send(_ message: ChannelMessage) {
        guard !isOver, let context else { return }
        context.writeAndFlush(wrapOutboundOut(context.channel.allocator.buffer(bytes: message.bytes)), promise: nil)
        conversation?.noteSent(at: clock.now())
    }

    func end(_ end: ChannelEnd, telling reason: ChannelMessage.Bye?) {
        if conversation == nil { return finish(end) }
        perform(conversation?.end(end, telling: reason) ?? [])
    }

    private func begin(_ context: ChannelHandlerContext) {
        handshake?.cancel()
        guard !isOver, let peer = key.fingerprint.withLock({ $0 }) else { return finish(.broke("it shows no key")) }
        let own: Conversation.Own
        do { own = try owner.introduce(peer) } catch { return finish(.refused("\(error)")) }
        let conversation = Conversation(own, deadlines: deadlines, at: clock.now())
        self.conversation = conversation
        perform(conversation.begin())
        // If the peer has reset the connection, the write has failed and the channel has ended.
        guard !isOver else { return }
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        let period = TimeAmount.milliseconds(max(20, Int64(deadlines.ping * 500)))
        ticks = context.eventLoop.scheduleRepeatedTask(initialDelay: period, delay: period) { _ in
            let handler = bound.value
            handler.perform(handler.conversation?.tick(at: handler.clock.now()) ?? [])
        }
    }

    private func perform(_ actions: [Conversation.Action]) {
        // The connection may have ended while the owner decided.
        for action in actions where !isOver {
            switch action {
            case .send(let message): send(message)
            case .judge(let name, let proof): judge(name, proof)
            case .open(let peer):
                guard let context, let key = key.fingerprint.withLock({ $0 }) else { return }
                if let (end, reason) = owner.open(peer, key, TokenChannel(context.channel, self)) {
                    perform(conversation?.end(end, telling: reason) ?? [])
                }
            case .note(let note): owner.note(note)
            case .tagged(let tag): owner.tagged(tag)
            case .end(let end): finish(end)
            }
        }
    }

    private func judge(_ name: String, _ proof: [UInt8]) {
        guard let context, let key = key.fingerprint.withLock({ $0 }) else { return }
        let (owner, loop) = (owner, context.eventLoop)
        let bound = NIOLoopBound(self, eventLoop: loop)
        judging = Task {
            let refusal = await owner.judge(name, key, proof)
            loop.execute {
                let handler = bound.value
                handler.perform(handler.conversation?.decide(refusal: refusal, at: handler.clock.now()) ?? [])
            }
        }
    }

    private func finish(_ end: ChannelEnd) {
        guard !isOver else { return }
        isOver = true
        ticks?.cancel()
        handshake?.cancel()
        judging?.cancel()
        owner.ended(end)
        context?.close(promise: nil)
    }
}
