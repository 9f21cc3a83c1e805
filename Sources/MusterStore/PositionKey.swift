package import MusterCore
import MusterGeometry

/// What makes two positions of one device the same: the sample time and the place. Also their order in its history.
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

    /// Before every key of this sample time or later.
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

/// The number of the change that recorded a position, and whether the position came from a document.
struct PositionMark: Hashable {
    /// The sequence number shifted left by one; the lowest bit is 1 when the position came from a document.
    let rawValue: Int64

    init(rawValue: Int64) { self.rawValue = rawValue }

    init(sequence: Int64, source: Position.Source) {
        rawValue = sequence << 1 | (source == .couchDB ? 1 : 0)
    }

    var sequence: Int64 { rawValue >> 1 }
    /// Whether the position came from a stored document, so that the position need not be presented as a document.
    var isOfDocument: Bool { rawValue & 1 == 1 }
}
