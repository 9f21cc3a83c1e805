package import MusterCore

/// The check before each edit of a collection's regions, whichever endpoint is asked.
extension Access {
    /// Checks that the principal may change a collection's regions.
    ///
    /// - Throws: `Problem.forbidden`, which says why the principal may not.
    package func requireChange(of collection: RegionCollection) throws(Problem) {
        guard !collection.isOfWarnings else {
            throw .forbidden("These regions are official warnings: the server keeps them as their feed has them.")
        }
        guard mayChange(collection) else {
            throw .forbidden("This collection is not your team's, or other teams use it too: an admin can change it.")
        }
    }
}
