package import Hummingbird
import MusterHTTP
package import NIOCore

/// What one feed sends, in the form of its protocol.
package protocol FeedContent: Sendable {
    /// What it waits for.
    var topic: LogFeeds.Topic { get }
    /// The interval between heartbeats, in seconds; nil for none.
    var beatSeconds: Double? { get }
    /// The time after which the feed ends, in seconds; nil for never.
    var timeoutSeconds: Double? { get }

    /// Sends what there is already.
    ///
    /// - Returns: whether the feed continues.
    func begin(_ writer: inout any ResponseBodyWriter) async throws -> Bool

    /// Sends what the feed was woken for, once it is sure that its reader may still have it.
    ///
    /// - Returns: whether the feed continues.
    func send(_ ring: LogFeed.Ring, _ writer: inout any ResponseBodyWriter) async throws -> Bool

    /// Sends the end, if the connection is still open.
    func end(_ writer: inout any ResponseBodyWriter) async throws
}

/// Sends feeds as the bodies of responses: what there is, and then whatever comes.
///
/// Ten thousand feeds wait at a time, so a task that waits holds little: what has to be done between two waits is done
/// in another task.
package struct FeedFollower: Sendable {
    private let feeds: LogFeeds
    private let connections: OpenConnections

    /// Makes a follower of a server's feeds.
    package init(_ parts: ServerParts) {
        feeds = parts.feeds
        connections = parts.connections
    }

    /// The reason why this owner may open no further feed at this moment; nil when it may.
    package func refusal(of owner: FeedOwner, _ kind: LogFeeds.Kind) -> FeedShares.Refusal? {
        feeds.refusal(of: owner, kind)
    }

    /// Makes the body that sends a feed until it ends, its connection closes or the server stops.
    package func body(_ content: some FeedContent, by owner: FeedOwner, on channel: any Channel) -> ResponseBody {
        ResponseBody { writer in
            try await follow(content, by: owner, on: channel, &writer)
            // The client may send its next request on this connection as soon as it receives this end.
            try await writer.finish(nil)
        }
    }

    private func follow(
        _ content: some FeedContent, by owner: FeedOwner, on channel: any Channel,
        _ writer: inout any ResponseBodyWriter
    ) async throws {
        // One task writes; nobody else touches the writer until it has ended.
        nonisolated(unsafe) var output = writer
        defer { writer = output }
        let feed = try? feeds.open(
            content.topic, by: owner, beatSeconds: content.beatSeconds, timeoutSeconds: content.timeoutSeconds)
        connections.watch(channel) { feed?.close() }
        defer {
            connections.unwatch(channel)
            feed?.close()
        }
        var continues = try await inOwnTask { try await content.begin(&output) }
        while continues, let ring = await feed?.next() {
            continues = try await inOwnTask { try await content.send(ring, &output) }
        }
        if channel.isActive { try await inOwnTask { try await content.end(&output) } }
    }
}
