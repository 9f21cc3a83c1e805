/// A place on WGS-84, in degrees; always finite and on the globe.
///
/// Latitude comes first in our types. GeoJSON and most wire formats put longitude first; `MusterWire` turns them round.
public struct Coordinate: Hashable, Sendable {
    /// Degrees north, −90 to 90.
    public let latitude: Double
    /// Degrees east, −180 to 180. Both ends are kept as they came.
    public let longitude: Double

    /// Makes a coordinate of two numbers from outside.
    ///
    /// - Throws: `CoordinateError` when a number is not finite or lies off the globe.
    public init(latitude: Double, longitude: Double) throws(CoordinateError) {
        guard latitude >= -90, latitude <= 90 else { throw .latitude(latitude) }
        guard longitude >= -180, longitude <= 180 else { throw .longitude(longitude) }
        self.latitude = latitude
        self.longitude = longitude
    }

    /// Makes a coordinate of two numbers that the caller knows to be on the globe: stored ones, or computed ones.
    ///
    /// - Precondition: both are finite and in range (asserted in debug builds).
    public init(validLatitude latitude: Double, longitude: Double) {
        assert(latitude >= -90 && latitude <= 90, "latitude off the globe")
        assert(longitude >= -180 && longitude <= 180, "longitude off the globe")
        self.latitude = latitude
        self.longitude = longitude
    }
}

/// What is wrong with a pair of numbers that should be a coordinate; carries the number.
public enum CoordinateError: Error, Hashable, Sendable {
    /// Not finite, or outside −90 to 90.
    case latitude(Double)
    /// Not finite, or outside −180 to 180.
    case longitude(Double)
}
