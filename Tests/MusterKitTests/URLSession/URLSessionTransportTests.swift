import Foundation
import MusterKit
import MusterReplication
import Testing

/// The transport that an app on an Apple device may choose, with a real server over a real socket.
@Suite struct URLSessionTransportTests {
    @Test func `a device signs in, records and sends through URLSession`() async throws {
        try await RunningServer.run { server in
            _ = try await server.member("ann", of: nil)
            let transport = URLSessionTransport()
            var options = Muster.Options()
            options.connections = HTTPConnections(transport)
            let muster = try await Muster.open(
                server.address, store: URL(filePath: temporaryPath()),
                credentials: FileCredentialKeeper(path: temporaryPath()), options: options)
            await #expect {
                try await muster.signIn(user: "ann", password: "wrong password")
            } throws: { error in
                if case MusterError.refused = error { true } else { false }
            }
            try await muster.signIn(user: "ann", password: RunningServer.memberPassword)
            for index in 0..<3 {
                try await muster.report(
                    .init(latitude: 52, longitude: 13, time: Date(timeIntervalSinceNow: -60 * Double(index + 1))))
            }
            try await muster.send()
            #expect(try await server.positions(of: "ann") == 3)
            try await muster.close()
            await transport.close()
        }
    }

    @Test func `a large body flows to the server and back`() async throws {
        try await RunningServer.run { server in
            let session = try await server.member("ann", of: nil)
            let transport = URLSessionTransport()
            let proof = HTTPHeaderField(
                "Authorization", "Basic " + Data("ann:\(RunningServer.memberPassword)".utf8).base64EncodedString())
            let url = "\(session.database)/file/bytes"
            let piece = [UInt8](repeating: 7, count: 1 << 20)
            let length = 7
            let sent = try await transport.send(
                HTTPTransportRequest(
                    method: "PUT", url: url, headers: [proof, HTTPHeaderField("Content-Type", "text/plain")],
                    body: .stream(
                        AsyncThrowingStream { stream in
                            for _ in 0..<length { stream.yield(piece) }
                            stream.finish()
                        }, length: Int64(length << 20)), deadlineSeconds: 60))
            #expect(sent.status == 201)
            let got = try await transport.send(HTTPTransportRequest(method: "GET", url: url, headers: [proof]))
            #expect(got.status == 200)
            #expect(got.header("content-length") == String(length << 20))
            var count = 0
            while let piece = try await got.nextPiece() {
                #expect(!piece.isEmpty && piece.allSatisfy { $0 == 7 })
                count += piece.count
            }
            #expect(count == length << 20)
            await transport.close()
        }
    }

    @Test func `a request that hangs ends with its task, and by its deadline`() async throws {
        try await RunningServer.run { server in
            let network = PickyNetwork(to: server)
            network.decide { _ in .hangs }
            try await network.run { address in
                let transport = URLSessionTransport()
                let hanging = Task {
                    try await transport.send(HTTPTransportRequest(method: "GET", url: address + "/"))
                }
                try await until { network.hung == 1 }
                hanging.cancel()
                await #expect(throws: CancellationError.self) { try await hanging.value }
                await #expect {
                    try await transport.send(
                        HTTPTransportRequest(method: "GET", url: address + "/", deadlineSeconds: 1))
                } throws: { error in
                    if case ReplicationError.unreachable = error { true } else { false }
                }
                await transport.close()
            }
        }
    }
}
