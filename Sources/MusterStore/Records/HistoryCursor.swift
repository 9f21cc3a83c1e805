package import MusterCore

/// A cursor into a device's history: the last position of a page.
package struct HistoryCursor: Hashable, Sendable {
    package var sampleTime: Instant
    package var latitude: Double
    package var longitude: Double

    package init(sampleTime: Instant, latitude: Double, longitude: Double) {
        self.sampleTime = sampleTime
        self.latitude = latitude
        self.longitude = longitude
    }
}
