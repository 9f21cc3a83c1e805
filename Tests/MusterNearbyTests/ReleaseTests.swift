import Foundation
import MusterCore
import MusterGeometry
import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import Synchronization
import Testing

@testable import MusterNearby

/// What devices hold after they have parted: nothing.
@Suite(.timeLimit(.minutes(5))) struct ReleaseTests {
    private func device(_ name: String, dialling port: Int? = nil) throws -> Nearby {
        var options = Nearby.Options(name: name)
        options.host = "127.0.0.1"
        let source = SimulatedRanging(.standing(east: 0, north: 0, heading: 90), noise: .none, seed: 1, rate: 50)
        let found = port.map { [StaticDiscovery([NearbyAddress(host: "127.0.0.1", port: $0)])] } ?? []
        return try Nearby(options: options, source: source, store: try NearbyStore(), discovery: found) { _ in true }
    }

    /// Runs a device until `body` returns, and then to its end.
    private func whileRunning(_ device: Nearby, _ body: (Int) async throws -> Void) async throws {
        let running = Task { try await device.run() }
        defer { running.cancel() }
        var port = 0
        for await event in device.events {
            if case .listening(let open) = event { port = open }
            if port != 0 { break }
        }
        try await body(port)
        running.cancel()
        _ = await running.result
    }

    /// Waits until an object is released. The last tasks of the event loop may still hold it.
    private func awaitRelease(_ object: () -> AnyObject?, _ loop: any EventLoop) async throws {
        while object() != nil {
            try Task.checkCancellation()
            try await loop.submit {}.get()
        }
    }

    @Test func `two devices that measured each other are released when they have ended`() async throws {
        weak var (first, second): (Nearby?, Nearby?)
        let loop: any EventLoop
        do {
            let ana = try device("ana")
            (first, loop) = (ana, ana.loop.eventLoop)
            try await whileRunning(ana) { port in
                let ben = try device("ben", dialling: port)
                second = ben
                let running = Task { try await ben.run() }
                for await event in ben.events { if case .update(_, .measured) = event { break } }
                running.cancel()
                _ = await running.result
            }
        }
        try await awaitRelease({ first }, loop)
        try await awaitRelease({ second }, loop)
    }

    @Test func `a stranger who resets the connection after the handshake leaves nothing`() async throws {
        weak var first: Nearby?
        let loop: any EventLoop
        do {
            let ana = try device("ana")
            (first, loop) = (ana, ana.loop.eventLoop)
            try await whileRunning(ana) { port in
                for _ in 0..<8 { try await resetAfterHandshake(port) }
            }
        }
        try await awaitRelease({ first }, loop)
    }

    private func resetAfterHandshake(_ port: Int) async throws {
        let tls = try NearbyStore().identity.tlsContext(isServer: false)
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let verify: NIOSSLCustomVerificationCallback = { _, promise in promise.succeed(.certificateVerified)
                    }
                    try channel.pipeline.syncOperations.addHandlers(
                        NIOSSLClientHandler(context: tls, serverHostname: nil, customVerificationCallback: verify),
                        ResetAfterHandshake())
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        try await channel.closeFuture.get()
    }

    /// Closes the socket without a goodbye as soon as TLS is there.
    private final class ResetAfterHandshake: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            guard case .handshakeCompleted = event as? TLSUserEvent else { return }
            let channel = context.channel
            guard let provider = channel as? any SocketOptionProvider else { return }
            provider.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { _ in
                // Past the pipeline, so that TLS says nothing.
                channel._channelCore.close0(error: ChannelError.eof, mode: .all, promise: nil)
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {}
    }

    @Test func `a note sent on the event loop goes out after the present task`() async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let sent = Mutex(0)
        let link = RangingLink(on: LoopExecutor(loop)) { _ in sent.withLock { $0 += 1 } }
        let duringTask = try await loop.submit {
            link.send([1])
            return sent.withLock { $0 }
        }.get()
        #expect(duringTask == 0)
        #expect(try await loop.submit { sent.withLock { $0 } }.get() == 1)
    }
}
