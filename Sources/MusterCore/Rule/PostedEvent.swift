/// An event that a client posted for the rules; Muster did not decide it.
public struct PostedEvent: Hashable, Sendable {
    /// The name that the client gives itself; never `aws.…` or `muster…`, which are reserved.
    public var source: String
    /// The kind of event, as the client names it.
    public var detailType: String
    /// When the event happened, as the client reported it.
    public var time: Instant
    /// The resources that the event is about, as the client names them.
    public var resources: [String]
    /// The event's details, as the text of one JSON object.
    public var detail: String

    public init(source: String, detailType: String, time: Instant, resources: [String], detail: String) {
        self.source = source
        self.detailType = detailType
        self.time = time
        self.resources = resources
        self.detail = detail
    }
}
