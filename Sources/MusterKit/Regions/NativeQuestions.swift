import MusterCoding
import MusterReplication
import MusterWire

/// The requests of a device to the native API, with the session's credentials.
struct NativeQuestions: Sendable {
    private let session: Session

    /// The largest response body that is read.
    static let answerLimitBytes = 16 << 20
    /// The largest number of items in a page.
    private static let pageLimit = 1_000
    /// The largest number of JSON values in a response.
    private static let valueLimit = 1_000_000

    init(_ session: Session) { self.session = session }

    /// Requests one JSON object.
    ///
    /// - Throws: `ReplicationError`, also where the server refuses the request.
    func item(_ path: String) async throws -> JSONValue {
        let body = try await fetch(path)
        guard let value = try? JSONValue(parsing: body, depthLimit: 64, valueLimit: Self.valueLimit) else {
            throw ReplicationError.malformed("\(path) is not JSON")
        }
        return value
    }

    /// Requests the first page of a list, filtered to the session's user if `ofUser`. No person has more devices than a
    /// page.
    func items(_ path: String, ofUser: Bool = false) async throws -> [JSONValue] {
        let owner = ofUser ? "&user=" + PercentEncoding.encode(session.user) : ""
        return try await item("\(path)?limit=\(Self.pageLimit)\(owner)")["items"]?.elements ?? []
    }

    /// Requests all pages of a list of regions, and returns each page's text.
    ///
    /// - Parameter room: the regions and bytes that the device may still store; reduced by those of the pages.
    /// - Throws: `ReplicationError.tooLarge` if the pages exceed `room`.
    func regionPages(_ path: String, room: inout Room) async throws -> [String] {
        var pages: [String] = []
        var cursor: String?
        repeat {
            guard room.regions > 0 else { throw ReplicationError.tooLarge(limitBytes: Room.limitBytes) }
            let after = cursor.map { "&cursor=" + PercentEncoding.encode($0) } ?? ""
            let body = try await fetch("\(path)?limit=\(min(Self.pageLimit, room.regions))\(after)")
            cursor = try room.subtractPage(body)
            pages.append(String(decoding: body, as: UTF8.self))
        } while cursor != nil
        return pages
    }

    /// The regions and bytes that a device may still store.
    struct Room: Sendable {
        private(set) var regions = RegionWatch.regionLimit
        /// Bytes of the regions' pages.
        private(set) var bytes = Self.limitBytes

        static let limitBytes = 64 << 20

        /// Subtracts a page.
        ///
        /// - Returns: the token of the next page; nil after the last.
        /// - Throws: `ReplicationError`, also for an empty page with a next token, because such a list might never end.
        mutating func subtractPage(_ page: [UInt8]) throws -> String? {
            let (count, next) = try NativeQuestions.extent(of: page)
            regions -= count
            bytes -= page.count
            guard regions >= 0, bytes >= 0 else { throw ReplicationError.tooLarge(limitBytes: Self.limitBytes) }
            guard next == nil || count > 0 else { throw ReplicationError.malformed("a page without regions leads on") }
            return next
        }
    }

    /// The number of features of a page, and the token of the next page.
    private static func extent(of page: [UInt8]) throws -> (features: Int, next: String?) {
        var count = 0
        var cursor: String?
        do {
            try page.withUnsafeBytes { bytes in
                var reader = JSONReader(bytes, depthLimit: 64)
                try reader.beginObject()
                while let key = try reader.nextKey() {
                    if key == "features" {
                        try reader.beginArray()
                        while try reader.nextElement() {
                            _ = try reader.skip()
                            count += 1
                        }
                    } else if key == "nextCursor", try reader.peek() == .string {
                        cursor = try reader.text().string
                    } else {
                        _ = try reader.skip()
                    }
                }
            }
        } catch {
            throw ReplicationError.malformed("a page of regions is not JSON")
        }
        return (count, cursor)
    }

    /// Sends a request, and returns the status and the body, whatever the status.
    ///
    /// - Throws: `ReplicationError.unreachable`, `.tooLarge`, `CancellationError`.
    func exchange(_ method: String, _ path: String, _ json: [UInt8]? = nil) async throws -> (status: Int, body: [UInt8])
    {
        try await session.connections.sendRequest(
            method, session.server + "api/v1/" + path, json: json, credentials: session.credentials)
    }

    private func fetch(_ path: String) async throws -> [UInt8] {
        let (status, body) = try await exchange("GET", path)
        guard status == 200 else {
            let problem = try? JSONValue(parsing: body)
            throw ReplicationError.refused(
                status: status, error: problem?["title"]?.string ?? "",
                reason: problem?["detail"]?.string ?? "the server gave no reason for \(path)")
        }
        return body
    }
}

/// Returns the case with a name on the wire; nil for an unknown name.
func named<Case: CaseIterable>(_ text: String?, by name: (Case) -> StaticString) -> Case? {
    guard let text else { return nil }
    return Case.allCases.first { name($0).description == text }
}
