import Crypto
import Foundation
import MusterTerminal
import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import SwiftASN1
import X509

/// Clients that open TLS connections, ask for far more than fits the buffers of the system, and read nothing.
struct UnreadTLS: Attacker {
    let name = "tls, answers unread"
    private static let lanes = 100
    /// How long a client holds a connection before it opens another.
    private static let holdSeconds = 10

    private let address: (host: String, port: Int)
    /// Sent in turn, each as often as `repetitions` says.
    private let requests: [ByteBuffer]
    private static let repetitions = 20
    private let context: NIOSSLContext
    private let group: any EventLoopGroup

    static func prepare(
        on server: BenchServer, _ mallory: Mallory, group: any EventLoopGroup
    ) async throws -> UnreadTLS {
        guard let port = server.tlsPort else { throw CommandFailure("the server has no port with TLS") }
        try await Attackers.storeDocuments(
            of: mallory, OneRequest(host: server.load.host, port: server.load.port, group: group))
        var requests = (0..<lanes).map { lane in
            HTTPAnswer.request(
                "GET", "/api/v1/openapi.json", token: "", body: [], from: "198.51.\(100 + lane % 100).7")
        }
        // Every fourth is the member's.
        for lane in stride(from: 0, to: lanes, by: 4) {
            requests[lane] = HTTPAnswer.request(
                "GET", Attackers.download, token: mallory.token, body: [], from: Mallory.address)
        }
        return UnreadTLS(
            address: (server.load.host, port), requests: requests, context: try trustingContext(), group: group)
    }

    /// TLS of a client that takes any certificate.
    static func trustingContext() throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateVerification = .none
        return try NIOSSLContext(configuration: configuration)
    }

    func run(until end: ContinuousClock.Instant) async -> AttackTally {
        await withTaskGroup(of: AttackTally.self) { tasks in
            for lane in 0..<Self.lanes { tasks.addTask { await run(lane, until: end) } }
            return await tasks.reduce(into: AttackTally()) { $0.merge($1) }
        }
    }

    private func run(_ lane: Int, until end: ContinuousClock.Instant) async -> AttackTally {
        var tally = AttackTally()
        while ContinuousClock.now < end {
            let asking = group.next().makePromise(of: Void.self)
            do {
                let channel = try await connect(lane, asking)
                try await asking.futureResult.get()
                let until = min(end, .now + .seconds(Self.holdSeconds))
                try await Task.sleep(until: until, clock: .continuous)
                tally.count(channel.isActive ? .unanswered : .refused, channel.isActive ? "held" : "closed")
                try? await channel.close()
            } catch {
                asking.fail(error)
                tally.count(.refused, "no handshake")
                try? await Task.sleep(for: .milliseconds(100))
            }
        }
        return tally
    }

    private func connect(_ lane: Int, _ asking: EventLoopPromise<Void>) async throws -> any Channel {
        let (context, request) = (context, requests[lane])
        return try await ClientBootstrap(group: group)
            .connectTimeout(.seconds(10))
            .channelOption(.socketOption(.so_rcvbuf), value: 4_096)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers(
                        NIOSSLClientHandler(context: context, serverHostname: nil),
                        AskAndStopReading(request, times: Self.repetitions, asking))
                }
            }
            .connect(host: address.host, port: address.port).get()
    }

    /// Writes the files of a certificate that signs itself; nobody verifies it.
    ///
    /// - Returns: the arguments of `serve` that name them.
    static func makeCertificate(in folder: URL) throws -> [String] {
        let key = P256.Signing.PrivateKey()
        let name = try DistinguishedName { CommonName("127.0.0.1") }
        let certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: .init(key.publicKey),
            notValidBefore: .now.addingTimeInterval(-3_600), notValidAfter: .now.addingTimeInterval(86_400),
            issuer: name, subject: name, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: Certificate.Extensions(), issuerPrivateKey: .init(key))
        let (chain, keyFile) = (folder.appending(path: "chain.pem"), folder.appending(path: "key.pem"))
        try Data(certificate.serializeAsPEM().pemString.utf8).write(to: chain)
        try Data(key.pemRepresentation.utf8).write(to: keyFile)
        return ["--tls-certificate", chain.path, "--tls-key", keyFile.path]
    }
}

/// A handler that sends its requests after the TLS handshake, and then stops reading the connection.
private final class AskAndStopReading: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer
    private let request: ByteBuffer
    private let times: Int
    private let asking: EventLoopPromise<Void>

    init(_ request: ByteBuffer, times: Int, _ asking: EventLoopPromise<Void>) {
        self.request = request
        self.times = times
        self.asking = asking
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted = event as? TLSUserEvent {
            try? context.channel.syncOptions?.setOption(.autoRead, value: false)
            for _ in 0..<times { context.write(wrapOutboundOut(request), promise: nil) }
            context.flush()
            asking.succeed()
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) { asking.fail(BrokenConnection()) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        asking.fail(error)
        context.close(promise: nil)
    }
}
