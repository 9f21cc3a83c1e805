import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1

/// One connection: makes requests of what comes over it, has each answered in a task of its own, and sends the
/// responses. `HTTPServerPipelineHandler` before it holds a request back until the one before has been answered.
final class ConnectionHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// How far the newest request has come.
    private enum Incoming {
        /// It is whole, or there is none.
        case none
        /// It has a small body or none, and is answered once it is whole.
        case gathering(HTTPRequestHead, ByteBuffer)
        /// It is being answered, by one who reads its body as it comes.
        case streaming(RequestBodySource)
        /// Nobody reads the rest of its body, of which so many bytes have come.
        case draining(Int)
    }

    /// Bytes of a body that are waited for before a request is answered.
    private static let mostGathered = 64 << 10
    /// Bytes of a body that are read though nobody wants them, so that whoever sends them hears the answer: more than
    /// the largest that is taken.
    private static let mostDrained = 128 << 20
    /// Seconds between two looks at what has come.
    private static let lookSeconds: Int64 = 60
    /// So many looks at a connection without a request, and it is ended.
    private static let mostQuietLooks = 10
    /// Seconds that the other end has to end the connection that is over.
    private static let farewellSeconds: Int64 = 2

    private let connections: OpenConnections
    private let answer: HTTPConnection.Answer
    /// There from the first time that a reader was behind.
    private var slowReader: SlowReader?
    private var context: ChannelHandlerContext?
    private var incoming = Incoming.none
    /// The newest request, while it has no response or not the whole of it.
    private var question: ResponseHead.Question?
    private var hasBegunResponse = false
    /// Whether whoever asks waits to hear that the body is wanted before sending it (RFC 9110, section 10.1.1).
    private var isHeldBack = false
    /// Of the newest request.
    private var number: UInt32 = 0
    /// Responses that the system has not taken the whole of.
    private var unsent = 0
    /// Whether the connection ends with the response that is under way.
    private var isLast = false
    /// Whether the other end sends no more; and whether this one does not.
    private var isInputClosed = false
    private var isOutputClosed = false
    /// Whether whoever reads the body has enough for now; and whether reading was asked for since.
    private var isPaused = false
    private var isReadPending = false
    /// Kept once more may be sent.
    private var onWritable: EventLoopPromise<Void>?
    /// The end of a response whose reader is behind. Until it is written no other request is answered, so that no
    /// reader makes answers pile up, and no connection is taken for idle that is not.
    private var heldEnd: HeldEnd?
    /// What the connection waits for meanwhile; see `look`.
    private var nextLook: Scheduled<Void>?
    private var hasReceived = false
    private var quietLooks = 0

    private struct HeldEnd {
        let trailers: HTTPFields?
    }

    init(of channel: any Channel, in connections: OpenConnections, answer: @escaping HTTPConnection.Answer) {
        self.connections = connections
        self.answer = answer
        connections.opened(channel)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        lookSoon(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        nextLook?.cancel()
        nextLook = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        hasReceived = true
        guard !isLast || question != nil || !isWhole else { return }
        switch unwrapInboundIn(data) {
        case .head(let head): begin(head, context)
        case .body(let bytes): take(bytes, context)
        case .end: endRequest(context)
        }
    }

    func read(context: ChannelHandlerContext) {
        if isPaused { isReadPending = true } else { context.read() }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            onWritable?.succeed()
            onWritable = nil
            slowReader?.stop()
            if let end = heldEnd {
                completeResponse(end.trailers, context)
                context.flush()
            }
        } else {
            if slowReader == nil { slowReader = SlowReader(of: context.channel, connections) }
            slowReader?.watch()
        }
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed {
            // A reader that is gone and one that closed only its half look alike, and who waits for a feed has no
            // reason to close half of it.
            connections.endWatch(context.channel)
            isInputClosed = true
            isLast = true
            if isOutputClosed || !isWhole { close(context) } else { leaveIfOver() }
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        dropRequest()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        // When the connection has ended, nobody is there to be answered.
        case is HTTPParserError: if context.channel.isActive { refuse(context) }
        // More of what could not be read, of which the answer says enough; it may still have to wait for its turn.
        case is ByteToMessageDecoderError: break
        default: close(context)
        }
    }
}

// MARK: - Requests

