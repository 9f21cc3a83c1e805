package import Hummingbird
import MusterHTTP
package import NIOCore

// `FeedFollower`: sends a feed over one response: the existing data, then new data, with heartbeats.

/// The data of one feed, in the form of its protocol.
package protocol FeedContent: Sendable {
    /// The topic whose changes wake the feed.
    var topic: LogFeeds.Topic { get }
    /// The interval between heartbeats, in seconds; nil for none.
    var beatSeconds: Double? { get }
    /// The time after which the feed ends, in seconds; nil for never.
    var timeoutSeconds: Double? { get }

    /// Sends the data that exists when the feed opens.
    ///
    /// - Returns: whether the feed continues.
    func begin(_ writer: inout any ResponseBodyWriter) async throws -> Bool

    /// Sends the data that the feed was woken for. The implementation first verifies that the reader still has the
    /// right to it.
    ///
    /// - Returns: whether the feed continues.
    func send(_ reasons: LogFeed.WakeReasons, _ writer: inout any ResponseBodyWriter) async throws -> Bool

    /// Sends the end of the feed. Called only while the connection is open.
    func end(_ writer: inout any ResponseBodyWriter) async throws
}

/// Sends feeds as the bodies of responses: first the existing data, then new data as it is committed.
///
/// Ten thousand feeds may wait at a time, so the waiting task must hold little memory. Each round of sending therefore
/// runs in a task of its own (`inOwnTask`).
package struct FeedFollower: Sendable {
    private let feeds: LogFeeds
    private let connections: OpenConnections

    package init(_ parts: ServerParts) {
        feeds = parts.feeds
        connections = parts.connections
    }

    /// Opens a feed, and makes the body that sends it until it ends, its connection closes or the server stops.
    ///
    /// The feed counts for its owner from this call on. A client that has the head of the response, and asks for a
    /// further feed, finds this one counted. A body that is released without having been sent closes the feed.
    ///
    /// - Throws: `FeedShares.Refusal` when the owner or the server has reached a limit, or the server is stopping.
    package func open(
        _ content: some FeedContent, by owner: FeedOwner, on channel: any Channel
    ) throws(FeedShares.Refusal) -> ResponseBody {
        let feed = OpenedFeed(
            try feeds.open(
                content.topic, by: owner, beatSeconds: content.beatSeconds, timeoutSeconds: content.timeoutSeconds))
        return ResponseBody { writer in
            try await follow(feed, content, on: channel, &writer)
            // By now `follow` has removed its watch. The client may send its next request on this connection as soon as
            // it receives this end.
            try await writer.finish(nil)
        }
    }

    /// Closes a feed when the response that was to send it is released.
    private final class OpenedFeed: Sendable {
        private let feed: LogFeed

        init(_ feed: LogFeed) { self.feed = feed }

        deinit { feed.close() }

        func close() { feed.close() }

        func next() async -> LogFeed.WakeReasons? { await feed.next() }
    }

    private func follow(
        _ feed: OpenedFeed, _ content: some FeedContent, on channel: any Channel,
        _ writer: inout any ResponseBodyWriter
    ) async throws {
        // The tasks below run one after the other, and only one of them uses the writer at a time.
        nonisolated(unsafe) var output = writer
        defer { writer = output }
        connections.watch(channel) { feed.close() }
        defer {
            connections.unwatch(channel)
            feed.close()
        }
        var continues = try await inOwnTask { try await content.begin(&output) }
        while continues, let reasons = await feed.next() {
            continues = try await inOwnTask { try await content.send(reasons, &output) }
        }
        if channel.isActive { try await inOwnTask { try await content.end(&output) } }
    }
}
