import MusterGeometry
import MusterMutex

extension Muster {
    /// Requests the places near a location, such as assembly points and shops, and returns at most 200, the nearest
    /// first. Without a network it returns those of earlier requests, without that limit, and `isFresh` is false.
    ///
    /// - Parameters:
    ///   - location: the centre of the search; only its coordinate counts.
    ///   - radiusMetres: the largest distance of a place from the location, in metres.
    /// - Throws: `.illegalLocation`, `.signedOut`, `.closed`; `.unexpected` if the server refuses the request;
    ///   `.storeUnavailable`.
    public func places(
        near location: Location, radiusMetres: Double = Places.usualRadius.value
    ) async throws(MusterError) -> Places.Answer {
        let centre = try location.fix().coordinate
        let (places, isClosed) = state.withLock { state -> (Places?, Bool) in
            if state.places == nil, let session = state.session {
                state.places = Places(session: session, store: store)
            }
            return (state.places, state.isClosed)
        }
        if isClosed { throw .closed }
        guard let places else { throw .signedOut }
        return try await inWords { try await places.near(centre, radius: Metres(radiusMetres)) }
    }
}
