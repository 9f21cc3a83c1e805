/// What a source of positions means by its accuracy. Endpoints convert with it, so that all code behind them uses the
/// 68 % radius.
public enum AccuracyMeaning: Hashable, Sendable, CaseIterable {
    /// The radius holds the true place with 68 % probability: Android's `Location.getAccuracy`, and roughly Apple's
    /// `horizontalAccuracy`. OwnTracks passes either on.
    case radius68
    /// The radius holds the true place with 95 % probability: the W3C's Geolocation API, in browsers.
    case radius95

    /// Returns the 68 % radius in metres of an accuracy that the source reported in metres.
    ///
    /// When the error is normal and the same in all directions, the radii of 95 % and 68 % are 2.4477 and 1.5096
    /// deviations: 1.62 to 1.
    public func radius68(ofMetres metres: Double) -> Double {
        switch self {
        case .radius68: metres
        case .radius95: metres / 1.62
        }
    }
}
