import MusterCore
import MusterReplication
import MusterWire

/// Decides what becomes of sightings that the server refused. They record who was where, so they are removed only when
/// no later attempt can succeed; a wrong clock or a failing server must not lose them.
struct SightingRefusals: Sendable {
    /// The action of the sender after a refused page.
    enum Verdict: Sendable {
        /// Send fewer rows at once, to find those that are refused.
        case narrow
        /// Remove them: the server refuses them for good.
        case remove
        /// Keep them, and try again later.
        case wait(SightingSender.Failure)
    }

    /// The row that is refused now, and since when.
    private var refused: (row: Int64, since: Instant)?

    /// The server refuses times more than 60 s ahead of its clock. The limit here is lower, because the server's clock
    /// has advanced since it refused.
    private static let aheadSeconds = 30.0
    /// If the two clocks differ by more than this, either may be wrong.
    private static let skewSeconds = 600.0
    /// Older sightings no longer help to find anyone, and the server refuses them because it keeps no history for so
    /// long.
    private static let staleSeconds = 86_400.0
    /// The seconds for which the server must refuse a row before it is removed.
    private static let removalSeconds = 600.0

    /// - Parameters:
    ///   - rows: the number of rows of the page.
    ///   - row: the number of the last row.
    ///   - body: the request's body, which reports them.
    ///   - now: the time by this device's clock.
    mutating func verdict(
        on answer: SightingSender.Answer, rows: Int, row: Int64, body: [UInt8], now: Instant
    ) -> Verdict {
        guard answer.isProblem else {
            // The 413 came from a proxy, or from something else at the server's address, and says nothing about the
            // sightings.
            if answer.status == 413, rows > 1 { return .narrow }
            return .wait(.busy(status: answer.status, retryAfterSeconds: answer.retryAfterSeconds))
        }
        guard rows == 1 else { return .narrow }
        let serverNow = answer.date ?? now
        if let times = Self.times(of: body) {
            let ahead = times.upperBound.seconds(since: serverNow)
            if ahead > Self.aheadSeconds { return .wait(.ahead(seconds: ahead)) }
            let skew = now.seconds(since: serverNow)
            if abs(skew) > Self.skewSeconds { return .wait(.clocksDiffer(seconds: skew)) }
            if serverNow.seconds(since: times.lowerBound) > Self.staleSeconds { return .remove }
        }
        guard let refused, refused.row == row, now >= refused.since else {
            self.refused = (row, now)
            return .wait(.refusing(reason: answer.reason))
        }
        guard now.seconds(since: refused.since) >= Self.removalSeconds else {
            return .wait(.refusing(reason: answer.reason))
        }
        self.refused = nil
        return .remove
    }

    /// The times that a report states; nil when it states none.
    private static func times(of body: [UInt8]) -> ClosedRange<Instant>? {
        let report = try? body.withUnsafeBytes { bytes in
            try SightingDecoder.decode(bytes, receivedAt: Instant(milliseconds: 0))
        }
        guard let report else { return nil }
        let times = report.sightings.map(\.sampleTime) + [report.listenedUntil].compactMap(\.self)
        guard let first = times.min(), let last = times.max() else { return nil }
        return first...last
    }
}

extension SightingSender {
    /// An answer to a report: from the server, or from a proxy before it.
    struct Answer: Sendable {
        var status: Int
        /// The explanation in a problem document.
        var reason: String?
        var retryAfterSeconds: Double?
        /// The time by the clock of the answering server or proxy, from the header field `Date`.
        var date: Instant?
        /// Whether Muster itself answered: its refusals are problem documents (RFC 9457).
        var isProblem: Bool

        /// - Parameter reason: the explanation in the body, if the body is a problem document.
        init(_ response: HTTPTransportResponse, reason: String?) {
            status = response.status
            self.reason = reason
            retryAfterSeconds = response.header("retry-after").flatMap { Double($0) }
            date = response.header("date").flatMap { Instant(httpDate: $0) }
            isProblem =
                reason != nil && response.header("content-type")?.hasPrefix("application/problem+json") == true
        }
    }
}
