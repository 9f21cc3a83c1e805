import Crypto
import Foundation
import GRDB
import MusterCoding
public import MusterCore
import MusterReplication
import MusterWire

/// Reports to the server how far this device is from others, for proximity rules and for the contacts of an incident.
///
/// Ranges are stored on the disk first, and sent when the server can be reached. With a secret, the device also agrees
/// to be measured: the reporter registers the secret's tag with the server before it sends anything, and the app hands
/// the tag to those with whom it ranges (`Nearby.Options.rangeTag`).
///
/// ```
/// let reporter = try await muster.rangeReporter(secret: try store.rangeSecret())
/// for await event in nearby.events {
///     // A peer's tag comes as `.rangeTag(peer, tag)`, and its distance as `.update(peer, .measured(…))`.
///     if let range { try await reporter.record(range) }
/// }
/// ```
///
/// A device that has a token of its own, and no person, makes the reporter with `init(path:server:secret:token:)`.
public actor RangeReporter {
    /// The credentials that the ranges are reported with.
    enum Reporter: Sendable {
        /// A device's token, read before each round of requests.
        case device(token: @Sendable () throws -> String)
        /// The session of a person, who reports for their first device; nil while nobody is signed in.
        case person(@Sendable () -> Session?)
    }

    private let outbox: RangeOutbox
    private let server: String
    private var secret: RangeSecret?
    private let connections: HTTPConnections
    private let now: @Sendable () -> Instant
    private let reporter: Reporter
    private var thinning = RangeThinning()
    /// The digest of the token, or of the person's name, whose device the server last recognized, and that device.
    private var recognized: (identity: SHA256.Digest, device: String)?
    private var hasAgreed = false
    private var rowLimit = RangeReporter.mostRows

    private static let mostRows = RangeDecoder.limit
    private static let bodyLimit = 1 << 20
    /// A refused range this many seconds ahead of the server's clock may have been refused for that reason.
    private static let aheadSeconds = 30.0
    /// If the two clocks differ by more than this many seconds, either may be wrong.
    private static let skewSeconds = 600.0

    /// Opens the file in which ranges wait, or makes it.
    ///
    /// - Parameters:
    ///   - path: the file; nil keeps ranges in memory.
    ///   - server: the server's root address.
    ///   - secret: the secret of this device's range tag, if its owner agrees to be measured; nil changes nothing
    ///     about that. It is sent to the server alone.
    ///   - token: returns the device's token. It is called before each round of requests.
    /// - Throws: `RangeReportError`.
    public init(
        path: String?, server: String, secret: RangeSecret? = nil, token: @escaping @Sendable () throws -> String
    ) throws(RangeReportError) {
        try self.init(
            path: path, server: server, secret: secret, connections: .shared,
            now: { Instant(seconds: Date().timeIntervalSince1970) }, reporter: .device(token: token))
    }

    init(
        path: String?, server: String, secret: RangeSecret?, connections: HTTPConnections,
        now: @escaping @Sendable () -> Instant, reporter: Reporter
    ) throws(RangeReportError) {
        do { outbox = try RangeOutbox(path: path) } catch { throw RangeReportError(storing: error) }
        self.server = server.hasSuffix("/") ? String(server.dropLast()) : server
        self.secret = secret
        self.connections = connections
        self.now = now
        self.reporter = reporter
    }

    /// Uses another secret for the agreement to be measured from now on; nil changes no agreement that the server has.
    func setSecret(_ secret: RangeSecret?) {
        guard secret != self.secret else { return }
        (self.secret, hasAgreed) = (secret, false)
    }

    /// Closes the file in which ranges wait. Later calls throw.
    func close() throws { try outbox.close() }

    /// Stores a range, if it is worth a report: at most one a second of a peer, and only one that differs from the last
    /// by more than its deviation, or comes ten seconds after it.
    ///
    /// - Returns: whether it was stored; it is on the disk then.
    /// - Throws: `RangeReportError`.
    @discardableResult
    public func record(_ range: MeasuredRange) async throws(RangeReportError) -> Bool {
        guard thinning.isWorthReporting(range) else { return false }
        do { try await outbox.store(range) } catch { throw RangeReportError(storing: error) }
        return true
    }

    /// The number of ranges that wait.
    public var waiting: Int {
        get async throws(RangeReportError) {
            do { return try await outbox.count() } catch { throw RangeReportError(storing: error) }
        }
    }

    /// The result of a round of requests.
    public struct Progress: Hashable, Sendable {
        /// Ranges that the server has now.
        public var stored = 0
        /// Ranges to peers whose tag is not registered: the server stored none of them, and they are removed.
        public var unregistered = 0
        /// Ranges that the server refused for good, which are removed.
        public var refused = 0
    }

    /// Registers this device's tag, unless this reporter has done so, and sends all waiting ranges, oldest first.
    ///
    /// - Throws: `RangeReportError`; unsent ranges stay in the file.
    public func sendAll() async throws(RangeReportError) -> Progress {
        var progress = Progress()
        do {
            let (credentials, device) = try await recognize()
            if let secret, !hasAgreed { try await agree(by: secret, device, credentials) }
            while let page = try await outbox.page(limit: rowLimit) {
                try await send(page, of: device, credentials, &progress)
            }
        } catch {
            throw failure(error)
        }
        return progress
    }

    /// Withdraws this device's agreement to be measured: from now on the server stores no range to it.
    ///
    /// - Throws: `RangeReportError`.
    public func withdraw() async throws(RangeReportError) {
        do {
            let (credentials, device) = try await recognize()
            let (status, body) = try await connections.sendRequest("DELETE", path(of: device), credentials: credentials)
            guard status == 204 else { throw Self.failure(status, HTTPConnections.reason(inProblem: body), nil) }
            hasAgreed = false
        } catch {
            throw failure(error)
        }
    }

    private func failure(_ error: any Error) -> RangeReportError {
        let known = RangeReportError(sending: error)
        // The device may have been removed or renamed, so the next round asks the server for it again.
        if case .unauthorized = known { recognized = nil }
        return known
    }

    /// Asks the server which device reports, unless it is the one that it recognized last.
    private func recognize() async throws -> (PeerCredentials, device: String) {
        let (credentials, identity) = try credentials()
        let digest = SHA256.hash(data: Array(identity.utf8))
        if let recognized, recognized.identity == digest { return (credentials, recognized.device) }
        (recognized, hasAgreed) = (nil, false)
        let device =
            switch reporter {
            case .device:
                try await deviceName { try await connections.deviceOfToken(at: server, credentials: credentials) }
            case .person:
                // The name as reports give it: the person's first device is the one of their recorded locations.
                try await identity + "/"
                    + deviceName {
                        try await connections.firstDevice(of: identity, at: server, credentials: credentials)
                    }
            }
        try await outbox.recognize(device: device, at: server)
        recognized = (digest, device)
        return (credentials, device)
    }

    /// Returns the reporter's credentials, and the text that identifies the reporter: the token, or the person's name.
    private func credentials() throws -> (PeerCredentials, identity: String) {
        switch reporter {
        case .device(let token):
            do {
                let token = try token()
                return (.bearer(token), token)
            } catch {
                throw RangeReportError.noToken(reason: "\(error)")
            }
        case .person(let session):
            guard let session = session() else { throw RangeReportError.signedOut }
            return (session.credentials, session.user)
        }
    }

    private func deviceName(by request: () async throws -> String?) async throws -> String {
        do {
            guard let name = try await request() else { throw RangeReportError.noDevice }
            return name
        } catch let error as HTTPConnections.DeviceRequestError {
            throw Self.failure(error.status, error.reason, nil)
        }
    }

    private func path(of device: String) -> String {
        let parts = device.split(separator: "/", maxSplits: 1).map { PercentEncoding.encode(String($0)) }
        return server + "/api/v1/users/\(parts.first ?? "")/devices/\(parts.last ?? "")/range-tag"
    }

    private func agree(by secret: RangeSecret, _ device: String, _ credentials: PeerCredentials) async throws {
        let body = JSONWriter.object { $0.member("secret", secret.digits) }
        let (status, answer) = try await connections.sendRequest(
            "PUT", path(of: device), json: body, credentials: credentials)
        switch status {
        case 204: hasAgreed = true
        case 409: throw RangeReportError.tagTaken
        default: throw Self.failure(status, HTTPConnections.reason(inProblem: answer), nil)
        }
    }

    private func send(
        _ page: RangeOutbox.Page, of device: String, _ credentials: PeerCredentials, _ progress: inout Progress
    ) async throws {
        let reporting: String? = if case .person = reporter { device } else { nil }
        let response = try await connections.open(
            "POST", server + "/api/v1/ranges", json: page.body(of: reporting), credentials: credentials,
            deadlineSeconds: 30)
        var answer: [UInt8] = []
        while answer.count < Self.bodyLimit, let piece = try await response.nextPiece() { answer += piece }
        switch response.status {
        case 200..<300:
            let unregistered = (try? JSONValue(parsing: answer))?["unregistered"]?.integer ?? 0
            progress.unregistered += Int(clamping: unregistered)
            progress.stored += page.times.count - Int(clamping: unregistered)
            rowLimit = min(rowLimit * 2, Self.mostRows)
        case 400, 413, 422:
            guard page.times.count == 1 else {
                rowLimit = max(1, page.times.count / 2)
                return
            }
            try checkClocks(page.times[0], response)
            guard response.header("content-type")?.hasPrefix("application/problem+json") == true else {
                throw RangeReportError.busy(status: response.status, retryAfterSeconds: nil)
            }
            progress.refused += 1
        default:
            let retryAfter = response.header("retry-after").flatMap { Double($0) }
            throw Self.failure(response.status, HTTPConnections.reason(inProblem: answer), retryAfter)
        }
        try await outbox.remove(page)
    }

    /// Throws if a wrong clock may be the reason of a refusal: the range is not removed then.
    private func checkClocks(_ time: Instant, _ response: HTTPTransportResponse) throws {
        let serverNow = response.header("date").flatMap { Instant(httpDate: $0) } ?? now()
        let skew = now().seconds(since: serverNow)
        if abs(skew) > Self.skewSeconds { throw RangeReportError.clocksDiffer(seconds: skew) }
        let ahead = time.seconds(since: serverNow)
        if ahead > Self.aheadSeconds { throw RangeReportError.clocksDiffer(seconds: ahead) }
    }

    private static func failure(_ status: Int, _ reason: String?, _ retryAfter: Double?) -> RangeReportError {
        switch status {
        case 401, 403, 404: .unauthorized(reason: reason ?? "status \(status)")
        default: .busy(status: status, retryAfterSeconds: retryAfter)
        }
    }
}

