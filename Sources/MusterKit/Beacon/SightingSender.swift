import Crypto
import Foundation
package import MusterCore
package import MusterReplication
import MusterWire

/// Sends the sightings of an outbox to the server, oldest first, as one device.
package actor SightingSender {
    /// Why sightings wait.
    package enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// The server cannot be reached.
        case unreachable(reason: String)
        /// The server cannot take them now. It may state after how many seconds to try again.
        case busy(status: Int, retryAfterSeconds: Double?)
        /// What waits has times that lie ahead of the server's clock. The server takes it once its clock is there.
        case ahead(seconds: Double)
        /// The server refuses what waits, and its clock is so far from this device's that nobody knows which is right.
        case clocksDiffer(seconds: Double)
        /// The server refuses what waits, and it is too early to believe that it always will.
        case refusing(reason: String?)
        /// The server does not accept the token.
        case unauthorized(reason: String)
        /// The token is no device's.
        case noDevice
        /// The outbox cannot be read or written.
        case outbox(SightingOutboxError)
        /// There is no token now.
        case noToken(reason: String)

        /// Whether a later attempt may succeed.
        package var isPassing: Bool {
            switch self {
            case .noDevice, .outbox(.otherDevice): false
            default: true
            }
        }

        /// One sentence without a full stop.
        package var description: String {
            switch self {
            case .unreachable(let reason): "the server cannot be reached: \(reason)"
            case .busy(let status, _): "the server cannot take them now (status \(status))"
            case .ahead(let seconds):
                "the clock of this device is ahead of the server's: what it heard is of \(Int(seconds)) s from now"
            case .clocksDiffer(let seconds):
                "the clocks of this device and of the server differ by \(Int(abs(seconds))) s"
            case .refusing(let reason): "the server refuses them: \(reason ?? "it gives no reason")"
            case .unauthorized(let reason): "the server refuses the token: \(reason)"
            case .noDevice: "the token is no device's: muster device token makes one"
            case .outbox(let error): "the outbox: \(error)"
            case .noToken(let reason): reason
            }
        }
    }

    /// What was sent.
    package struct Progress: Hashable, Sendable {
        /// The number of sightings that the server has now.
        package var sent = 0
        /// The number of sightings that the server refused for good, which are removed.
        package var refused = 0
        /// The server's reason for the last that it refused.
        package var reason: String?
    }

    private let outbox: SightingOutbox
    private let server: String
    private let connections: HTTPConnections
    private let token: @Sendable () throws -> String
    private let takesOver: Bool
    /// The digest of the token by which the server knows the device; nil before it does.
    private var recognized: SHA256.Digest?
    private var refusals = SightingRefusals()
    private let now: @Sendable () -> Instant
    private var rowLimit = SightingSender.mostRows

    /// The most rows of the outbox in one request.
    private static let mostRows = 1_000
    private static let bodyLimit = 1 << 20

    /// - Parameters:
    ///   - server: the server's root address, without a slash at the end.
    ///   - takesOver: whether to send what another device heard, or what was meant for another server.
    ///   - now: this device's clock.
    ///   - token: reads the device's token before each round of requests, so that a new one is used.
    package init(
        _ outbox: SightingOutbox, to server: String, takesOver: Bool = false, connections: HTTPConnections = .shared,
        now: @escaping @Sendable () -> Instant = { Instant(seconds: Date().timeIntervalSince1970) },
        token: @escaping @Sendable () throws -> String
    ) {
        self.takesOver = takesOver
        self.outbox = outbox
        self.server = server
        self.connections = connections
        self.now = now
        self.token = token
    }

    /// Sends until the outbox is empty. What the server refuses is narrowed down to single batches, and removed once it
    /// is sure that the server refuses it for good.
    ///
    /// - Parameter tell: is told of each request that the server answered.
    /// - Throws: `Failure`; what was not sent waits.
    package func sendAll(_ tell: @Sendable (Progress) async -> Void) async throws(Failure) {
        let token: String
        do { token = try self.token() } catch { throw .noToken(reason: "\(error)") }
        do {
            let digest = SHA256.hash(data: Array(token.utf8))
            if recognized != digest {
                // Another token may be another device's, which must not report what this one heard.
                recognized = nil
                try await recognize(token)
                recognized = digest
            }
            while let page = try await outbox.page(rowLimit: rowLimit) {
                let answer = try await post(page.body, token)
                switch answer.status {
                case 200..<300:
                    try await outbox.remove(page)
                    rowLimit = min(rowLimit * 2, Self.mostRows)
                    await tell(Progress(sent: page.sightings))
                case 400, 413, 422:
                    switch refusals.verdict(on: answer, rows: page.rows, row: page.last, body: page.body, now: now()) {
                    case .narrow: rowLimit = page.rows / 2
                    case .wait(let failure): throw failure
                    case .remove:
                        try await outbox.remove(page)
                        await tell(Progress(refused: page.sightings, reason: answer.reason))
                    }
                default: throw Self.failure(answer.status, answer.reason, answer.retryAfterSeconds)
                }
            }
        } catch let failure as Failure {
            if case .unauthorized = failure { recognized = nil }
            throw failure
        } catch let error as SightingOutboxError {
            throw .outbox(error)
        } catch {
            throw .unreachable(reason: Self.words(error))
        }
    }

    /// Asks the server which device the token belongs to, so that no device reports what another heard.
    private func recognize(_ token: String) async throws {
        let (status, body) = try await connections.ask("GET", server + "/api/v1/session", credentials: .bearer(token))
        guard status == 200 else { throw Self.failure(status, Self.reason(body), nil) }
        guard let device = (try? JSONValue(parsing: body))?["device"]?.string else { throw Failure.noDevice }
        try await outbox.recognize(device: device, at: server, takesOver: takesOver)
    }

    private func post(_ body: [UInt8], _ token: String) async throws -> Answer {
        let response = try await connections.open(
            "POST", server + "/api/v1/sightings", json: body, credentials: .bearer(token), deadlineSeconds: 30)
        var answer: [UInt8] = []
        while answer.count < Self.bodyLimit, let piece = try await response.nextPiece() { answer += piece }
        return Answer(response, reason: Self.reason(answer))
    }

    private static func failure(_ status: Int, _ reason: String?, _ retryAfter: Double?) -> Failure {
        switch status {
        case 401, 403: .unauthorized(reason: reason ?? "status \(status)")
        default: .busy(status: status, retryAfterSeconds: retryAfter)
        }
    }

    /// The server's words in a problem document.
    private static func reason(_ body: [UInt8]) -> String? {
        guard let problem = try? JSONValue(parsing: body) else { return nil }
        let fault = problem["errors"]?.elements?.first?["detail"]?.string
        return fault ?? problem["detail"]?.string ?? problem["title"]?.string
    }

    private static func words(_ error: any Error) -> String {
        if case ReplicationError.unreachable(let reason) = error { return reason }
        return "\(error)"
    }
}
