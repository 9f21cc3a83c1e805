package import MusterCore
package import MusterGeometry

/// A region as a GeoJSON Feature describes it (RFC 7946), before it has a number and a collection.
package struct RegionDraft: Hashable, Sendable {
    /// Which feature of the request it was; 0 when there was only one.
    package var feature: Int
    /// The Feature's `id`, a number as it is written; nil when it has none.
    package var id: String?
    /// The property `name`.
    package var name: String?
    /// The property `muster`; false unless said.
    package var isMuster: Bool
    /// The property `crossingMode`; nil unless said.
    package var mode: RegionMode?
    /// The property `dwell`: seconds inside after which a dwell is reported; nil: never.
    package var dwellSeconds: Double?
    /// The property `exitDelay`: seconds that an exit is held back; 0 unless said.
    package var exitDelaySeconds: Double
    /// The geometry; a circle where it is a Point with the property `radius`.
    package var shape: Shape
    /// All properties as they came, as the text of one JSON object on one line; nil when there are none.
    package var properties: String?

    /// A region's description.
    package init(
        feature: Int = 0, id: String? = nil, name: String? = nil, isMuster: Bool = false,
        mode: RegionMode? = nil, dwellSeconds: Double? = nil, exitDelaySeconds: Double = 0, shape: Shape,
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
        self.properties = properties
    }

    /// What a request may hold at most.
    package struct Limits: Hashable, Sendable {
        /// The size of the request.
        package var bytes = 10_000_000
        /// Features.
        package var features = 50_000
        /// Positions in all rings of one feature.
        package var verticesPerFeature = 100_000
        /// The length of an id.
        package var idCharacters = 100
        /// The length of a name.
        package var nameBytes = 400
        /// All properties of one feature.
        package var propertyBytes = 65_536
        /// How many faults are listed.
        package var faults = 100
        /// How many faults of one feature are listed.
        package var faultsPerFeature = 10
        /// The longest dwell and exit delay: 30 days.
        package var seconds: Double = 2_592_000
        /// Whether a ring that does not end where it begins is closed, for some programs write them so; else it is a
        /// fault, as RFC 7946 has it.
        package var closesRings = false

        /// The usual limits.
        package init() {}
    }

    /// Reads a Feature or a FeatureCollection of Polygons, MultiPolygons and Points with a radius.
    ///
    /// What makes a valid polygon is `Shape.validated`'s to say. What RFC 7946 tells a reader to bear is borne: any
    /// winding, any foreign member, a third number in a position, any precision, and a coordinate off the globe by a
    /// rounding error. A coordinate reference system other than WGS-84, which older files may name, is a fault.
    ///
    /// - Throws: every fault, as far as the limits go; nothing is read in part. A fault in the syntax ends the
    ///   reading.
    /// - Complexity: O(bytes), and O(n log n) for the rings of a feature with n vertices.
    package static func decode(
        _ bytes: UnsafeRawBufferPointer, limits: Limits = Limits()
    ) throws(RegionFaults) -> [RegionDraft] {
        var reader = RegionReader(limits: limits)
        return try reader.read(bytes)
    }

    /// Reads regions, as above.
    package static func decode(
        _ bytes: [UInt8], limits: Limits = Limits()
    ) throws(RegionFaults) -> [RegionDraft] {
        try bytes.withUnsafeBytes { buffer in
            Result { () throws(RegionFaults) in try decode(buffer, limits: limits) }
        }.get()
    }
}

/// What is wrong with one feature, and where.
package struct RegionError: Hashable, Sendable {
    /// Which feature; nil when the whole text is at fault.
    package var feature: Int?
    /// The value at fault, as an RFC 6901 pointer from the beginning of the text.
    package var pointer: String
    /// What is wrong with it.
    package var reason: JSONError.Reason
    /// The place on the map that is at fault, where there is one.
    package var coordinate: Coordinate?
}

/// Everything that is wrong with a request, as far as it was looked at.
package struct RegionFaults: Error, Hashable, Sendable {
    /// At least one.
    package var faults: [RegionError]
    /// Whether there were more than are listed.
    package var hasMore: Bool
    /// How many features were read without a fault.
    package var soundFeatures: Int
}
