package import MusterCore
package import MusterGeometry

/// What a tracker app reported in one request.
///
/// A faulty part does not affect the others: an app that is told of a fault sends the same report again for ever, and
/// everything that it recorded since waits behind it. So the server stores what can be read.
package struct TrackerReport: Hashable, Sendable {
    /// The positions, in the order of the report.
    package var positions: [Position] = []
    /// The calls for help that the person made in the app.
    package var calls: [Call] = []
    /// Why a part of the report could not be read, the first such part; nil when all could. The words name members, and
    /// never a value.
    package var fault: String?
    /// The number of parts that could not be read.
    package var faultCount = 0

    /// A call for help.
    package struct Call: Hashable, Sendable {
        /// When the person called, by the phone's clock; nil where the report does not say.
        package var sampleTime: Instant?
        /// Where the person was; nil where the report does not say.
        package var coordinate: Coordinate?
    }

    /// The largest number of positions in one request.
    package static let positionLimit = 1000

    /// Records that a part of the report cannot be read.
    mutating func addFault(_ words: String) {
        fault = fault ?? words
        faultCount += 1
    }
}

extension JSONValue {
    /// The device's id that a report names, as `device_id`; nil where there is none.
    package var trackerID: String? {
        let report = elements?.first ?? self
        return report["device_id"]?.deviceText ?? report["location"]?["device_id"]?.deviceText
    }

    /// The number, also one that is written as text; nil for anything else, and outside the range.
    func trackerNumber(within range: ClosedRange<Double>) -> Double? {
        deviceNumber.flatMap { range.contains($0) ? $0 : nil }
    }
}

/// What is plausible in a report. An app writes −1, or nothing, for what its phone does not know.
enum TrackerRange {
    static let latitudes = -90.0...90.0
    static let longitudes = -180.0...180.0
    static let accuracyMetres = 0.0...1e8
    static let altitudeMetres = -1e7...1e7
    static let metresPerSecond = 0.0...1e6
    static let degrees = 0.0...360.0
    static let perCent = 0.0...100.0
}

extension Position {
    /// Makes the position of a report. What is out of range is unknown.
    ///
    /// - Parameters:
    ///   - accuracy: in metres; 0 is unknown.
    ///   - speed: in metres a second.
    ///   - heading: in degrees; 360 is 0.
    ///   - battery: in per cent.
    init(
        tracked coordinate: Coordinate, at sampleTime: Instant, receivedAt: Instant, accuracy: Double?,
        altitude: Double?, speed: Double?, heading: Double?, battery: Double?, source: Source, attributes: String?
    ) {
        func plausible(_ number: Double?, _ range: ClosedRange<Double>) -> Double? {
            number.flatMap { range.contains($0) ? $0 : nil }
        }
        let direction = plausible(heading, TrackerRange.degrees)
        self.init(
            coordinate: coordinate, sampleTime: sampleTime, receivedTime: receivedAt,
            accuracy: plausible(accuracy, TrackerRange.accuracyMetres).flatMap { $0 > 0 ? Metres($0) : nil },
            altitude: plausible(altitude, TrackerRange.altitudeMetres).map { Metres($0) },
            speed: plausible(speed, TrackerRange.metresPerSecond), heading: direction == 360 ? 0 : direction,
            battery: plausible(battery, TrackerRange.perCent), source: source, attributes: attributes)
    }
}