/// An error of storing or sending ranges.
public enum RangeReportError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The server cannot be reached.
    case unreachable(reason: String)
    /// The server cannot accept ranges now. It may state after how many seconds to try again.
    case busy(status: Int, retryAfterSeconds: Double?)
    /// The server refuses ranges, and its clock and this device's differ so much that this may be why.
    case clocksDiffer(seconds: Double)
    /// The server does not accept the token.
    case unauthorized(reason: String)
    /// The token does not belong to a device.
    case noDevice
    /// The token cannot be read now.
    case noToken(reason: String)
    /// Nobody is signed in.
    case signedOut
    /// The secret's tag is registered as another device's.
    case tagTaken
    /// Ranges of another device wait in the file, or ranges for another server.
    case otherDevice(String, server: String, waiting: Int)
    /// A later version of Muster wrote the file.
    case tooNew(version: Int)
    /// The file cannot be read or written.
    case unavailable(reason: String)

    /// Whether a later attempt may succeed.
    public var isPassing: Bool {
        switch self {
        case .noDevice, .tagTaken, .otherDevice, .tooNew: false
        default: true
        }
    }

    /// One sentence without a full stop.
    public var description: String {
        switch self {
        case .unreachable(let reason): "the server cannot be reached: \(reason)"
        case .busy(let status, _): "the server cannot take ranges now (status \(status))"
        case .clocksDiffer(let seconds):
            "the clocks of this device and of the server differ by \(Int(abs(seconds))) s"
        case .unauthorized(let reason): "the server refuses this device: \(reason)"
        case .noDevice: "the token is not a device's: create one with muster device token"
        case .noToken(let reason): reason
        case .signedOut: "nobody is signed in"
        case .tagTaken: "this device's range secret is registered as another device's; it needs a new one"
        case .otherDevice(let device, let server, let waiting):
            "\(waiting) ranges wait that \(device) measured for \(server)"
        case .tooNew(let version): "the file of ranges is of version \(version), which is later than this program"
        case .unavailable(let reason): "ranges cannot be stored: \(reason)"
        }
    }

    init(storing error: any Error) {
        switch error {
        case let known as RangeReportError: self = known
        case let error as DatabaseError where error.resultCode == .SQLITE_BUSY:
            self = .unavailable(reason: "another program uses the file")
        case let error as DatabaseError where error.resultCode == .SQLITE_FULL:
            self = .unavailable(reason: "the disk of this device is full")
        case let error as DatabaseError: self = .unavailable(reason: error.message ?? "SQLite refuses it")
        default: self = .unavailable(reason: "\(error)")
        }
    }

    fileprivate init(sending error: any Error) {
        switch error {
        case is RangeReportError, is DatabaseError: self.init(storing: error)
        case ReplicationError.unreachable(let reason): self = .unreachable(reason: reason)
        default: self = .unreachable(reason: "\(error)")
        }
    }
}
