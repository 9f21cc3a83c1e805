package import MusterCore
package import MusterDocuments
import MusterWire
import Synchronization

/// The geo indexes of the databases that were queried lately. The first query makes an index. Each later query brings
/// it up to date, so it sees every transaction that was answered before it.
package final class GeoIndexCache: Sendable {
    private struct Cache {
        var geoIndexes: [DatabaseScope: (geoIndex: DocumentGeoIndex, usedAt: UInt64)] = [:]
        var uses: UInt64 = 0
    }

    private let cache = Mutex(Cache())
    /// Only one index is updated at a time. Queries of other indexes that need an update wait.
    private let updating = Mutex(())

    /// The largest number of indexes; the least recently used is dropped.
    private static let capacity = 16

    package init() {}

    /// The index of a scope, up to date with this reader.
    ///
    /// - Throws: `MangoError` when there are too many places; the reader's errors.
    package func geoIndex(of scope: DatabaseScope, _ reader: any DocumentReader) throws -> DocumentGeoIndex {
        if let known = kept(scope), known.sequence >= reader.lastSequence { return known }
        return try updating.withLock { _ in
            var geoIndex = kept(scope) ?? DocumentGeoIndex()
            guard geoIndex.sequence < reader.lastSequence else { return geoIndex }
            // The cache must not hold a second copy of the index while this one changes.
            cache.withLock { $0.geoIndexes[scope] = nil }
            do {
                try geoIndex.follow(reader, scope)
            } catch let error where !(error is MangoError) {
                // An interrupted update leaves a consistent index; the next update continues from there.
                cacheIndex(geoIndex, of: scope)
                throw error
            }
            cacheIndex(geoIndex, of: scope)
            return geoIndex
        }
    }

    private func kept(_ scope: DatabaseScope) -> DocumentGeoIndex? {
        cache.withLock { cache in
            cache.uses += 1
            cache.geoIndexes[scope]?.usedAt = cache.uses
            return cache.geoIndexes[scope]?.geoIndex
        }
    }

    private func cacheIndex(_ geoIndex: DocumentGeoIndex, of scope: DatabaseScope) {
        cache.withLock { cache in
            cache.uses += 1
            if cache.geoIndexes.count >= Self.capacity,
                let oldest = cache.geoIndexes.min(by: { $0.value.usedAt < $1.value.usedAt })?.key
            {
                cache.geoIndexes[oldest] = nil
            }
            cache.geoIndexes[scope] = (geoIndex, cache.uses)
        }
    }
}
