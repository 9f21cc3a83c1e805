import NIOCore
import NIOEmbedded
import NIOTLS
import Testing

@testable import MusterHTTP

/// A TLS handshake has a deadline, which no byte of it moves.
@Suite struct HandshakeDeadlineTests {
    private func channel() throws -> EmbeddedChannel {
        let channel = EmbeddedChannel(handler: HandshakeDeadline(seconds: 20))
        try channel.connect(to: .init(unixDomainSocketPath: "/client")).wait()
        return channel
    }

    private func isDeadlineOver(of channel: EmbeddedChannel) -> Bool {
        (try? channel.pipeline.syncOperations.handler(type: HandshakeDeadline.self)) == nil
    }

    @Test func `a connection whose handshake is not complete in time is closed`() throws {
        let channel = try channel()
        for _ in 0..<19 {
            channel.embeddedEventLoop.advanceTime(by: .seconds(1))
            try channel.writeInbound(ByteBuffer(repeating: 0, count: 1))
            #expect(channel.isActive)
        }
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
    }

    @Test func `a connection with a complete handshake stays, without the handler`() throws {
        let channel = try channel()
        channel.pipeline.fireUserInboundEventTriggered(TLSUserEvent.handshakeCompleted(negotiatedProtocol: nil))
        #expect(isDeadlineOver(of: channel))
        channel.embeddedEventLoop.advanceTime(by: .seconds(3_600))
        #expect(channel.isActive)
        _ = try channel.finish()
    }
}
