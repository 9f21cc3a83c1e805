public import MusterCore
public import MusterGeometry
import MusterReplication
import MusterWire
import Synchronization

/// What a device knows of the regions around it, without a network: the regions as the server told them last, and
/// which of them it is in, decided by the code that the server decides with.
///
/// The server's verdict counts: it sees late fixes, other devices and how sure a fix is. So what was decided here is
/// taken back where the server says otherwise, and told as a difference.
public final class RegionWatch: Sendable {
    /// A region, by the names that the server gave it.
    public struct Name: Codable, Hashable, Sendable {
        /// The collection's name.
        public var collection: String
        /// The region's id in it.
        public var id: String
    }

    /// A boundary that was crossed.
    public struct Crossing: Hashable, Sendable {
        /// Which region.
        public var region: Name
        /// Whether into it.
        public var isEntry: Bool
        /// Where.
        public var place: Coordinate
    }

    /// Where the server's verdict is another than the device's.
    public struct Difference: Hashable, Sendable {
        /// What the server says the device is inside of, and the device did not think so.
        public var inside: Set<Name>
        /// What the device thought it is inside of, and the server says it is not.
        public var outside: Set<Name>
    }

    private struct State {
        var regions: [Name: PreparedShape] = [:]
        var inside: Set<Name> = []
        /// When the last fix was taken.
        var last: Instant?
    }

    private let session: Session
    private let store: LocalStore
    private let state = Mutex(State())

    /// Regions that are kept at most.
    public static let regionLimit = 50_000
    private static let noteID = "regions"

    /// A watch for whoever is signed in.
    public init(session: Session, store: LocalStore) {
        self.session = session
        self.store = store
    }

    /// The collections as they were told: the name of each and its regions as GeoJSON.
    private struct Cache: Codable {
        var collections: [String: [String]]
    }

    /// Takes the regions that were told last from the store.
    public func recall() async throws {
        guard let cache = try await store.note(Self.noteID, as: Cache.self) else { return }
        adopt(cache)
    }

    /// Asks the server for the regions, and keeps them for when there is no network.
    ///
    /// - Throws: `ReplicationFault`; then what was known is kept.
    public func refresh() async throws {
        var cache = Cache(collections: [:])
        var count = 0
        for name in try await pages("collections", "items").compactMap({ $0["name"]?.string }) {
            let features = try await pages("collections/\(PeerAddress.encoded(name))/regions", "features")
            count += features.count
            guard count <= Self.regionLimit else { throw ReplicationFault.tooLarge(limitBytes: Self.regionLimit) }
            cache.collections[name] = features.map { String(decoding: $0.bytes, as: UTF8.self) }
        }
        try await store.keep(cache, note: Self.noteID)
        adopt(cache)
    }

    private func adopt(_ cache: Cache) {
        var regions: [Name: PreparedShape] = [:]
        for (collection, features) in cache.collections {
            for feature in features {
                guard let draft = try? RegionDraft.decode(Array(feature.utf8)).first, let id = draft.id else {
                    continue
                }
                regions[Name(collection: collection, id: id)] = PreparedShape(draft.shape)
            }
        }
        state.withLock { state in
            state.regions = regions
            state.inside.formIntersection(regions.keys)
        }
    }

    /// Decides one fix. The first says where the device is, and crosses nothing.
    public func take(_ fix: Position) -> [Crossing] {
        state.withLock { state in
            let inside = Set(state.regions.filter { $0.value.contains(fix.coordinate) }.keys)
            defer {
                state.inside = inside
                state.last = fix.sampleTime
            }
            guard state.last != nil else { return [] }
            // An exit precedes an enter of the same instant.
            let exits = state.inside.subtracting(inside).sorted()
            let entries = inside.subtracting(state.inside).sorted()
            return exits.map { Crossing(region: $0, isEntry: false, place: fix.coordinate) }
                + entries.map { Crossing(region: $0, isEntry: true, place: fix.coordinate) }
        }
    }

    /// Asks the server which regions this person is in, and takes that over as far as the server knows as much: of a
    /// moment before the last fix, it says nothing about now.
    ///
    /// - Returns: where that is another thing than what was thought here; nil where it is not, or nobody answers.
    func reconcile() async -> Difference? {
        guard let items = try? await pages("presences", "items") else { return nil }
        var told: [Name: (isInside: Bool, time: Instant)] = [:]
        for item in items where item["user"]?.string == session.user {
            guard let region = item["region"], let collection = region["collection"]?.string,
                let id = region["id"]?.string, let standing = item["standing"]?.string,
                let time = item["sampleTime"]?.string.flatMap({ try? Instant(rfc3339: $0) })
            else { continue }
            let name = Name(collection: collection, id: id)
            // A person is where any device of theirs is.
            let before = told[name] ?? (false, time)
            told[name] = (before.isInside || standing == "inside", max(before.time, time))
        }
        return state.withLock { state in
            var difference = Difference(inside: [], outside: [])
            for (name, (isInside, time)) in told where state.regions[name] != nil {
                guard state.last.map({ time >= $0 }) ?? true else { continue }
                if isInside, state.inside.insert(name).inserted { difference.inside.insert(name) }
                if !isInside, state.inside.remove(name) != nil { difference.outside.insert(name) }
            }
            return difference.inside.isEmpty && difference.outside.isEmpty ? nil : difference
        }
    }

    /// All pages of a list of the native API.
    private func pages(_ path: String, _ member: String) async throws -> [JSONValue] {
        var items: [JSONValue] = []
        var cursor: String?
        repeat {
            let query = "?limit=1000" + (cursor.map { "&cursor=" + PeerAddress.encoded($0) } ?? "")
            let (status, body) = try await session.connections.ask(
                "GET", session.server + "api/v1/" + path + query, credentials: session.credentials)
            guard status == 200 else {
                throw ReplicationFault.refused(status: status, error: "", reason: "the regions are not told")
            }
            let page = try? JSONValue(parsing: body, depthLimit: 64, valueLimit: 10_000_000)
            items += page?[member]?.elements ?? []
            cursor = page?["nextCursor"]?.string
        } while cursor != nil && items.count <= Self.regionLimit
        return items
    }
}

extension RegionWatch.Name: Comparable {
    /// By collection, then by id.
    public static func < (left: Self, right: Self) -> Bool {
        (left.collection, left.id) < (right.collection, right.id)
    }
}
