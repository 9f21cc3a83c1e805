import MusterCore
import MusterServer
import MusterWire

/// From where to where a feed goes, and how: what `_changes` and `_db_updates` are both asked.
struct FeedTerms: Hashable, Sendable {
    /// How the rows are told.
    enum Form: Hashable, Sendable {
        case list, lines, events
    }

    /// When the answer ends.
    enum Feed: String, Hashable, Sendable {
        case normal, longpoll, continuous, eventsource
    }

    let feed: Feed
    /// After which number; nil: after the newest.
    let since: MusterCore.LogSequence?
    let limit: Int
    let isDescending: Bool
    /// Seconds between heartbeats; nil: none.
    let heartbeatSeconds: Double?
    /// Seconds after which a feed in which nothing happens ends; nil: never.
    let timeoutSeconds: Double?

    /// How long a feed without heartbeats waits unless told otherwise.
    static let longestSeconds: Double = 60

    /// How the rows of this feed are told.
    var form: Form {
        switch feed {
        case .normal, .longpoll: .list
        case .continuous: .lines
        case .eventsource: .events
        }
    }

    /// What descending rows end before.
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

    /// A number of the log: as we write it, in quotes, or as a CouchDB writes it, with more behind a dash.
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
