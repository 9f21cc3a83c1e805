import Crypto
import MusterCore
import MusterReplication
import MusterWire

// `RegionDiff`: the changes that a response of the server makes to the regions that a device knows.

/// The region of each feature in the server's response, by the digest of the feature's text.
typealias KnownRegions = [SHA256Digest: RegionNumber]

/// The difference between a collection's regions on the device and on the server. Few of up to 50,000 regions change
/// between two requests, and only the changed ones are parsed.
struct RegionDiff: Sendable {
    /// The regions whose features are unchanged.
    private(set) var kept = KnownRegions()
    /// The features that are new or changed, in the server's order.
    private(set) var new: [(digest: SHA256Digest, draft: RegionDraft)] = []
    /// The regions whose features the server no longer has. They are removed, unless a new feature has the same id.
    private(set) var gone: [RegionNumber] = []

    /// Whether nothing changed.
    var areAsBefore: Bool { new.isEmpty && gone.isEmpty }

    /// Compares a collection of the server's with the known regions.
    ///
    /// - Parameter known: the regions of the server's last answer.
    /// - Throws: `ReplicationError.malformed` for a feature that is not a region.
    /// - Complexity: O(bytes + known), and O(n log n) for the rings of a new region with n vertices.
    init(of collection: RegionSnapshot.Collection, knowing known: KnownRegions) throws {
        do {
            for var page in collection.pages {
                try page.withUTF8 { try read(UnsafeRawBufferPointer($0), knowing: known) }
            }
            let numbers = Set(kept.values)
            gone = known.values.filter { !numbers.contains($0) }
        } catch {
            throw ReplicationError.malformed("collection \(collection.name) has an invalid region")
        }
    }

    private mutating func read(_ page: UnsafeRawBufferPointer, knowing known: KnownRegions) throws {
        var limits = RegionDraft.Limits()
        limits.bytes = NativeQuestions.answerLimitBytes
        var reader = JSONReader(page, depthLimit: 64)
        try reader.beginObject()
        while let key = try reader.nextKey() {
            guard key == "features" else {
                _ = try reader.skip()
                continue
            }
            try reader.beginArray()
            while try reader.nextElement() {
                let feature = try reader.skip()
                let digest = SHA256.hash(data: feature)
                if let number = known[digest] {
                    kept[digest] = number
                } else {
                    for draft in try RegionDraft.decode(feature, limits: limits) { new.append((digest, draft)) }
                }
            }
        }
    }
}
