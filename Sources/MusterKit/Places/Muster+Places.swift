import MusterGeometry
import Synchronization

extension Muster {
    /// Returns the places near a location, such as assembly points and shops, the nearest first: at most 200, by a
    /// request to the server. Without a network they are those of earlier requests, and `isFresh` is false.
    ///
    /// - Parameters:
    ///   - location: the centre of the search; only its coordinate counts.
    ///   - radiusMetres: the largest distance of a place from the location, in metres.
    /// - Throws: `.illegalLocation`, `.signedOut`, `.closed`; `.unexpected` where the server refuses the request;
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
