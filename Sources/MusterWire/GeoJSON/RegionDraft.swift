package import MusterCore
package import MusterGeometry

/// A region as a GeoJSON Feature describes it (RFC 7946), before it has a number and a collection.
package struct RegionDraft: Hashable, Sendable {
    /// The index of the feature in the request; 0 for a single one.
    package var feature: Int
    /// The Feature's `id`, a number as its text; nil when it has none.
    package var id: String?
    /// The property `name`.
    package var name: String?
    /// The property `muster`; false by default, and where `isMusterByRule` says that it is not the region's own.
    package var isMuster: Bool
    /// Whether a rule alone makes it a muster region: the member `musterByRule` of a Feature that the server wrote.
    package var isMusterByRule = false
    /// The property `crossingMode`; nil when absent.
    package var mode: RegionMode?
    /// The property `dwell`: after how many seconds inside a dwell is reported; nil for never.
    package var dwellSeconds: Double?
    /// The property `exitDelay`: for how many seconds an exit is held back; 0 by default.
    package var exitDelaySeconds: Double
    /// The geometry; a circle for a Point with the property `radius`, and nil for a beacon region without a place.
    package var shape: Shape?
    /// The property `beacon`; nil for a region that positions decide.
    package var beacon: BeaconDraft?
    /// All properties as the client sent them, as the text of one JSON object on one line; nil when there are none.
    package var properties: String?

    package init(
        feature: Int = 0, id: String? = nil, name: String? = nil, isMuster: Bool = false,
        mode: RegionMode? = nil, dwellSeconds: Double? = nil, exitDelaySeconds: Double = 0, shape: Shape?,
        beacon: BeaconDraft? = nil,
        properties: String? = nil
    ) {
        self.feature = feature
        self.id = id
        self.name = name
        self.isMuster = isMuster
        self.mode = mode
        self.dwellSeconds = dwellSeconds
        self.exitDelaySeconds = exitDelaySeconds
        self.shape = shape
        self.beacon = beacon
        self.properties = properties
    }

    /// The limits of a request.
    package struct Limits: Hashable, Sendable {
        /// The largest request, in bytes.
        package var bytes = 10_000_000
        /// The largest number of features.
        package var features = 50_000
        /// The largest number of positions in all rings of one feature.
        package var verticesPerFeature = 100_000
        /// The longest id, in characters.
        package var idCharacters = 100
        /// The longest name, in bytes of UTF-8.
        package var nameBytes = 400
        /// The longest properties of one feature, in bytes of JSON.
        package var propertyBytes = 65_536
        /// The largest number of faults that are listed.
        package var faults = 100
        /// The largest number of faults of one feature that are listed.
        package var faultsPerFeature = 10
        /// The longest dwell and exit delay: 30 days.
        package var seconds: Double = 2_592_000
        /// Whether the reader closes a ring that does not end where it begins, as some programs write them. Otherwise
        /// it is a fault, by RFC 7946.
        package var closesRings = false

        /// Creates the default limits.
        package init() {}
    }

    /// Reads a Feature or a FeatureCollection of Polygons, MultiPolygons and Points with a radius; a Polygon, a
    /// MultiPolygon, or a GeometryCollection of these, each of which is a region without properties; or a sequence of
    /// such texts (RFC 8142).
    ///
    /// `Shape.validated` decides which polygons are valid. The reader tolerates what RFC 7946 asks readers to tolerate:
    /// any winding, unknown members, a third number in a position, any precision, and a coordinate off the globe by a
    /// rounding error. A coordinate reference system other than WGS-84, which older files may name, is a fault.
    ///
    /// - Throws: every fault up to the limits; then no region is read. A fault in the syntax ends the reading.
    /// - Complexity: O(bytes), and O(n log n) for the rings of a feature with n vertices.
    package static func decode(
        _ bytes: UnsafeRawBufferPointer, limits: Limits = Limits()
    ) throws(RegionFaults) -> [RegionDraft] {
        var reader = RegionReader(limits: limits)
        return try reader.read(bytes)
    }
}

/// A fault in one feature, and its place.
package struct RegionFault: Hashable, Sendable {
    /// The index of the feature; nil when the fault is in the whole text.
    package var feature: Int?
    /// The faulty value, as an RFC 6901 pointer from the beginning of the text.
    package var pointer: String
    /// The fault.
    package var reason: JSONError.Reason
    /// The place of the fault on the map; nil when it has none.
    package var coordinate: Coordinate?
}

/// The faults of a request, as far as the reader looked.
package struct RegionFaults: Error, Hashable, Sendable {
    /// The faults; at least one.
    package var faults: [RegionFault]
    /// How many faults there are, listed or not.
    package var count: Int
    /// The regions of the features without a fault.
    package var drafts: [RegionDraft]

    /// Whether there were more faults than are listed.
    package var hasMore: Bool { count > faults.count }
    /// The number of features without a fault.
    package var soundFeatures: Int { drafts.count }
}
