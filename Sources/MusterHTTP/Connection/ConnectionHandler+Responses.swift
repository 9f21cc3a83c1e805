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

    /// Sends parts of a response.
    ///
    /// - Parameter promise: succeeds once more may be sent; fails when the connection has ended.
    func send(_ parts: [ResponseStream.Part], of number: UInt32, _ promise: EventLoopPromise<Void>?) {
        guard number == self.number, question != nil, heldEnd == nil, let context else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
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

    func completeResponse(_ trailers: HTTPFields?, _ context: ChannelHandlerContext) {
        heldEnd = nil
        // Must come before the writes, because they may let the next request in.
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
        if !question.isCurrent {
            // Where the end of the connection ends the body, an abort must not look like a regular end.
            let abruptly = linger(l_onoff: 1, l_linger: 0)
            _ = (context.channel as? any SocketOptionProvider)?.setSoLinger(abruptly)
        }
        close(context)
    }
}
