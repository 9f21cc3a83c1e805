/// How rings may lie to each other in a valid shape, and how many there may be. A ring never meets itself.
public struct ShapeRules: Hashable, Sendable {
    /// Whether rings of a polygon may touch each other in points.
    public var ringsMayTouch = true
    /// How many edges of other polygons an edge may cross; nil: polygons must not overlap at all. Pieces that edges
    /// have in common, and points in which they only touch, are no crossings.
    public var crossingsOfEdge: Int?
    /// How many pairs of edges may cross in all, where polygons may overlap.
    public var crossingLimit = 0
    /// How many rings there may be in all.
    public var ringLimit = Shape.ringLimit

    /// The rules of GeoJSON and of OGC's simple features, except that rings may touch in any number of points.
    public static let simpleFeatures = ShapeRules()

    /// Creates rules from their fields.
    public init(
        ringsMayTouch: Bool = true, crossingsOfEdge: Int? = nil, crossingLimit: Int = 0,
        ringLimit: Int = Shape.ringLimit
    ) {
        self.ringsMayTouch = ringsMayTouch
        self.crossingsOfEdge = crossingsOfEdge
        self.crossingLimit = crossingLimit
        self.ringLimit = ringLimit
    }
}
