import NIOCore
import NIOHTTP1

/// Hands a connection over to another protocol.
extension ConnectionHandler: RemovableChannelHandler {
    /// Answers the newest request with the upgrade's head, and lets the upgrade's handlers take over.
    ///
    /// The parser is removed first, one turn of the event loop later. It read nothing behind the request, and what it
    /// holds of that is dropped: a client must wait for the head.
    func hand(over upgrade: WebSocketUpgrade, _ context: ChannelHandlerContext) {
        let pipeline = context.pipeline.syncOperations
        do {
            let turns = try pipeline.handler(type: HTTPServerPipelineHandler.self)
            let parser = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            let encoder = try pipeline.handler(type: HTTPResponseEncoder.self)
            question = nil
            releaseBody()
            pipeline.removeHandler(turns, promise: nil)
            let removed = pipeline.removeHandler(parser)
            let bound = NIOLoopBound((self, encoder), eventLoop: context.eventLoop)
            removed.whenSuccess { bound.value.0.complete(upgrade, bound.value.1) }
        } catch {
            close(context)
        }
    }

    private func complete(_ upgrade: WebSocketUpgrade, _ encoder: HTTPResponseEncoder) {
        guard let context, context.channel.isActive, !isInputClosed else { return }
        let pipeline = context.pipeline.syncOperations
        context.write(wrapOutboundOut(.head(upgrade.head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        let channel = context.channel
        pipeline.removeHandler(encoder, promise: nil)
        pipeline.removeHandler(context: context, promise: nil)
        do {
            try upgrade.takeOver(channel)
        } catch {
            channel.close(promise: nil)
        }
    }
}
