import MusterCore
import MusterGeometry
package import MusterStore

/// Cursors into a device's history, as clients get them.
extension HistoryCursor {
    /// Reads a cursor; nil for a text that no answer contained.
    package init?(text: String) {
        guard let numbers = Cursor.decode(text, count: 3),
            let coordinate = try? Coordinate(
                latitude: Double(bitPattern: UInt64(bitPattern: numbers[1])),
                longitude: Double(bitPattern: UInt64(bitPattern: numbers[2])))
        else { return nil }
        self.init(
            sampleTime: Instant(milliseconds: numbers[0]), latitude: coordinate.latitude,
            longitude: coordinate.longitude)
    }

    package var text: String {
        Cursor.encode([
            sampleTime.milliseconds, Int64(bitPattern: latitude.bitPattern), Int64(bitPattern: longitude.bitPattern),
        ])
    }
}
