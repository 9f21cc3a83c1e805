import Crypto
import MusterCore
import MusterReplication
import MusterWire

/// Which region each feature is that a server told of, by the digest of its text.
typealias KnownRegions = [SHA256Digest: RegionNumber]

/// The regions of a collection as a server tells them: of fifty thousand few are others than the last time, and only
/// these are read.
struct RegionDiff: Sendable {
    /// Those that are known: their features are the same texts.
    private(set) var kept = KnownRegions()
    /// Those that are new, or others than they were, in the order told.
    private(set) var new: [(digest: SHA256Digest, draft: RegionDraft)] = []
    /// Known ones that were not told as they were: they are gone, unless one of the new takes their place.
    private(set) var gone: [RegionNumber] = []

    /// Whether they are those that were known.
    var areAsBefore: Bool { new.isEmpty && gone.isEmpty }

    /// Reads what was told.
    ///
    /// - Parameter known: the regions that were told before.
    /// - Throws: `ReplicationError.malformed` for what is no region.
    /// - Complexity: O(bytes + known), and O(n log n) for the rings of a new region with n vertices.
    init(of collection: Surroundings.Collection, knowing known: KnownRegions) throws {
        do {
            for var page in collection.pages {
                try page.withUTF8 { try read(UnsafeRawBufferPointer($0), knowing: known) }
            }
            let numbers = Set(kept.values)
            gone = known.values.filter { !numbers.contains($0) }
        } catch {
            throw ReplicationError.malformed("a region of \(collection.name) is none")
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
