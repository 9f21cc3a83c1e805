import Foundation
import MusterKit
import MusterWire
public import Observation

/// The regions that a leader may see, and the editor of one of them.
@MainActor @Observable public final class RegionsModel {
    private let follower: TeamFollower
    private let server: ServerClient
    private let muster: Muster
    private let wording: Wording
    private var found: [Entry] = []
    /// Why the last request failed; nil if it did not.
    public private(set) var problem: String?
    /// Whether the list is being requested.
    public private(set) var isLoading = false
    /// The collections that this leader may change, by name.
    public private(set) var writable: [String] = []

    init(_ follower: TeamFollower, _ server: ServerClient, _ muster: Muster, _ wording: Wording) {
        (self.follower, self.server, self.muster, self.wording) = (follower, server, muster, wording)
    }

    private struct Entry: Hashable {
        var collection: String
        var id: String
        var name: String
        var isMuster: Bool
        var mayChange: Bool
        var isCircle: Bool
        var hasPlace: Bool
    }

    /// A region of the list.
    public struct Row: Hashable, Sendable, Identifiable {
        /// `collection/id`.
        public var id: String
        /// The collection that it is in.
        public var collection: String
        /// Its id in the collection.
        public var region: String
        /// What it is called.
        public var title: String
        /// The kind of shape, and whether it is an assembly point.
        public var detail: String
        /// Whether this leader may change it.
        public var mayChange: Bool
    }

    /// The title of the screen.
    public var title: String { words.text(.screensRegions) }
    /// The title of the button for a new region.
    public var newTitle: String { words.text(.regionsNew) }
    /// The regions by collection and title.
    public var rows: [Row] {
        found.map { entry in
            let kind: Word =
                !entry.hasPlace ? .regionsKindNone : entry.isCircle ? .regionsKindCircle : .regionsKindPolygon
            let tag = entry.isMuster ? words.text(.regionsTagMuster) : ""
            return Row(
                id: "\(entry.collection)/\(entry.id)", collection: entry.collection, region: entry.id,
                title: wording.legible(entry.name), detail: words.listed([words.text(kind), tag]),
                mayChange: entry.mayChange)
        }
    }
    /// The region of a name; nil if it is not in the list.
    public func row(collection: String, id: String) -> Row? {
        rows.first { $0.collection == collection && $0.region == id }
    }
    /// That there is nothing; nil if there is, or nothing was read yet.
    public var emptyText: String? { found.isEmpty && !isLoading && problem == nil ? words.text(.regionsNone) : nil }

    /// Requests the regions of all collections that this leader may see. If it fails or is cancelled, the list of
    /// before stays.
    public func load() async {
        isLoading = true
        defer { isLoading = false }
        do {
            var entries: [Entry] = []
            var writable: [String] = []
            for collection in try await server.items("collections") {
                guard let name = collection["name"]?.string else { continue }
                let mayChange = collection["mayChange"]?.boolean ?? false
                if mayChange { writable.append(name) }
                let path = "collections/\(ServerClient.encoded(name))/regions"
                for feature in try await server.items(path, "features") {
                    guard let draft = RegionDraft(feature) else { continue }
                    entries.append(
                        Entry(
                            collection: name, id: draft.id, name: draft.name, isMuster: draft.isMuster,
                            mayChange: mayChange, isCircle: draft.radiusMetres != nil,
                            hasPlace: !draft.vertices.isEmpty))
                }
            }
            found = entries.sorted { ($0.collection, $0.name, $0.id) < ($1.collection, $1.name, $1.id) }
            self.writable = writable.sorted()
            problem = nil
        } catch {
            if error != .cancelled { problem = ErrorWords(wording: wording).text(error) }
        }
    }

    /// An editor of a region, or of a new one.
    ///
    /// - Parameter row: the region; nil for a new one.
    public func editor(of row: Row?) -> RegionEditorModel {
        RegionEditorModel(
            collection: row?.collection ?? writable.first ?? "", region: row?.region, server, wording
        ) { [weak self] in
            await self?.load()
            try? await self?.muster.refreshRegions()
        }
    }

    private var words: Words { wording.words }
}
