import MusterGeometry

/// A place as Meshtastic radios send it: whole ten-millionths of a degree, whose last bits the owner of a channel may
/// have removed.
///
/// A radio with a precision of n bits keeps the first n of the 32 bits of each number and sends the middle of the cell
/// that is left (`PositionModule.cpp` of https://github.com/meshtastic/firmware): with 13 bits the cell is 5.8 km high.
struct MeshtasticPlace: Hashable, Sendable {
    private let latitude: Int32
    private let longitude: Int32

    /// The precision that is assumed of a radio that names none: the coarsest that the apps offer. Such a radio may be
    /// precise to the metre, but the firmware also truncates places from a phone without reporting the precision.
    static let leastPrecisionBits: Int64 = 10
    /// The error of a receiver for a dilution of precision of 1, metres.
    private static let metresPerDilution = 5.0
    /// The dilution that is assumed of a radio that names none.
    private static let usualDilution = 2.0

    /// Creates a place; nil for one that is not on the globe.
    init?(latitude: Int64?, longitude: Int64?) {
        guard let latitude, let longitude, (-900_000_000...900_000_000).contains(latitude),
            (-1_800_000_000...1_800_000_000).contains(longitude)
        else { return nil }
        self.latitude = Int32(latitude)
        self.longitude = Int32(longitude)
    }

    /// Whether the radio does not know its place.
    var isUnknown: Bool { latitude == 0 && longitude == 0 }

    var coordinate: Coordinate {
        Coordinate(validLatitude: Double(latitude) / 1e7, longitude: Double(longitude) / 1e7)
    }

    /// Returns the radius around the place that holds the radio: the distance to the farthest corner of its cell, and
    /// the receiver's error.
    ///
    ///   - precisionBits: how many bits the radio keeps; nil when it does not report them. A number outside 1 to 32
    ///     counts as nil.
    ///   - dilutionHundredths: the receiver's dilution of precision, in hundredths; nil when the radio does not report
    ///     it.
    ///   - dilutionHundredths: the receiver's dilution of precision, in hundredths; nil when the radio does not say.
    func accuracy(precisionBits: Int64?, dilutionHundredths: Double?) -> Metres {
        let dilution = dilutionHundredths.flatMap { (1...100_000).contains($0) ? $0 / 100 : nil } ?? Self.usualDilution
        let error = Metres(max(dilution, 1) * Self.metresPerDilution)
        let bits = precisionBits.flatMap { (1...32).contains($0) ? Int($0) : nil } ?? Int(Self.leastPrecisionBits)
        return bits == 32 ? error : error + cornerDistance(bits: bits)
    }

    /// The distance from the place to the farthest corner of its cell. A place that is not in the middle of a cell, as
    /// early versions of the firmware sent it, may be at a corner itself.
    private func cornerDistance(bits: Int) -> Metres {
        let cell = UInt32(1) << UInt32(32 - bits)
        let isMiddle = [latitude, longitude].allSatisfy { UInt32(bitPattern: $0) & (cell - 1) == cell / 2 }
        let degrees = Double(cell) / 1e7 / (isMiddle ? 2 : 1)
        let here = Coordinate(validLatitude: coordinate.latitude, longitude: 0)
        let corners = [-degrees, degrees].map { step in
            Coordinate(validLatitude: min(max(here.latitude + step, -90), 90), longitude: min(degrees, 180))
        }
        return corners.map { here.distance(to: $0) }.max() ?? 0
    }
}
