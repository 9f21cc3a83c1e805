import MusterCoding
import MusterReplication
import MusterWire

/// What a device asks the native API, as whoever is signed in.
struct NativeQuestions: Sendable {
    private let session: Session

    /// The longest answer that is read.
    static let answerLimitBytes = 16 << 20
    /// Items asked for at once.
    private static let pageLimit = 1_000
    /// Values in an answer at most.
    private static let valueLimit = 1_000_000

    init(_ session: Session) { self.session = session }

    /// One thing.
    ///
    /// - Throws: `ReplicationError`, also where the server says no.
    func item(_ path: String) async throws -> JSONValue {
        let body = try await answer(path)
        guard let value = try? JSONValue(parsing: body, depthLimit: 64, valueLimit: Self.valueLimit) else {
            throw ReplicationError.malformed("\(path) is no JSON")
        }
        return value
    }

    /// The first page of a list, of the devices of whoever is signed in where they are asked for: no person has more.
    func items(_ path: String, ofUser: Bool = false) async throws -> [JSONValue] {
        let owner = ofUser ? "&user=" + PercentEncoding.encode(session.user) : ""
        return try await item("\(path)?limit=\(Self.pageLimit)\(owner)")["items"]?.elements ?? []
    }

    /// All pages of a list of regions, each as it came.
    ///
    /// - Parameter room: what there is room for; afterwards, what is left of it.
    /// - Throws: `ReplicationError.tooLarge` where there is more.
    func regionPages(_ path: String, room: inout Room) async throws -> [String] {
        var pages: [String] = []
        var cursor: String?
        repeat {
            guard room.regions > 0 else { throw ReplicationError.tooLarge(limitBytes: Room.limitBytes) }
            let after = cursor.map { "&cursor=" + PercentEncoding.encode($0) } ?? ""
            let body = try await answer("\(path)?limit=\(min(Self.pageLimit, room.regions))\(after)")
            cursor = try room.take(body)
            pages.append(String(decoding: body, as: UTF8.self))
        } while cursor != nil
        return pages
    }

    /// What there is room for on a device.
    struct Room: Sendable {
        /// Regions.
        private(set) var regions = RegionWatch.regionLimit
        /// Bytes of their pages.
        private(set) var bytes = Self.limitBytes

        static let limitBytes = 64 << 20

        /// Makes room for a page.
        ///
        /// - Returns: how the next is asked for; nil after the last.
        /// - Throws: `ReplicationError`, also for a page that leads on and brings nothing: there might be no end to it.
        mutating func take(_ page: [UInt8]) throws -> String? {
            let (count, next) = try NativeQuestions.extent(of: page)
            regions -= count
            bytes -= page.count
            guard regions >= 0, bytes >= 0 else { throw ReplicationError.tooLarge(limitBytes: Self.limitBytes) }
            guard next == nil || count > 0 else { throw ReplicationError.malformed("a page without regions leads on") }
            return next
        }
    }

    /// How many features a page has, and how the next is asked for.
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
            throw ReplicationError.malformed("a page of regions is no JSON")
        }
        return (count, cursor)
    }

    private func answer(_ path: String) async throws -> [UInt8] {
        let (status, body) = try await session.connections.ask(
            "GET", session.server + "api/v1/" + path, credentials: session.credentials)
        guard status == 200 else {
            let problem = try? JSONValue(parsing: body)
            throw ReplicationError.refused(
                status: status, error: problem?["title"]?.string ?? "",
                reason: problem?["detail"]?.string ?? "\(path) is not told")
        }
        return body
    }
}

/// A case by the name that the wire has for it; nil where no case is called so.
func named<Case: CaseIterable>(_ text: String?, by name: (Case) -> StaticString) -> Case? {
    guard let text else { return nil }
    return Case.allCases.first { name($0).description == text }
}
