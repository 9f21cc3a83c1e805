import Crypto
import Foundation
package import MusterCore
package import MusterReplication

/// Sends the sightings of an outbox to the server, oldest first, as one device.
package actor SightingSender {
    /// Why sightings wait.
    package enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// The server cannot be reached.
        case unreachable(reason: String)
        /// The server cannot accept them now. It may state after how many seconds to try again.
        case busy(status: Int, retryAfterSeconds: Double?)
        /// The waiting sightings have times ahead of the server's clock. The server accepts them once its clock has
        /// reached these times.
        case ahead(seconds: Double)
        /// The server refuses the waiting sightings, and its clock differs so much from this device's that either may
        /// be wrong.
        case clocksDiffer(seconds: Double)
        /// The server refuses the waiting sightings, but not for long enough yet to conclude that it always will.
        case refusing(reason: String?)
        /// The server does not accept the token.
        case unauthorized(reason: String)
        /// The token does not belong to a device.
        case noDevice
        /// The outbox cannot be read or written.
        case outbox(SightingOutboxError)
        /// The token cannot be read, or nobody is signed in.
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
            case .noDevice: "the token is not a device's: create one with muster device token"
            case .outbox(let error): "the outbox: \(error)"
            case .noToken(let reason): reason
            }
        }
    }

    /// The result of one request.
    package struct Progress: Hashable, Sendable {
        /// The number of sightings that the server has now.
        package var sent = 0
        /// The number of sightings that the server refused for good, which are removed.
        package var refused = 0
        /// The server's reason for the last that it refused.
        package var reason: String?
    }

    /// The reporter of the sightings: a device or a person.
    private enum Reporter: Sendable {
        /// A device that has its own token. The outbox must be this device's.
        case device(SightingOutbox, token: @Sendable () throws -> String, takesOver: Bool)
        /// A person, who reports as their first device, to which their recorded locations belong.
        case person(@Sendable () -> Session?)
    }

    private let queue: any SightingQueue
    private let reporter: Reporter
    private let server: String
    private let connections: HTTPConnections
    /// The digest of the token, or of the person's name, as which the server last recognized the reporter.
    private var recognized: SHA256.Digest?
    /// The name of the person's device.
    private var device: String?
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
        queue = outbox
        reporter = .device(outbox, token: token, takesOver: takesOver)
        self.server = server
        self.connections = connections
        self.now = now
    }

    /// Sends as a person.
    ///
    /// - Parameter session: returns the person's present session before each round of requests; nil when nobody is
    ///   signed in.
    init(
        _ queue: any SightingQueue, at server: String, connections: HTTPConnections,
        now: @escaping @Sendable () -> Instant = { Instant(seconds: Date().timeIntervalSince1970) },
        session: @escaping @Sendable () -> Session?
    ) {
        self.queue = queue
        reporter = .person(session)
        // A session's address has a slash at its end.
        self.server = server.hasSuffix("/") ? String(server.dropLast()) : server
        self.connections = connections
        self.now = now
    }

    /// Sends until the outbox is empty. When the server refuses a page, the sender narrows it down to single batches,
    /// and removes a batch once it is sure that the server will never accept it.
    ///
    /// - Parameter tell: called after each request that stored or removed sightings.
    /// - Throws: `Failure`; unsent sightings stay in the outbox.
    package func sendAll(_ tell: @Sendable (Progress) async -> Void) async throws(Failure) {
        let (credentials, identity): (PeerCredentials, String)
        do { (credentials, identity) = try self.credentials() } catch { throw .noToken(reason: "\(error)") }
        do {
            try await recognize(credentials, identity)
            while let page = try await queue.page(rowLimit: rowLimit) {
                let body = page.body(of: device)
                let answer = try await post(body, credentials)
                switch answer.status {
                case 200..<300:
                    try await queue.remove(page)
                    rowLimit = min(rowLimit * 2, Self.mostRows)
                    await tell(Progress(sent: page.sightings))
                case 400, 413, 422:
                    switch refusals.verdict(on: answer, rows: page.rows, row: page.last, body: body, now: now()) {
                    case .narrow: rowLimit = page.rows / 2
                    case .wait(let failure): throw failure
                    case .remove:
                        try await queue.remove(page)
                        await tell(Progress(refused: page.sightings, reason: answer.reason))
                    }
                default: throw Self.failure(answer.status, answer.reason, answer.retryAfterSeconds)
                }
            }
        } catch let failure as Failure {
            // The device may have been removed or renamed, so the next round asks the server for it again.
            switch failure {
            case .unauthorized, .refusing: recognized = nil
            default: break
            }
            throw failure
        } catch let error as SightingOutboxError {
            throw .outbox(error)
        } catch {
            throw .unreachable(reason: Self.words(error))
        }
    }

    /// Returns the reporter's credentials, and the text that identifies the reporter: a device's token, or a person's
    /// name.
    private func credentials() throws -> (PeerCredentials, identity: String) {
        switch reporter {
        case .device(_, let token, _):
            let token = try token()
            return (.bearer(token), token)
        case .person(let session):
            guard let session = session() else { throw MusterError.signedOut }
            return (session.credentials, session.user)
        }
    }

    /// Asks the server who the reporter is, unless the server recognized the same reporter last. A new token may belong
    /// to another device, which must not report what this one heard.
    private func recognize(_ credentials: PeerCredentials, _ identity: String) async throws {
        let digest = SHA256.hash(data: Array(identity.utf8))
        if recognized == digest { return }
        recognized = nil
        switch reporter {
        case .device(let outbox, _, let takesOver): try await recognize(outbox, credentials, takesOver)
        case .person:
            device = try await deviceName {
                try await connections.firstDevice(of: identity, at: server, credentials: credentials)
            }
        }
        recognized = digest
    }

    /// Asks the server which device the token belongs to, so that no device reports what another heard.
    private func recognize(
        _ outbox: SightingOutbox, _ credentials: PeerCredentials, _ takesOver: Bool
    ) async throws {
        let device = try await deviceName {
            try await connections.deviceOfToken(at: server, credentials: credentials)
        }
        try await outbox.recognize(device: device, at: server, takesOver: takesOver)
    }

    private func deviceName(by request: () async throws -> String?) async throws -> String {
        do {
            guard let name = try await request() else { throw Failure.noDevice }
            return name
        } catch let error as HTTPConnections.DeviceRequestError {
            throw Self.failure(error.status, error.reason, nil)
        }
    }

    private func post(_ body: [UInt8], _ credentials: PeerCredentials) async throws -> Answer {
        let response = try await connections.open(
            "POST", server + "/api/v1/sightings", json: body, credentials: credentials, deadlineSeconds: 30)
        var answer: [UInt8] = []
        while answer.count < Self.bodyLimit, let piece = try await response.nextPiece() { answer += piece }
        return Answer(response, reason: HTTPConnections.reason(inProblem: answer))
    }

    private static func failure(_ status: Int, _ reason: String?, _ retryAfter: Double?) -> Failure {
        switch status {
        case 401, 403: .unauthorized(reason: reason ?? "status \(status)")
        default: .busy(status: status, retryAfterSeconds: retryAfter)
        }
    }

    private static func words(_ error: any Error) -> String {
        if case ReplicationError.unreachable(let reason) = error { return reason }
        return "\(error)"
    }
}
