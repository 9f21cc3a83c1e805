import HTTPTypes
import Hummingbird
import MusterCore
import MusterHTTP
import MusterServer
import MusterWire
import NIOCore

/// The stream of server-sent events of one subscription, by the "distinct connections mode" of the graphql-sse
/// protocol: `next` with each result, and `complete`. The id of an event is the number of its change, from which a
/// client resumes by `Last-Event-ID`.
struct SubscriptionFeed: FeedContent {
    let subscription: Subscription
    let beatSeconds: Double?

    var topic: LogFeeds.Topic { .changes }
    var timeoutSeconds: Double? { nil }

    static var headers: HTTPFields {
        [.contentType: "text/event-stream", .cacheControl: "no-store", .init("X-Accel-Buffering")!: "no"]
    }

    func begin(_ writer: inout any ResponseBodyWriter) async throws -> Bool {
        // The number comes before the first change, so that a client whose connection breaks meanwhile misses none.
        let line = EventStreamOutput.idLine(subscription.sequence)
        try await writer.write(ByteBuffer(string: ": open\nretry: 2000\n\(line)\n"))
        var output = EventStreamOutput(writer: writer)
        defer { writer = output.writer }
        return try await subscription.begin(to: &output)
    }

    func send(_ reasons: LogFeed.WakeReasons, _ writer: inout any ResponseBodyWriter) async throws -> Bool {
        var output = EventStreamOutput(writer: writer)
        defer { writer = output.writer }
        return try await subscription.send(reasons, to: &output)
    }

    /// Without `complete`, a client tries again, and goes on after the last change that it got.
    func end(_ writer: inout any ResponseBodyWriter) {}
}

/// Answers as server-sent events.
private struct EventStreamOutput: SubscriptionOutput {
    var writer: any ResponseBodyWriter

    static func idLine(_ sequence: LogSequence) -> String { "id: \(sequence.rawValue)\n" }

    mutating func send(at sequence: LogSequence, _ answer: () async throws -> JSONValue?) async throws {
        // The write before this one returned once the client took more.
        guard let answer = try await answer() else { return }
        try await writer.write(Self.event("next", id: sequence, answer))
    }

    mutating func beat(at sequence: LogSequence) async throws {
        try await writer.write(ByteBuffer(string: ": heartbeat\n\(Self.idLine(sequence))\n"))
    }

    mutating func end(_ error: GraphQLError) async throws {
        try await writer.write(Self.event("next", id: nil, GraphQLResponse(data: nil, errors: [error]).json))
        try await writer.write(ByteBuffer(string: "event: complete\ndata:\n\n"))
    }

    mutating func breakOff() {}

    private static func event(_ name: String, id: LogSequence?, _ json: JSONValue) -> ByteBuffer {
        var buffer = ByteBuffer()
        if let id { buffer.writeString(idLine(id)) }
        buffer.writeString("event: \(name)\ndata: ")
        buffer.writeBytes(json.bytes)
        buffer.writeString("\n\n")
        return buffer
    }
}
