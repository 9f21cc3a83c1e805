package import MusterCore

/// An event that rules match, in EventBridge's envelope.
package struct Event: Hashable, Sendable {
    /// The id, always the same for the same event, so that a receiver can recognize a repetition.
    package var id: String
    /// The source: `aws.geo` as in Amazon Location's events, `muster`, or the name that a client gives itself when it
    /// posts events.
    package var source: String
    /// The kind of event.
    package var detailType: String
    /// The configured AWS account.
    package var account: String
    /// When it happened. The envelope shows whole seconds.
    package var time: Instant
    /// The configured AWS region.
    package var region: String
    /// The resources that it is about, as ARNs.
    package var resources: [String]
    /// Seconds from the event until Muster received it; nil if it came in time, and then absent from the envelope.
    package var delaySeconds: Int64?
    /// The details: an object.
    package var detail: EventValue

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

    /// The envelope, which patterns are matched with and targets receive.
    package var envelope: EventValue {
        // A late event has one more key at the top, as EventBridge marks the events that it replays.
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
    /// The value as JSON text.
    package var json: [UInt8] {
        var writer = JSONWriter()
        writer.value(self)
        return writer.bytes
    }
}

extension Instant {
    /// The moment as RFC 3339 in UTC, without its fraction of a second.
    package var secondsText: String {
        // Cuts the fraction off 2020-11-10T23:43:37.531Z, whose year may be longer.
        String(rfc3339.dropLast(5)) + "Z"
    }
}
