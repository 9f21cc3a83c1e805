import NIOCore
import NIOEmbedded
import Testing

@testable import MusterHTTP
@testable import MusterServer

@Suite struct SlowReaderTests {
    private let channel = EmbeddedChannel()

    /// A channel to which so much was sent that it takes no more.
    private func sending(_ counts: [Int], in connections: OpenConnections = OpenConnections()) throws -> SlowReader {
        try channel.connect(to: .init(unixDomainSocketPath: "/reader")).wait()
        for count in counts { channel.write(ByteBuffer(repeating: 0, count: count), promise: nil) }
        let reader = SlowReader(of: channel, connections)
        reader.watch()
        return reader
    }

    private func pass(seconds: Int) { channel.embeddedEventLoop.advanceTime(by: .seconds(Int64(seconds))) }

    @Test func `a reader that reads nothing is disconnected`() throws {
        _ = try sending([100])
        pass(seconds: SlowReader.stallTimeoutSeconds - 1)
        #expect(channel.isActive)
        pass(seconds: 1)
        #expect(!channel.isActive)
    }

    @Test func `a slow reader gets the whole answer`() throws {
        let reader = try sending([])
        for _ in 0..<5 {
            // What was sent is taken, and more is sent before the next look.
            channel.write(ByteBuffer(repeating: 0, count: 100), promise: nil)
            pass(seconds: SlowReader.stallTimeoutSeconds - 1)
            channel.flush()
            pass(seconds: 1)
            #expect(channel.isActive)
        }
        reader.stop()
    }

    @Test func `a reader that has read everything is not disconnected`() throws {
        let reader = try sending([100])
        pass(seconds: SlowReader.stallTimeoutSeconds - 1)
        reader.stop()
        pass(seconds: SlowReader.stallTimeoutSeconds)
        #expect(channel.isActive)
    }
}
