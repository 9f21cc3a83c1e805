import MusterCore
import MusterServer

/// The parameters that `_changes` and `_db_updates` share: the range of the log, and the kind of feed.
struct FeedTerms: Hashable, Sendable {
    /// The format of the rows.
    enum Form: Hashable, Sendable {
        case list, lines, events
    }

    /// The kind of feed, which decides when the response ends.
    enum Feed: String, Hashable, Sendable {
        case normal, longpoll, continuous, eventsource
    }

    let feed: Feed
    /// The sequence after which the feed begins; nil for the newest (`now`).
    let since: MusterCore.LogSequence?
    let limit: Int
    let isDescending: Bool
    /// The seconds between heartbeats; nil for none.
    let heartbeatSeconds: Double?
    /// The seconds without a row after which the feed ends; nil for never.
    let timeoutSeconds: Double?

    /// The default timeout of a feed without heartbeats, and the longest heartbeat interval.
    static let longestSeconds: Double = 60

    /// The format of this feed's rows.
    var form: Form {
        switch feed {
        case .normal, .longpoll: .list
        case .continuous: .lines
        case .eventsource: .events
        }
    }

    /// The sequence before which descending rows end.
    var floor: MusterCore.LogSequence { since ?? .zero }

    init(_ query: CouchQuery, lastEventID: String?) throws {
        feed = try Self.feed(query.text("feed"))
        since = try Self.sequence(lastEventID ?? query.text("since", "last-event-id") ?? "0")
        limit = try query.count("limit") ?? Int.max
        isDescending = try query.flag("descending")
        heartbeatSeconds = try Self.heartbeat(query)
        let timeout = try query.count("timeout").map { min(10 * Self.longestSeconds, Double($0) / 1000) }
        timeoutSeconds = heartbeatSeconds == nil ? timeout ?? Self.longestSeconds : nil
    }

    private static func feed(_ text: String?) throws -> Feed {
        guard let text else { return .normal }
        guard let feed = Feed(rawValue: text == "live" ? "continuous" : text) else {
            throw CouchError.badRequest("Supported `feed` types: normal, continuous, live, longpoll, eventsource")
        }
        return feed
    }

    private static func heartbeat(_ query: CouchQuery) throws -> Double? {
        switch query.text("heartbeat") {
        case "true": return longestSeconds
        case "false": return nil
        default: break
        }
        guard let text = query.text("heartbeat") else { return nil }
        guard let milliseconds = Int(text), milliseconds > 0 else {
            throw CouchError.badRequest("The heartbeat value should be a positive integer (in milliseconds).")
        }
        return min(longestSeconds, max(LogFeeds.tickSeconds, Double(milliseconds) / 1000))
    }

    /// Parses a sequence; nil for `now`. It may be in quotes, as this server writes it, or be followed by a dash and
    /// more, as CouchDB writes it.
    ///
    /// - Throws: `CouchError` for anything else.
    static func sequence(_ text: String) throws(CouchError) -> MusterCore.LogSequence? {
        let text = text.filter { $0 != "\"" }
        if text == "now" { return nil }
        let digits = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false).first ?? ""
        guard let number = Int64(digits), (0...Query.largestSequence).contains(number) else {
            throw .badRequest("Malformed sequence supplied in 'since' parameter.")
        }
        return LogSequence(number)
    }
}
