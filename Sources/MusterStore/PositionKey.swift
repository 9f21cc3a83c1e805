import MusterCore
import MusterGeometry

/// What makes two positions of one device the same: the sample time and the place. Also their order in its history.
struct PositionKey: Hashable, Comparable {
    var sampleTime: Int64
    var latitude: Double
    var longitude: Double

    init(sampleTime: Int64, latitude: Double, longitude: Double) {
        self.sampleTime = sampleTime
        self.latitude = latitude
        self.longitude = longitude
    }

    init(_ position: Position) {
        sampleTime = position.sampleTime.milliseconds
        latitude = position.coordinate.latitude
        longitude = position.coordinate.longitude
    }

    /// Before every key of this sample time or later.
    init(from instant: Instant) {
        sampleTime = instant.milliseconds
        latitude = -.infinity
        longitude = -.infinity
    }

    init(_ cursor: HistoryCursor) {
        sampleTime = cursor.sampleTime.milliseconds
        latitude = cursor.latitude
        longitude = cursor.longitude
    }

    static func < (left: Self, right: Self) -> Bool {
        if left.sampleTime != right.sampleTime { return left.sampleTime < right.sampleTime }
        if left.latitude != right.latitude { return left.latitude < right.latitude }
        return left.longitude < right.longitude
    }
}
