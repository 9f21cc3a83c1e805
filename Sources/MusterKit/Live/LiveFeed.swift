package import MusterCore
package import MusterReplication
import MusterWire

/// The server's live feed of changes (`/api/v1/live`), from the moment at which it is opened.
package struct LiveFeed: Sendable {
    /// An element of the feed.
    package enum News: Hashable, Sendable {
        /// The feed is open: every later change arrives in it. The reader must request earlier changes itself.
        case opened
        /// A dataset of the caller's changed.
        case dataset(DatasetNews)
        /// Somebody requests a person's current location.
        case question(LocationQuestion)
        /// A heartbeat, or a change of something else.
        case other
    }

    /// A change of a dataset.
    package struct DatasetNews: Hashable, Sendable {
        /// The dataset's name.
        package var name: String
        /// The dataset's sync count after the change.
        package var syncCount: Int64
        /// Whether the change deleted it.
        package var isDeleted: Bool
    }

    /// A request for a person's current location.
    package struct LocationQuestion: Hashable, Sendable {
        /// The name of the person whose location is requested. An admin's feed has the requests to everyone.
        package var user: String
        /// The name of the person who asks.
        package var by: String
        /// When they asked.
        package var at: Instant
    }

    private let address: String
    private let credentials: PeerCredentials
    private let connections: HTTPConnections

    /// - Parameters:
    ///   - server: the server's root address, with a slash at the end.
    ///   - credentials: the credentials of the user whose changes the feed reports.
    ///   - connections: the connections that carry the request.
    package init(server: String, credentials: PeerCredentials, connections: HTTPConnections) {
        address = server + "api/v1/live"
        self.credentials = credentials
        self.connections = connections
    }

    /// Follows the feed until it ends: the connection breaks, or the server stops or ends the reader's session.
    ///
    /// - Throws: `ReplicationError`, also when the feed ends; what `receive` throws; `CancellationError`.
    package func follow(_ receive: (News) async throws -> Void) async throws {
        try await follow(address) { arrival in
            switch arrival {
            case .opening: try await receive(.opened)
            case .events(let events) where events.isEmpty: try await receive(.other)
            case .events(let events): for event in events { try await receive(Self.news(event)) }
            }
        }
    }

    /// Follows the feed from a change on until it ends, and passes each event to `receive` as the server sends it.
    ///
    /// - Parameter sequence: the number of the change to begin after.
    /// - Throws: as `follow`. A server that no longer has what came after that change sends the event `resync`, and
    ///   ends the feed.
    package func followEvents(
        since sequence: Int64, _ receive: (EventStreamReader.Event) async throws -> Void
    ) async throws {
        try await follow("\(address)?since=\(sequence)") { arrival in
            guard case .events(let events) = arrival else { return }
            for event in events { try await receive(event) }
        }
    }

    private enum Arrival {
        case opening
        /// The events that ended in a piece of the stream; none if the piece was a heartbeat.
        case events([EventStreamReader.Event])
    }

    private func follow(_ address: String, _ receive: (Arrival) async throws -> Void) async throws {
        let response = try await connections.open(
            "GET", address, accept: "text/event-stream", credentials: credentials, deadlineSeconds: nil)
        guard response.status == 200 else { throw ReplicationError(status: response.status, reason: "the feed") }
        try await receive(.opening)
        var reader = EventStreamReader()
        while let piece = try await response.nextPiece() { try await receive(.events(reader.read(piece))) }
        throw ReplicationError.unreachable("the server ended the feed")
    }

    private static func news(_ event: EventStreamReader.Event) -> News {
        guard event.name == "dataset" || event.name == "action",
            let value = try? JSONValue(parsing: Array(event.data.utf8))
        else { return .other }
        return event.name == "dataset" ? dataset(value) : question(value)
    }

    private static func dataset(_ value: JSONValue) -> News {
        guard let name = value["dataset"]?.string, let count = value["syncCount"]?.integer else { return .other }
        return .dataset(
            DatasetNews(name: name, syncCount: count, isDeleted: value["deleted"]?.boolean ?? false))
    }

    private static func question(_ value: JSONValue) -> News {
        guard value["kind"]?.string == "locationAsked", let user = value["user"]?.string,
            let author = value["author"]?.string, let at = value["at"]?.string.flatMap({ try? Instant(rfc3339: $0) })
        else { return .other }
        return .question(LocationQuestion(user: user, by: author, at: at))
    }
}

extension ReplicationError {
    /// Converts the status with which a server refused a request outside of the replication protocol.
    init(status: Int, reason: String) {
        switch status {
        case 401: self = .unauthorized(reason)
        case 403: self = .forbidden(reason)
        case 408, 425, 429, 500...599: self = .busy(status: status, retryAfterSeconds: nil)
        default: self = .refused(status: status, error: "", reason: reason)
        }
    }
}
