package import MusterCore

/// What rules are about: something that happened, in EventBridge's envelope.
package struct Event: Hashable, Sendable {
    /// The same for the same event, however often it is told: receivers know by it what they had.
    package var id: String
    /// Who says so: `aws.geo` as Amazon Location does, `muster`, or what a client that posts events calls itself.
    package var source: String
    /// What kind of event it is.
    package var detailType: String
    /// The account that is configured.
    package var account: String
    /// When it happened; told in whole seconds.
    package var time: Instant
    /// The region that is configured.
    package var region: String
    /// What it is about, as ARNs.
    package var resources: [String]
    /// How long after it happened it was heard of, where that is late; nil, and not told, where it was heard in time.
    package var delaySeconds: Int64?
    /// What happened: an object.
    package var detail: EventValue

    /// An event.
    package init(
        id: String, source: String, detailType: String, account: String, time: Instant, region: String,
        resources: [String], delaySeconds: Int64? = nil, detail: EventValue
    ) {
        self.id = id
        self.source = source
        self.detailType = detailType
        self.account = account
        self.time = time
        self.region = region
        self.resources = resources
        self.delaySeconds = delaySeconds
        self.detail = detail
    }

    /// The envelope: what patterns are matched with and targets are given.
    package var envelope: EventValue {
        // As EventBridge marks what it replays: one key more at the top, which what comes in time has not.
        let delay = delaySeconds.map { [EventValue.Member("delay-seconds", .integer($0))] } ?? []
        let head: [EventValue.Member] = [
            .init("version", .string("0")), .init("id", .string(id)), .init("detail-type", .string(detailType)),
            .init("source", .string(source)), .init("account", .string(account)),
            .init("time", .string(time.secondsText)), .init("region", .string(region)),
            .init("resources", .array(resources.map { .string($0) })),
        ]
        return .object(head + delay + [.init("detail", detail)])
    }
}

extension EventValue {
    /// This value as JSON text.
    package var json: [UInt8] {
        var writer = JSONWriter()
        writer.value(self)
        return writer.bytes
    }
}

extension Instant {
    /// This moment as RFC 3339 in UTC without a fraction: the second that it is in.
    package var secondsText: String {
        // 2020-11-10T23:43:37.531Z, the year perhaps longer.
        String(rfc3339.dropLast(5)) + "Z"
    }
}
