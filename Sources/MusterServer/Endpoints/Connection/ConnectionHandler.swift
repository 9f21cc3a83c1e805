import Foundation
import HTTPTypes
import Hummingbird
import MusterWire
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
    enum Incoming {
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
    static let mostDrained = 128 << 20
    /// The same, of a client whose request was refused with its connection.
    static let mostDrainedOfRefused = 1 << 20
    /// Seconds that a client who sends no more is worked for.
    private static let patienceSeconds: Int64 = 2
    /// Seconds between two looks at what has come.
    private static let lookSeconds: Int64 = 60
    /// So many looks at a connection without a request, and it is ended.
    private static let mostQuietLooks = 10

    private let connections: OpenConnections
    private let answer: HTTPConnection.Answer
    /// There from the first time that a reader was behind.
    private var slowReader: SlowReader?
    var context: ChannelHandlerContext?
    var incoming = Incoming.none
    /// The newest request, while it has no response or not the whole of it.
    var question: ResponseHead.Question?
    var hasBegunResponse = false
    /// Whether whoever asks waits to hear that the body is wanted before sending it (RFC 9110, section 10.1.1).
    var isHeldBack = false
    /// Of the newest request.
    var number: UInt32 = 0
    /// Responses that the system has not taken the whole of.
    var unsent = 0
    /// Whether the connection ends with the response that is under way.
    var isLast = false
    /// Whether the other end sends no more; and whether this one does not.
    var isInputClosed = false
    var isOutputClosed = false
    /// Whether whoever reads the body has enough for now; and whether reading was asked for since.
    private var isPaused = false
    private var isReadPending = false
    /// Kept once more may be sent.
    var onWritable: EventLoopPromise<Void>?
    /// The end of a response whose reader is behind. Until it is written no other request is answered, so that no
    /// reader makes answers pile up, and no connection is taken for idle that is not.
    var heldEnd: HeldEnd?
    /// What the connection waits for meanwhile; see `look`.
    private var nextLook: Scheduled<Void>?
    private var hasReceived = false
    private var quietLooks = 0
    /// What is done for the newest request while it has no answer, and the bytes that its body holds.
    private var work: RequestWork?
    private var hold: BodyBudget.Hold?
    private let watch: IncomingWatch
    var drainLimit = ConnectionHandler.mostDrained
    /// Whether something of a request came since the last read of the socket began.
    private var hasParts = false
    private let peerAddress: String

    struct HeldEnd {
        let trailers: HTTPFields?
    }

    init(of channel: any Channel, in connections: OpenConnections, answer: @escaping HTTPConnection.Answer) {
        self.connections = connections
        self.answer = answer
        peerAddress = channel.remoteAddress?.ipAddress ?? ""
        watch = IncomingWatch(on: channel.eventLoop, connections.limits)
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
        watch.stop()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        hasReceived = true
        hasParts = true
        guard !isLast || question != nil || !isWhole else { return }
        switch unwrapInboundIn(data) {
        case .head(let head): begin(head, context)
        case .body(let bytes): take(bytes, context)
        case .end: endRequest(context)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if !isWhole {
            watch.watchBody(isWaiting: { [self] in isPaused || isHeldBack }) { [self] in
                if let context = self.context { refuse(context, as: .requestTimeout) }
            }
        } else if question == nil, !isLast, !hasParts {
            // What came is not the whole of a head.
            watch.watchHead { [self] in if let context = self.context { close(context) } }
        }
        hasParts = false
        context.fireChannelReadComplete()
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
            // It may read the answer still, but not wait for long.
            if let work {
                context.eventLoop.scheduleTask(in: .seconds(Self.patienceSeconds)) { work.abandon() }
            }
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
    var isWhole: Bool { if case .none = incoming { true } else { false } }

    private func begin(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        number &+= 1
        watch.stop()
        drainLimit = Self.mostDrained
        let address = connections.proxies.client(
            peer: peerAddress, forwardedFor: head.headers["x-forwarded-for"], forwarded: head.headers["forwarded"])
        work = RequestWork(from: address)
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
        watch.count(bytes.readableBytes)
        guard mayHold(bytes, context) else { return }
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
            if count + bytes.readableBytes > drainLimit { close(context) }
        }
    }

    /// Whether there is room for these bytes of a body; the request is refused where there is none.
    private func mayHold(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) -> Bool {
        if case .draining = incoming { return true }
        guard !isWhole, let work else { return true }
        var held = hold ?? BodyBudget.Hold(from: work.address)
        do throws(BodyBudget.Refusal) {
            try connections.bodies.take(bytes.readableBytes, for: &held, of: work.client?.user)
            hold = held
            return true
        } catch {
            hold = held
            refuse(context, as: error == .total ? .serviceUnavailable : .tooManyRequests, error.words)
            return false
        }
    }

    /// Gives back what the body of the newest request held.
    func releaseBody() {
        work = nil
        guard let held = hold else { return }
        connections.bodies.release(held)
        hold = nil
    }

    private func endRequest(_ context: ChannelHandlerContext) {
        watch.stop()
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
        Task { [answer, channel = context.channel, work] in
            await RequestWork.$current.withValue(work) { await stream.send(answer(request, channel)) }
        }
    }

    /// Goes on reading a body of which more is wanted.
    func resumeReading(_ number: UInt32) {
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
        watch.stop()
        work?.abandon()
        releaseBody()
        incoming = .none
        question = nil
        onWritable?.fail(ChannelError.ioOnClosedChannel)
        onWritable = nil
        heldEnd = nil
        slowReader?.stop()
    }

    /// Answers what is no request, or not the whole of one, and ends the connection: nobody knows where the next would
    /// begin.
    ///
    /// - Parameter words: why, for a person, as CouchDB tells it.
    private func refuse(
        _ context: ChannelHandlerContext, as status: HTTPResponseStatus = .badRequest, _ words: String? = nil
    ) {
        // Nothing follows a response that was the last or whose request is broken; within one nobody would hear it.
        if question == nil ? isLast || !isWhole : hasBegunResponse {
            if question != nil { return close(context) }
            isLast = true
            incoming = .none
            return leaveIfOver()
        }
        dropRequest()
        isLast = true
        let body = ByteBuffer(
            bytes: words.map { words in
                let fault = CouchError(.init(code: Int(status.code)), "too_many_requests", words)
                return JSONWriter.object { $0.couchFault(fault) }
            } ?? [])
        var headers: HTTPHeaders = ["connection": "close", "content-length": "\(body.readableBytes)"]
        if words != nil { headers.add(contentsOf: ["content-type": "application/json", "retry-after": "5"]) }
        context.write(
            wrapOutboundOut(.head(.init(version: .http1_1, status: status, headers: headers))), promise: nil)
        if body.readableBytes > 0 { context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil) }
        writeEnd(nil, context)
        context.flush()
    }

    func close(_ context: ChannelHandlerContext) {
        dropRequest()
        isLast = true
        context.close(promise: nil)
    }
}