extension ConnectionHandler {
    private var isWhole: Bool { if case .none = incoming { true } else { false } }

    private func begin(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        number &+= 1
        let question = ResponseHead.Question(head)
        self.question = question
        hasBegunResponse = false
        isHeldBack = question.isCurrent && head.headers[canonicalForm: "expect"].first?.lowercased() == "100-continue"
        let isChunked = head.headers.contains(name: "transfer-encoding")
        let length = head.headers.first(name: "content-length").map { Int($0) ?? .max } ?? 0
        if !isChunked, length <= Self.mostGathered {
            incoming = .gathering(head, ByteBuffer())
            goOn(number)
        } else {
            let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
            let onFirstRead: @Sendable () -> Void = { [eventLoop = context.eventLoop, number] in
                eventLoop.execute { bound.value.goOn(number) }
            }
            let (source, body) = RequestBodySource.make(
                onFirstRead: isHeldBack ? onFirstRead : nil,
                onDemand: { [eventLoop = context.eventLoop, number] in
                    eventLoop.execute { bound.value.resumeReading(number) }
                },
                onDrop: { [eventLoop = context.eventLoop, number] in
                    eventLoop.execute { bound.value.drain(number) }
                })
            incoming = .streaming(source)
            respond(to: head, body, question, context)
        }
    }

    /// Tells whoever waits with a body to send it.
    private func goOn(_ number: UInt32) {
        guard number == self.number, isHeldBack, !hasBegunResponse, question != nil, let context else { return }
        isHeldBack = false
        let goOn = HTTPResponseHead(version: .http1_1, status: .continue)
        context.writeAndFlush(wrapOutboundOut(.head(goOn)), promise: nil)
    }

    private func take(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        isHeldBack = false
        switch incoming {
        case .none: break
        case .gathering(let head, var body):
            // Held once, so that appending copies nothing.
            incoming = .none
            if body.readableBytes == 0 { body = bytes } else { body.writeImmutableBuffer(bytes) }
            incoming = .gathering(head, body)
        case .streaming(let source):
            if !source.yield(bytes) { isPaused = true }
        case .draining(let count):
            incoming = .draining(count + bytes.readableBytes)
            if count + bytes.readableBytes > Self.mostDrained { close(context) }
        }
    }

    private func endRequest(_ context: ChannelHandlerContext) {
        let ended = incoming
        incoming = .none
        isHeldBack = false
        switch ended {
        case .none: break
        case .gathering(let head, let body):
            guard let question else { return }
            respond(to: head, RequestBody(buffer: body), question, context)
        case .streaming(let source):
            source.finish()
            // Whoever reads asks for no more of what has ended.
            resumeReading(number)
        case .draining: leaveIfOver()
        }
    }

    private func respond(
        to head: HTTPRequestHead, _ body: RequestBody, _ question: ResponseHead.Question,
        _ context: ChannelHandlerContext
    ) {
        guard let head = try? HTTPRequest(reading: head) else { return refuse(context) }
        let request = Request(head: head, body: body)
        let stream = ResponseStream(over: self, on: context.eventLoop, number, question)
        Task { [answer, channel = context.channel] in await stream.send(answer(request, channel)) }
    }

    /// Goes on reading a body of which more is wanted.
    private func resumeReading(_ number: UInt32) {
        guard number == self.number else { return }
        isPaused = false
        guard isReadPending else { return }
        isReadPending = false
        context?.read()
    }

    /// Reads what is left of a body that nobody wants.
    private func drain(_ number: UInt32) {
        guard number == self.number, case .streaming = incoming else { return }
        incoming = .draining(0)
        resumeReading(number)
    }

    private func lookSoon(_ context: ChannelHandlerContext) {
        nextLook = context.eventLoop.assumeIsolated().scheduleTask(in: .seconds(Self.lookSeconds)) { [self] in look() }
    }

    /// Ends a connection whose request does not go on, or that nobody has used for long.
    private func look() {
        guard let context else { return }
        let isQuiet = !hasReceived
        hasReceived = false
        if isQuiet, !isWhole, !isPaused {
            if question == nil { return close(context) }
            refuse(context, as: .requestTimeout)
        }
        quietLooks = isQuiet && question == nil ? quietLooks + 1 : 0
        if quietLooks >= Self.mostQuietLooks { return close(context) }
        lookSoon(context)
    }

