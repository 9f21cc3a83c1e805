extension Shape {
    /// How far a place is from the boundary: positive inside, negative outside, 0 on it.
    ///
    /// The distance of a circle's boundary is the radius less the geodesic distance of the centre.
    public func signedDistanceToBoundary(from place: Coordinate) -> Metres {
        if case .circle(let circle) = self { return circle.radius - circle.centre.distance(to: place) }
        return contains(place) ? .init(1) : .init(-1)
    }
}
