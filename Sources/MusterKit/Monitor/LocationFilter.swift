public import MusterCore
public import MusterGeometry

/// Which fixes are worth being told of: good enough, far enough from the last one told, and late enough after it.
public struct LocationFilter: Hashable, Sendable {
    /// The poorest accuracy that will do. A fix that does not say how accurate it is will do too.
    public var accuracy: Metres
    /// How far from the last one, at least.
    public var distance: Metres
    /// More than so many seconds after the last one.
    public var seconds: Double

    /// Which fixes are worth being told of.
    public init(accuracy: Metres, distance: Metres, seconds: Double) {
        self.accuracy = accuracy
        self.distance = distance
        self.seconds = seconds
    }

    /// Which fixes are recorded, in plain numbers.
    ///
    /// - Parameters:
    ///   - accuracyMetres: the poorest accuracy that is recorded; infinity for any.
    ///   - distanceMetres: the least distance from the last recorded fix.
    ///   - seconds: a fix is recorded more than this many seconds after the last recorded one.
    public init(accuracyMetres: Double, distanceMetres: Double, seconds: Double) {
        self.init(accuracy: Metres(accuracyMetres), distance: Metres(distanceMetres), seconds: seconds)
    }

    /// While someone looks at the app: 25 m, 15 m, 15 s.
    public static let foreground = LocationFilter(accuracy: Metres(25), distance: Metres(15), seconds: 15)
    /// While nobody does: 100 m, 100 m, 15 s.
    public static let background = LocationFilter(accuracy: Metres(100), distance: Metres(100), seconds: 15)
    /// Every fix.
    public static let everything = LocationFilter(accuracy: Metres(.infinity), distance: Metres(0), seconds: -.infinity)

    /// Whether a fix is worth being told of after the last that was.
    ///
    /// An accuracy of exactly the limit, and exactly the distance, will do; exactly the seconds are not enough.
    public func admits(_ fix: Position, after last: Position?) -> Bool {
        if let accuracy = fix.accuracy, accuracy.value > self.accuracy.value { return false }
        guard let last else { return true }
        return fix.sampleTime.seconds(since: last.sampleTime) > seconds
            && fix.coordinate.distance(to: last.coordinate).value >= distance.value
    }
}
