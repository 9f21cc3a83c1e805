public import MusterCore
public import MusterGeometry

/// Selects the fixes to record: those that are accurate enough, far enough from the last admitted one, and late enough
/// after it.
public struct LocationFilter: Hashable, Sendable {
    /// The largest accuracy radius that is admitted. A fix without an accuracy is admitted too.
    public var accuracy: Metres
    /// The smallest distance from the last admitted fix.
    public var distance: Metres
    /// A fix is admitted more than this many seconds after the last admitted one.
    public var seconds: Double

    /// Makes a filter of distances with units.
    public init(accuracy: Metres, distance: Metres, seconds: Double) {
        self.accuracy = accuracy
        self.distance = distance
        self.seconds = seconds
    }

    /// Makes a filter of plain numbers.
    ///
    /// - Parameters:
    ///   - accuracyMetres: the poorest accuracy that is recorded; infinity for any.
    ///   - distanceMetres: the least distance from the last recorded fix.
    ///   - seconds: a fix is recorded more than this many seconds after the last recorded one.
    public init(accuracyMetres: Double, distanceMetres: Double, seconds: Double) {
        self.init(accuracy: Metres(accuracyMetres), distance: Metres(distanceMetres), seconds: seconds)
    }

    /// The filter while the app is in the foreground: 25 m accuracy, 15 m distance, 15 s.
    public static let foreground = LocationFilter(accuracy: Metres(25), distance: Metres(15), seconds: 15)
    /// The filter while the app is in the background: 100 m accuracy, 100 m distance, 15 s.
    public static let background = LocationFilter(accuracy: Metres(100), distance: Metres(100), seconds: 15)
    /// Admits every fix.
    public static let everything = LocationFilter(accuracy: Metres(.infinity), distance: Metres(0), seconds: -.infinity)

    /// Whether a fix is admitted after the last admitted one.
    ///
    /// An accuracy radius or a distance equal to the limit is admitted; a time difference equal to `seconds` is not.
    public func admits(_ fix: Position, after last: Position?) -> Bool {
        if let accuracy = fix.accuracy, accuracy.value > self.accuracy.value { return false }
        guard let last else { return true }
        return fix.sampleTime.seconds(since: last.sampleTime) > seconds
            && fix.coordinate.distance(to: last.coordinate).value >= distance.value
    }
}
