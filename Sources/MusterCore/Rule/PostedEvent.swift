/// An event that a client posted: for the rules, not decided by Muster.
public struct PostedEvent: Hashable, Sendable {
    /// Who the client says it is; never `aws.…` or `muster…`, which are taken.
    public var source: String
    /// What kind of event it says it is.
    public var detailType: String
    /// When it says that it happened.
    public var time: Instant
    /// What it says it is about.
    public var resources: [String]
    /// What happened, as the text of one JSON object.
    public var detail: String

    /// An event that a client posted.
    public init(source: String, detailType: String, time: Instant, resources: [String], detail: String) {
        self.source = source
        self.detailType = detailType
        self.time = time
        self.resources = resources
        self.detail = detail
    }
}
