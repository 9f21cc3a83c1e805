import Foundation
import MusterCore
import MusterServer
import MusterTerminal
import MusterWire
import NIOCore

/// Signs requests as an AWS client does. Every request carries the time at which the signer was made.
struct AmazonSigner {
    private struct Key: Decodable {
        var accessKeyId: String
        var secretAccessKey: String
    }

    private let key: Key
    private let host: String
    private let time: String
    private let scope: SignatureV4.Scope
    private let signingKey: SigningKey

    /// Makes an AWS key for a user of the server.
    ///
    /// - Parameter service: the service's name in signatures.
    init(_ server: BenchServer, user: String, service: String) async throws {
        let request = ["label": "bench", "user": user, "kind": "aws"]
        let body = try await server.connection.send("POST", "/keys", json: request)
        key = try JSONDecoder().decode(Key.self, from: body)
        host = "127.0.0.1:\(server.connection.base.port ?? 80)"
        time = Instant(seconds: Date().timeIntervalSince1970).amazonDate
        scope = SignatureV4.Scope(date: String(time.prefix(8)), region: "us-east-1", service: service)
        signingKey = SigningKey(secret: key.secretAccessKey, scope: scope)
    }

    /// Returns a whole HTTP request with its signature.
    func request(_ path: String, _ body: [UInt8]) -> ByteBuffer {
        let names = ["content-type", "host", "x-amz-date"]
        let canonical = SignatureV4.canonicalRequest(
            method: "POST", path: path, query: nil, signedHeaders: names, bodyDigest: SigningKey.digest(of: body)
        ) { name in
            switch name {
            case "content-type": ["application/json"]
            case "host": [host]
            default: [time]
            }
        }
        let text = SignatureV4.stringToSign(
            at: time, scope: scope, digest: SigningKey.digest(of: canonical ?? []))
        let shown = SignatureV4(
            accessKeyID: key.accessKeyId, scope: scope, signedHeaders: names,
            signature: signingKey.signature(of: text))
        var buffer = ByteBufferAllocator().buffer(capacity: body.count + 400)
        buffer.writeString("POST \(path) HTTP/1.1\r\nHost: \(host)\r\nX-Amz-Date: \(time)\r\n")
        buffer.writeString("Authorization: \(shown.authorization)\r\n")
        buffer.writeString("Content-Type: application/json\r\nContent-Length: \(body.count)\r\n\r\n")
        buffer.writeBytes(body)
        return buffer
    }
}
