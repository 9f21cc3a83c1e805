import MusterGeometry

/// A plan that makes a fast index of a collection's regions; a value that any thread may carry out.
public struct RegionCatalogRebuild: Sendable {
    let collection: CollectionNumber
    let plan: RegionIndexRebuild

    /// Makes the index. Takes a while: some 0.3 µs a vertex.
    public func build() -> BuiltCollection { BuiltCollection(collection: collection, regions: plan.build()) }
}

/// What a rebuild made, for `Engine.adopt`.
public struct BuiltCollection: Sendable {
    let collection: CollectionNumber
    let regions: BuiltRegions
}

extension Engine {
    /// What would make the index of some collection fast again after many edits; nil when all are. Decisions are the
    /// same before and after.
    public var rebuild: RegionCatalogRebuild? { catalog.rebuild }

    /// Takes a rebuilt index; what was put or removed meanwhile stays true.
    public mutating func adopt(_ built: BuiltCollection) { catalog.adopt(built) }
}
