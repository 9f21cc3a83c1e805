package import MusterCore
import MusterGeometry

/// The identity of a position within its device: sample time and coordinate. The history of a device is in the order of
/// its keys.
package struct PositionKey: Hashable, Comparable {
    var sampleTime: Int64
    var latitude: Double
    var longitude: Double

    init(sampleTime: Int64, latitude: Double, longitude: Double) {
        self.sampleTime = sampleTime
        self.latitude = latitude
        self.longitude = longitude
    }

    package init(_ position: Position) {
        sampleTime = position.sampleTime.milliseconds
        latitude = position.coordinate.latitude
        longitude = position.coordinate.longitude
    }

    /// A key that precedes every key with this sample time or a later one.
    package init(from instant: Instant) {
        sampleTime = instant.milliseconds
        latitude = -.infinity
        longitude = -.infinity
    }

    package init(_ cursor: HistoryCursor) {
        sampleTime = cursor.sampleTime.milliseconds
        latitude = cursor.latitude
        longitude = cursor.longitude
    }

    package static func < (left: Self, right: Self) -> Bool {
        if left.sampleTime != right.sampleTime { return left.sampleTime < right.sampleTime }
        if left.latitude != right.latitude { return left.latitude < right.latitude }
        return left.longitude < right.longitude
    }
}

/// The number of the change that recorded a position, and whether a document brought the position.
struct PositionMark: Hashable {
    /// The sequence shifted left by one; the lowest bit is 1 if a document brought the position.
    let rawValue: Int64

    init(rawValue: Int64) { self.rawValue = rawValue }

    init(sequence: Int64, source: Position.Source) {
        rawValue = sequence << 1 | (source == .couchDB ? 1 : 0)
    }

    var sequence: Int64 { rawValue >> 1 }
    /// Whether a document brought the position. Such a position is not presented as a document of its own.
    var isOfDocument: Bool { rawValue & 1 == 1 }
}