    /// Forgets the request that is under way, because there will be no answer to it.
    private func dropRequest() {
        if case .streaming(let source) = incoming { source.finish(BrokenOffRequest()) }
        incoming = .none
        question = nil
        onWritable?.fail(ChannelError.ioOnClosedChannel)
        onWritable = nil
        heldEnd = nil
        slowReader?.stop()
    }

    /// Answers what is no request, or not the whole of one, and ends the connection: nobody knows where the next would
    /// begin.
    private func refuse(_ context: ChannelHandlerContext, as status: HTTPResponseStatus = .badRequest) {
        // Nothing follows a response that was the last or whose request is broken; within one nobody would hear it.
        if question == nil ? isLast || !isWhole : hasBegunResponse {
            if question != nil { return close(context) }
            isLast = true
            incoming = .none
            return leaveIfOver()
        }
        dropRequest()
        isLast = true
        let head = HTTPResponseHead(
            version: .http1_1, status: status, headers: ["connection": "close", "content-length": "0"])
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        writeEnd(nil, context)
        context.flush()
    }

    private func close(_ context: ChannelHandlerContext) {
        dropRequest()
        isLast = true
        context.close(promise: nil)
    }
}

// MARK: - Responses

extension ConnectionHandler {
    /// Sends what a response consists of.
    ///
    /// - Parameter promise: kept once more may be sent; broken when the connection has ended.
    func send(_ parts: [ResponseStream.Part], of number: UInt32, _ promise: EventLoopPromise<Void>?) {
        guard number == self.number, question != nil, heldEnd == nil, let context else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        for part in parts {
            switch part {
            case .head(var head):
                // Nobody knows whether the body that was not asked for will come, and so where the next request begins.
                if isHeldBack { head.makeLast() }
                isLast = isLast || head.isLast
                hasBegunResponse = true
                context.write(wrapOutboundOut(.head(head.onWire)), promise: nil)
            case .body(let bytes): context.write(wrapOutboundOut(.body(.byteBuffer(bytes))), promise: nil)
            case .end(let trailers): endResponse(trailers, context)
            }
        }
        context.flush()
        if let promise {
            if context.channel.isWritable || question == nil { promise.succeed() } else { onWritable = promise }
        }
    }

    private func endResponse(_ trailers: HTTPFields?, _ context: ChannelHandlerContext) {
        if !context.channel.isWritable {
            context.flush()
            if !context.channel.isWritable {
                heldEnd = HeldEnd(trailers: trailers)
                return
            }
        }
        completeResponse(trailers, context)
    }

    private func completeResponse(_ trailers: HTTPFields?, _ context: ChannelHandlerContext) {
        heldEnd = nil
        // Before anything is written: the request that comes next may be handed on meanwhile.
        question = nil
        if case .streaming = incoming {
            incoming = isHeldBack ? .none : .draining(0)
            resumeReading(number)
        }
        writeEnd(trailers, context)
    }

    private func writeEnd(_ trailers: HTTPFields?, _ context: ChannelHandlerContext) {
        unsent += 1
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.assumeIsolated().whenComplete { [self] _ in
            unsent -= 1
            leaveIfOver()
        }
        context.write(wrapOutboundOut(.end(trailers.map(HTTPHeaders.init))), promise: sent)
    }

    /// Ends the connection once its last response is on its way.
    private func leaveIfOver() {
        guard isLast, question == nil, isWhole, unsent == 0, !isOutputClosed, let context else { return }
        isOutputClosed = true
        if isInputClosed { return context.close(promise: nil) }
        // What is still on its way here must not meet a closed door: the answer would be lost with it.
        context.close(mode: .output, promise: nil)
        context.eventLoop.assumeIsolated().scheduleTask(in: .seconds(Self.farewellSeconds)) { [self] in
            self.context?.close(promise: nil)
        }
    }

    /// Ends the connection in the middle of a response.
    func breakOff(_ number: UInt32) {
        guard number == self.number, let question, let context else { return }
        if !question.isCurrent {
            // Where the end of the connection is the end of the body, it must not look like one.
            let abruptly = linger(l_onoff: 1, l_linger: 0)
            _ = (context.channel as? any SocketOptionProvider)?.setSoLinger(abruptly)
        }
        close(context)
    }
}
