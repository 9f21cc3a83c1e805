import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1

/// Handles one connection: assembles requests, answers each in a task of its own, and sends the responses.
/// `HTTPServerPipelineHandler` before it holds a request back until the previous one has been answered.
final class ConnectionHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// The state of the newest request.
    enum Incoming {
        /// The request has arrived completely, or there is none.
        case none
        /// The request has a small body or none. It is answered once it has arrived completely.
        case gathering(HTTPRequestHead, ByteBuffer)
        /// The request is being answered by a handler that reads the body while it arrives.
        case streaming(RequestBodySource)
        /// The rest of the body is read and dropped; this many bytes of it so far.
        case draining(Int)
    }

    /// The largest body, in bytes, that is awaited before the request is answered.
    private static let mostGathered = 64 << 10
    /// The largest number of unwanted body bytes that are read so that the client receives the answer. It exceeds the
    /// largest accepted body.
    static let mostDrained = 128 << 20
    /// The largest number of unwanted body bytes that are read of a request whose response closes the connection.
    static let mostDrainedOfRefused = 1 << 20
    /// Seconds that a request continues after the client has closed its sending half.
    private static let halfClosedTimeoutSeconds: Int64 = 2
    /// Seconds between two checks of whether data has arrived.
    private static let checkIntervalSeconds: Int64 = 60
    /// The number of checks without a request after which the connection is closed.
    private static let quietCheckLimit = 10

    let connections: OpenConnections
    private let respond: HTTPConnection.Responder
    /// Created when the client first reads too slowly.
    private(set) var slowReader: SlowReader?
    var context: ChannelHandlerContext?
    var incoming = Incoming.none
    /// The newest request, until its response has been sent completely.
    var question: ResponseHead.Question?
    var hasBegunResponse = false
    /// Whether the head of the newest response states the length of its body.
    var statesLength = false
    /// Whether the connection would end with a reset now.
    var resetsOnClose = false
    /// Whether the client waits for `100 Continue` before it sends the body (RFC 9110, section 10.1.1).
    var isHeldBack = false
    /// The number of the newest request.
    var number: UInt32 = 0
    /// Responses that the operating system has not accepted completely.
    var unsent = 0
    /// Whether the connection ends with the current response.
    var isLast = false
    /// Whether the client, or this server, has closed its sending half.
    var isInputClosed = false
    var isOutputClosed = false
    /// Whether the body's reader wants no more for now, and whether reading was requested meanwhile.
    private var isPaused = false
    private var isReadPending = false
    /// Succeeds once more may be sent.
    var onWritable: EventLoopPromise<Void>?
    /// The end of a response that the operating system has not accepted completely. Until it is written, no other
    /// request is answered. So answers do not pile up, and the server does not mistake the connection for an idle one.
    var heldEnd: HeldEnd?
    /// The next periodic check of the connection; see `checkProgress`.
    private var nextCheck: Scheduled<Void>?
    private var hasReceived = false
    private var quietChecks = 0
    /// The work for the newest request while it has no answer, and the memory that its body holds.
    private(set) var work: RequestWork?
    private var hold: BodyBudget.Hold?
    /// The memory that answers hold which the client has not read.
    var answerHold: AnswerBudget.Hold?
    private let watch: IncomingWatch
    var drainLimit = ConnectionHandler.mostDrained
    /// Whether a part of a request has arrived since the last read of the socket began.
    private var hasParts = false
    private let peerAddress: String

    struct HeldEnd {
        let trailers: HTTPFields?
    }

    init(of channel: any Channel, in connections: OpenConnections, respond: @escaping HTTPConnection.Responder) {
        self.connections = connections
        self.respond = respond
        peerAddress = channel.remoteAddress?.ipAddress ?? ""
        watch = IncomingWatch(on: channel.eventLoop, connections.limits)
        connections.opened(channel)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        scheduleCheck(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        nextCheck?.cancel()
        nextCheck = nil
        watch.stop()
        slowReader?.stop()
        releaseAnswers()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        hasReceived = true
        hasParts = true
        guard !isLast || question != nil || !isWhole else { return }
        switch unwrapInboundIn(data) {
        case .head(let head): begin(head, context)
        case .body(let bytes): receiveBody(bytes, context)
        case .end: endRequest(context)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if !isWhole {
            watch.watchBody(isWaiting: { [self] in isPaused || isHeldBack }) { [self] in
                if let context = self.context { refuse(context, as: .requestTimeout) }
            }
        } else if question == nil, !isLast, !hasParts {
            // Only a part of a request's head has arrived.
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
            if heldEnd == nil {
                slowReader?.stop()
                releaseAnswers()
            }
        } else {
            watchSlowReader(context)
        }
        context.fireChannelWritabilityChanged()
    }

    /// Watches whether the client reads what is buffered for it.
    func watchSlowReader(_ context: ChannelHandlerContext) {
        if slowReader == nil { slowReader = SlowReader(of: context.channel, connections) }
        slowReader?.watch()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed {
            // A client that has gone and one that closed only its sending half look alike. A client that waits for a
            // feed has no reason to close that half.
            connections.endWatch(context.channel)
            isInputClosed = true
            isLast = true
            // The client may still read the answer, but the server waits only briefly.
            if let work {
                context.eventLoop.scheduleTask(in: .seconds(Self.halfClosedTimeoutSeconds)) { work.abandon() }
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
        // The client of a closed connection cannot receive an answer.
        case is HTTPParserError: if context.channel.isActive { refuse(context) }
        // NIO reports each further part of an unreadable request. The request has been refused already, and that answer
        // may still wait for its turn.
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
            sendContinue(number)
        } else {
            let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
            let onFirstRead: @Sendable () -> Void = { [eventLoop = context.eventLoop, number] in
                eventLoop.execute { bound.value.sendContinue(number) }
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

    /// Sends `100 Continue` to a client that waits with a body.
    private func sendContinue(_ number: UInt32) {
        guard number == self.number, isHeldBack, !hasBegunResponse, question != nil, let context else { return }
        isHeldBack = false
        let head = HTTPResponseHead(version: .http1_1, status: .continue)
        context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
    }

    private func receiveBody(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        isHeldBack = false
        watch.count(bytes.readableBytes)
        guard mayHold(bytes, context) else { return }
        switch incoming {
        case .none: break
        case .gathering(let head, var body):
            // Keeps a single reference to the buffer, so that appending does not copy it.
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

    /// Whether the budget has room for these body bytes. Refuses the request where it has none.
    private func mayHold(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) -> Bool {
        if case .draining = incoming { return true }
        guard !isWhole, let work else { return true }
        var held = hold ?? BodyBudget.Hold(from: work.address)
        do throws(BodyBudget.Refusal) {
            try connections.bodies.countBytes(bytes.readableBytes, for: &held, of: work.client?.number)
            hold = held
            return true
        } catch {
            hold = held
            refuse(context, as: error == .total ? .serviceUnavailable : .tooManyRequests, error.words)
            return false
        }
    }

    /// Gives back the memory that the newest request's body held.
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
            // The reader asks for no more of a body that has ended.
            resumeReading(number)
        case .draining: leaveIfOver()
        }
    }

    private func respond(
        to head: HTTPRequestHead, _ body: RequestBody, _ question: ResponseHead.Question,
        _ context: ChannelHandlerContext
    ) {
        guard let head = try? HTTPRequest(reading: head, allowsMethodOverride: connections.policy.allowsMethodOverride)
        else { return refuse(context) }
        let request = Request(head: head, body: body)
        let stream = ResponseStream(over: self, on: context.eventLoop, number, question)
        Task { [respond, channel = context.channel, work] in
            await RequestWork.$current.withValue(work) { await stream.send(respond(request, channel)) }
        }
    }

    /// Resumes reading a body whose reader wants more.
    func resumeReading(_ number: UInt32) {
        guard number == self.number else { return }
        isPaused = false
        guard isReadPending else { return }
        isReadPending = false
        context?.read()
    }

    /// Reads and drops the rest of a body that the handler does not want.
    private func drain(_ number: UInt32) {
        guard number == self.number, case .streaming = incoming else { return }
        incoming = .draining(0)
        resumeReading(number)
    }

    private func scheduleCheck(_ context: ChannelHandlerContext) {
        nextCheck = context.eventLoop.assumeIsolated().scheduleTask(in: .seconds(Self.checkIntervalSeconds)) { [self] in
            checkProgress()
        }
    }

    /// Ends a connection whose request makes no progress, or that has been unused for long.
    private func checkProgress() {
        guard let context else { return }
        let isQuiet = !hasReceived
        hasReceived = false
        if isQuiet, !isWhole, !isPaused {
            if question == nil { return close(context) }
            refuse(context, as: .requestTimeout)
        }
        quietChecks = isQuiet && question == nil ? quietChecks + 1 : 0
        if quietChecks >= Self.quietCheckLimit { return close(context) }
        scheduleCheck(context)
    }

    /// Drops the current request, because it will have no answer.
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

    /// Answers an invalid or incomplete request and ends the connection, because the start of a next request is
    /// unknown.
    ///
    /// - Parameter words: the reason, for people.
    func refuse(
        _ context: ChannelHandlerContext, as status: HTTPResponseStatus = .badRequest, _ words: String? = nil
    ) {
        // No answer can follow a last response or a broken request, and none can begin within another response.
        if question == nil ? isLast || !isWhole : hasBegunResponse {
            if question != nil { return close(context) }
            isLast = true
            incoming = .none
            return leaveIfOver()
        }
        dropRequest()
        isLast = true
        let body = ByteBuffer(bytes: words.map { connections.policy.refusalBody($0) } ?? [])
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
