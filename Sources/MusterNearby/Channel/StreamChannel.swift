import MusterMutex
import NIOCore

/// A channel whose bytes a `PeerStream` carries, so that the same handlers run over it as over TCP.
///
/// `@unchecked`: the event loop protects `pending` and `lifecycle`, and `chain` is set once, in `init`.
final class StreamChannel: Channel, ChannelCore, @unchecked Sendable {
    private enum Lifecycle { case fresh, open, closed }

    /// The bytes that may wait to be sent while the channel is writable.
    private static let writableBytes = 64 << 10

    let allocator = ByteBufferAllocator()
    let eventLoop: any EventLoop
    private let stream: any PeerStream
    private let closePromise: EventLoopPromise<Void>
    private let isOpen = Mutex(false)
    private var chain: ChannelPipeline!
    private var lifecycle = Lifecycle.fresh
    private var pending: [(bytes: [UInt8], promise: EventLoopPromise<Void>?)] = []

    init(_ stream: any PeerStream, on eventLoop: any EventLoop) {
        self.stream = stream
        self.eventLoop = eventLoop
        closePromise = eventLoop.makePromise()
        chain = ChannelPipeline(channel: self)
    }

    var closeFuture: EventLoopFuture<Void> { closePromise.futureResult }
    var pipeline: ChannelPipeline { chain }
    var localAddress: SocketAddress? { nil }
    var remoteAddress: SocketAddress? { nil }
    var parent: (any Channel)? { nil }
    var isWritable: Bool { stream.waitingBytes < Self.writableBytes }
    var isActive: Bool { isOpen.withLock { $0 } }
    var _channelCore: any ChannelCore { self }

    /// Starts the stream, once the handlers are added. Call it on the event loop.
    func start() {
        guard lifecycle == .fresh else { return }
        lifecycle = .open
        isOpen.withLock { $0 = true }
        chain.fireChannelRegistered()
        chain.fireChannelActive()
        stream.start(
            receive: { bytes in self.eventLoop.execute { self.receive(bytes) } },
            ended: { self.eventLoop.execute { self.finish(ChannelError.eof) } })
    }

    private func receive(_ bytes: [UInt8]) {
        guard lifecycle == .open else { return }
        chain.fireChannelRead(ByteBuffer(bytes: bytes))
        chain.fireChannelReadComplete()
        stream.returnCredit(bytes.count)
    }

    /// Ends the channel, by its own side or the other one's.
    private func finish(_ error: any Error) {
        guard lifecycle != .closed else { return }
        let wasOpen = lifecycle == .open
        lifecycle = .closed
        isOpen.withLock { $0 = false }
        stream.close()
        let unsent = pending
        pending = []
        for write in unsent { write.promise?.fail(error) }
        if wasOpen {
            chain.fireChannelInactive()
            chain.fireChannelUnregistered()
        }
        // A handler may be at work further up the stack.
        eventLoop.execute {
            self.removeHandlers(pipeline: self.chain)
            self.closePromise.succeed(())
        }
    }

    // MARK: Operations of the channel's core

    func localAddress0() throws -> SocketAddress { throw ChannelError.operationUnsupported }
    func remoteAddress0() throws -> SocketAddress { throw ChannelError.operationUnsupported }
    func register0(promise: EventLoopPromise<Void>?) { promise?.succeed(()) }
    func registerAlreadyConfigured0(promise: EventLoopPromise<Void>?) { promise?.succeed(()) }

    func bind0(to: SocketAddress, promise: EventLoopPromise<Void>?) {
        promise?.fail(ChannelError.operationUnsupported)
    }

    func connect0(to: SocketAddress, promise: EventLoopPromise<Void>?) {
        promise?.fail(ChannelError.operationUnsupported)
    }

    func write0(_ data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard lifecycle != .closed else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        pending.append((Array(unwrapData(data, as: ByteBuffer.self).readableBytesView), promise))
    }

    func flush0() {
        let writes = pending
        pending = []
        guard !writes.isEmpty else { return }
        stream.send(writes.flatMap(\.bytes))
        for write in writes { write.promise?.succeed(()) }
    }

    /// Does nothing: the stream delivers bytes as they arrive, within its flow control.
    func read0() {}

    func close0(error: any Error, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode == .all else {
            promise?.fail(ChannelError.operationUnsupported)
            return
        }
        guard lifecycle != .closed else {
            promise?.fail(ChannelError.alreadyClosed)
            return
        }
        finish(error)
        promise?.succeed(())
    }

    func triggerUserOutboundEvent0(_ event: Any, promise: EventLoopPromise<Void>?) {
        promise?.fail(ChannelError.operationUnsupported)
    }

    func channelRead0(_ data: NIOAny) {}

    func errorCaught0(error: any Error) {}

    func setOption<Option: ChannelOption>(_ option: Option, value: Option.Value) -> EventLoopFuture<Void> {
        eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
    }

    func getOption<Option: ChannelOption>(_ option: Option) -> EventLoopFuture<Option.Value> {
        eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
    }
}
