/// What a source means by accuracy. Endpoints convert with it, so that everywhere behind them an accuracy is the 68 %
/// radius.
public enum AccuracyMeaning: Hashable, Sendable, CaseIterable {
    /// The radius holds the true place with 68 %: Android's `Location.getAccuracy`, and what Apple's
    /// `horizontalAccuracy` is about; OwnTracks passes either on.
    case radius68
    /// The radius holds the true place with 95 %: the W3C's Geolocation API, in browsers.
    case radius95

    /// The 68 % radius in metres of an accuracy that a source reported.
    ///
    /// For an error that is normal and alike in all directions the radii of 95 % and 68 % are 2.4477 and 1.5096
    /// deviations: 1.62 to 1.
    public func radius68(ofMetres metres: Double) -> Double {
        switch self {
        case .radius68: metres
        case .radius95: metres / 1.62
        }
    }
}
