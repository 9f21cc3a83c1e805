import Crypto
import Foundation
import MusterKit
import MusterServer
import MusterWire
import NIOCore
import NIOPosix
import Synchronization
import Testing

/// The article's scenario with a real push between: what the server hands to the device's push service is what the
/// device reads.
@Suite struct PushedDatasetTests {
    @Test func `device A changes a dataset, device B receives a push, and synchronizes`() async throws {
        let service = StandInAPNs()
        try await service.run { address in
            let configure: (inout Configuration) throws -> Void = { settings in
                settings.allowsPrivateTargets = true
                settings.push.apns = try APNsCredentials(
                    key: P256.Signing.PrivateKey().pemRepresentation, keyID: "ABC123DEFG", teamID: "DEF123GHIJ",
                    topic: "org.example.app", url: address)
            }
            try await RunningServer.run(configuredBy: configure) { server in
                let (deviceA, deviceB) = try await DatasetDevice.pair(at: server)
                let tokens = ["a1a1a1a1a1a1a1a1", "b2b2b2b2b2b2b2b2"]
                let datasetOfA = try deviceA.muster.dataset("myDataset")
                let datasetOfB = try deviceB.muster.dataset("myDataset")
                for (device, dataset, byte) in [(deviceA, datasetOfA, 0xA1), (deviceB, datasetOfB, 0xB2)] {
                    try await device.muster.registerDevice(Data(repeating: UInt8(byte), count: 8))
                    try await dataset.subscribe()
                }

                // Device A changes.
                try await datasetOfA.put("dark", for: "theme")
                try await datasetOfA.synchronize()

                // Device B is told.
                let first = try await service.push(at: 0)
                #expect(first.token == tokens[1])
                let update = try #require(Muster.PushUpdate(try first.userInfo))
                let ids = try await deviceB.ask("cognito")
                #expect(update.source == "cognito-sync" && update.datasetName == "myDataset")
                #expect(update.identityPoolID == ids["identityPoolId"]?.string)
                #expect(update.identityID == ids["identityId"]?.string)

                // lastSyncCount < syncCount: device B synchronizes.
                let dataset = try deviceB.muster.dataset(update.datasetName)
                #expect(try await dataset.lastSyncCount < update.syncCount)
                try await dataset.synchronize()
                #expect(try await dataset.get("theme") == "dark")
                #expect(try await dataset.lastSyncCount == update.syncCount)

                // What device B changes, device A is told, and it has not been told of its own change before.
                try await datasetOfB.put("7", for: "volume")
                try await datasetOfB.synchronize()
                let second = try await service.push(at: 1)
                #expect(second.token == tokens[0])
                let answer = try #require(Muster.PushUpdate(try second.userInfo))
                #expect(try await datasetOfA.lastSyncCount < answer.syncCount)
                try await datasetOfA.synchronize()
                #expect(try await datasetOfA.get("volume") == "7")
                try await deviceA.close()
                try await deviceB.close()
            }
        }
    }
}

/// Takes every message, as Apple's service does, and keeps it.
private final class StandInAPNs: Sendable {
    struct Push: Sendable {
        let token: String
        let payload: [UInt8]

        /// The payload as the operating system hands it to an app.
        var userInfo: [AnyHashable: Any] {
            get throws {
                let object = try JSONSerialization.jsonObject(with: Data(payload))
                return try #require(object as? [AnyHashable: Any])
            }
        }
    }

    private let pushes = Mutex<[Push]>([])

    /// Listens while `body` runs, which is given the address.
    func run(_ body: (String) async throws -> Void) async throws {
        let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Connection(to: self))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        do {
            try await body("http://127.0.0.1:\(listener.localAddress?.port ?? 0)")
        } catch {
            try await listener.close()
            throw error
        }
        try await listener.close()
    }

    /// The message that comes as this one of all, once it is there.
    func push(at index: Int) async throws -> Push {
        try await until { pushes.withLock { $0.count } > index }
        return try pushes.withLock { pushes in
            try #require(pushes.count == index + 1)
            return pushes[index]
        }
    }

    private func receive(_ request: String) {
        let parts = request.split(separator: "\r\n\r\n", maxSplits: 1)
        let token = request.prefix { $0 != "\r\n" }.split(separator: "/").dropFirst(3).first?.prefix { $0 != " " }
        guard parts.count == 2, let token else { return }
        pushes.withLock { $0.append(Push(token: String(token), payload: Array(parts[1].utf8))) }
    }

    /// Reads requests of HTTP/1.1, and answers each with 200.
    private final class Connection: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let service: StandInAPNs
        private var request = ByteBuffer()

        init(to service: StandInAPNs) { self.service = service }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            request.writeImmutableBuffer(unwrapInboundIn(data))
            guard PickyNetwork.isWhole(request) else { return }
            service.receive(String(buffer: request))
            request.clear()
            let answer = ByteBuffer(string: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
        }
    }
}
