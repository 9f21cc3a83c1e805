import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1

/// Sends the responses of a connection and ends it.
extension ConnectionHandler {
    /// Seconds that the client has to close the connection after its last response.
    private static let farewellSeconds: Int64 = 2
    /// The number of buffered bytes up to which a response ends without waiting for the operating system to accept it.
    private static let smallBytes = 16 << 10
    /// Up to this many bytes, buffered answers are not counted. With more the channel is not writable, and reports when
    /// it is again.
    private static let freeBytes = 64 << 10

    /// Sends parts of a response.
    ///
    /// - Parameter promise: succeeds once more may be sent; fails when the connection has ended.
    func send(_ parts: [ResponseStream.Part], of number: UInt32, _ promise: EventLoopPromise<Void>?) {
        guard number == self.number, question != nil, heldEnd == nil, let context else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        if let upgrade = takeUpgrade(parts) {
            promise?.succeed()
            return hand(over: upgrade, context)
        }
        guard mayBuffer(parts, context) else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return hasBegunResponse ? close(context) : refuse(context, as: .tooManyRequests, AnswerBudget.words)
        }
        for part in parts {
            switch part {
            case .head(var head):
                // The client may or may not send the body that was not requested, so the start of a next request is
                // unknown.
                if isHeldBack { head.makeLast() }
                isLast = isLast || head.isLast
                if head.isRefusal { drainLimit = Self.mostDrainedOfRefused }
                hasBegunResponse = true
                statesLength = head.statesLength
                context.write(wrapOutboundOut(.head(head.onWire)), promise: nil)
            case .body(let bytes): context.write(wrapOutboundOut(.body(.byteBuffer(bytes))), promise: nil)
            case .end(let trailers): endResponse(trailers, context)
            }
        }
        if question != nil { setResetOnClose(statesLength, context) }
        context.flush()
        if answerHold != nil, heldEnd == nil, context.channel.unsentBytes <= Self.freeBytes { releaseAnswers() }
        if let promise {
            if context.channel.isWritable || question == nil { promise.succeed() } else { onWritable = promise }
        }
    }

    /// Whether the budget has room for parts of a response, together with what the client has not read yet.
    private func mayBuffer(_ parts: [ResponseStream.Part], _ context: ChannelHandlerContext) -> Bool {
        let ofBodies = parts.reduce(0) { sum, part in
            if case .body(let body) = part { sum + body.readableBytes } else { sum }
        }
        // A channel that is writable has at most as many bytes as that. Nearly all answers end here.
        if answerHold == nil, ofBodies <= Self.smallBytes, context.channel.isWritable { return true }
        let bytes = context.channel.unsentBytes + ofBodies
        guard bytes > Self.freeBytes, let work else { return true }
        var hold = answerHold ?? AnswerBudget.Hold(of: work)
        defer { answerHold = hold }
        return connections.answers.setBytes(bytes, of: &hold)
    }

    /// Gives back the memory that answers held. At most `freeBytes` of them are still buffered, or the connection ends.
    func releaseAnswers() {
        guard let held = answerHold else { return }
        answerHold = nil
        connections.answers.release(held)
    }

    /// Takes the upgrade that the request's handler prepared, if these parts begin the answer 101.
    private func takeUpgrade(_ parts: [ResponseStream.Part]) -> WebSocketUpgrade? {
        guard case .head(let head) = parts.first, head.onWire.status == .switchingProtocols, isWhole else { return nil }
        return work?.takeUpgrade()
    }

    /// Ends a response. A large one ends once the operating system has accepted its whole body, because a graceful stop
    /// closes the connection right behind the end.
    private func endResponse(_ trailers: HTTPFields?, _ context: ChannelHandlerContext) {
        guard context.channel.unsentBytes > Self.smallBytes else { return completeResponse(trailers, context) }
        context.flush()
        guard context.channel.unsentBytes > 0 else { return completeResponse(trailers, context) }
        setResetOnClose(statesLength, context)
        heldEnd = HeldEnd(trailers: trailers)
        watchSlowReader(context)
        let accepted = context.eventLoop.makePromise(of: Void.self)
        accepted.futureResult.assumeIsolated().whenSuccess { [self] in
            guard let end = heldEnd, let context = self.context else { return }
            completeResponse(end.trailers, context)
            context.flush()
        }
        // Writes are accepted in order, and an empty part of a body puts nothing on the wire.
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer()))), promise: accepted)
    }

    private func completeResponse(_ trailers: HTTPFields?, _ context: ChannelHandlerContext) {
        if heldEnd != nil {
            slowReader?.stop()
            // Not earlier: a channel with TLS becomes writable now and then while much of the answer still waits.
            releaseAnswers()
        }
        heldEnd = nil
        setResetOnClose(false, context)
        // This comes before the writes, because a write may let the next request in.
        question = nil
        releaseBody()
        if case .streaming = incoming {
            incoming = isHeldBack ? .none : .draining(0)
            resumeReading(number)
        }
        writeEnd(trailers, context)
    }

    func writeEnd(_ trailers: HTTPFields?, _ context: ChannelHandlerContext) {
        unsent += 1
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.assumeIsolated().whenComplete { [self] _ in
            unsent -= 1
            leaveIfOver()
        }
        context.write(wrapOutboundOut(.end(trailers.map(HTTPHeaders.init))), promise: sent)
    }

    /// Ends the connection once its last response is on its way.
    func leaveIfOver() {
        guard isLast, question == nil, isWhole, unsent == 0, !isOutputClosed, let context else { return }
        isOutputClosed = true
        if isInputClosed { return context.close(promise: nil) }
        // Closes only the output. If data still arrived at a closed socket, the client would lose the answer.
        context.close(mode: .output, promise: nil)
        context.eventLoop.assumeIsolated().scheduleTask(in: .seconds(Self.farewellSeconds)) { [self] in
            self.context?.close(promise: nil)
        }
    }

    /// Closes the connection in the middle of a response.
    func breakOff(_ number: UInt32) {
        guard number == self.number, let question, let context else { return }
        // Where the end of the connection ends the body, an abort must not look like a regular end.
        if !question.isCurrent { setResetOnClose(true, context) }
        close(context)
    }

    /// Sets whether the connection ends with a reset (RFC 9293, section 3.10.7.4) if it ends now, also when the process
    /// is killed.
    ///
    /// It does while a body of a stated length is not sent whole: some clients, Node's `node-fetch` among them, take a
    /// regular end there for a pause, and wait for the rest forever.
    private func setResetOnClose(_ isOn: Bool, _ context: ChannelHandlerContext) {
        guard isOn != resetsOnClose else { return }
        resetsOnClose = isOn
        let option = linger(l_onoff: isOn ? 1 : 0, l_linger: 0)
        _ = (context.channel as? any SocketOptionProvider)?.setSoLinger(option)
    }
}
