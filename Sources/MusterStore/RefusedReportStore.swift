package import MusterCore

/// A report that the server could not read, and that its sender will not send again: a phone forgets what is refused
/// for good, and many gateways take no notice of an answer. An operator can see it, and nothing else reads it.
package struct RefusedReport: Hashable, Sendable {
    /// The report's number; 0 before it is stored.
    package var number: Int64 = 0
    package var receivedAt: Instant
    /// Whose credential the sender showed.
    package var user: UserNumber
    /// The device whose token the sender showed, or that the report names; nil when it is unknown.
    package var device: DeviceNumber?
    /// Where the report was sent: the MQTT topic or the path of the HTTP request.
    package var topic: String
    /// Why it cannot be read, for people.
    package var reason: String
    /// The length of the report in bytes, also where `body` is cut.
    package var byteCount: Int
    /// The report, or its beginning.
    package var body: [UInt8]

    /// The largest number of reports, of one user and of all.
    package static let limitOfUser = 100
    package static let limit = 1_000
    /// The largest size of all bodies, and of one, in bytes.
    package static let limitBytes = 4 << 20
    package static let bodyLimitBytes = 16_384
    /// The longest topic and the longest reason, in characters.
    private static let textLimit = 256

    /// Creates a report that is not stored yet. What is longer than the limits is cut.
    package init(
        receivedAt: Instant, user: UserNumber, device: DeviceNumber?, topic: String, reason: String, body: [UInt8]
    ) {
        self.receivedAt = receivedAt
        self.user = user
        self.device = device
        self.topic = String(topic.prefix(Self.textLimit))
        self.reason = String(reason.prefix(Self.textLimit))
        byteCount = body.count
        self.body = Array(body.prefix(Self.bodyLimitBytes))
    }
}

/// The reports that the server could not read.
package protocol RefusedReportStore {
    /// Returns refused reports before a number, the newest first.
    ///
    /// - Parameters:
    ///   - user: only this user's; nil for all.
    ///   - number: nil for the newest.
    func refusedReports(of user: UserNumber?, before number: Int64?, limit: Int) throws -> [RefusedReport]
    /// Returns the refused report of a number; nil when there is none.
    func refusedReport(_ number: Int64) throws -> RefusedReport?
}

/// The operations of a transaction on refused reports.
package protocol RefusedReportTransaction {
    /// Stores a refused report under the next number. The oldest reports are removed until the limits of
    /// `RefusedReport` are kept.
    func put(_ report: RefusedReport) throws
}
