/// A place on WGS-84, in degrees; always finite and on the globe.
///
/// Latitude comes first in our types. GeoJSON and most wire formats put longitude first; `MusterWire` turns them round.
public struct Coordinate: Hashable, Sendable {
    /// Degrees north, −90 to 90.
    public let latitude: Double
    /// Degrees east, −180 to 180. Neither end is changed to the other.
    public let longitude: Double

    /// Creates a coordinate from a client's two numbers.
    ///
    /// - Throws: `CoordinateError` when a number is not finite or lies off the globe.
    public init(latitude: Double, longitude: Double) throws(CoordinateError) {
        guard latitude >= -90, latitude <= 90 else { throw .latitude(latitude) }
        guard longitude >= -180, longitude <= 180 else { throw .longitude(longitude) }
        self.latitude = latitude
        self.longitude = longitude
    }

    /// Creates a coordinate from two numbers that the caller knows to be on the globe, because they are stored or
    /// computed.
    ///
    /// - Precondition: both are finite and in range (asserted in debug builds).
    public init(validLatitude latitude: Double, longitude: Double) {
        assert(latitude >= -90 && latitude <= 90, "latitude off the globe")
        assert(longitude >= -180 && longitude <= 180, "longitude off the globe")
        self.latitude = latitude
        self.longitude = longitude
    }
}

/// The fault in a pair of numbers that should be a coordinate, with the faulty number.
public enum CoordinateError: Error, Hashable, Sendable {
    /// The latitude is not finite, or outside −90 to 90.
    case latitude(Double)
    /// The longitude is not finite, or outside −180 to 180.
    case longitude(Double)
}
