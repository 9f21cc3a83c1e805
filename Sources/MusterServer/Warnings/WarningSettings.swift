package import MusterGeometry
package import MusterHTTP
package import MusterWire

extension Configuration {
    /// Which official warnings the server follows.
    package struct Warnings: Hashable, Sendable {
        /// The feeds, each for a team.
        package var sources: [Source] = []
        /// The lowest severity that is shown; nil for all. A warning of unknown severity is always shown.
        package var minimum: CAPAlert.Severity?
        /// The language wanted of warnings in several, such as `es`; nil for the first in the document.
        package var language: String?
        /// Only warnings whose area touches this box are shown; nil for all.
        package var area: BoundingBox?
        /// Seconds between two looks at a feed.
        package var intervalSeconds = 60.0

        /// The largest number of feeds.
        package static let sourceLimit = 16

        package init() {}

        /// A feed, and the team whose leaders see its warnings.
        package struct Source: Hashable, Sendable {
            /// The team's name.
            package var team: String
            /// The URL of the feed, or of an alert.
            package var url: String
            /// The address of that URL.
            package var address: HTTPAddress

            /// A feed that an operator names by `TEAM=URL`.
            ///
            /// - Throws: `WarningSettingError`.
            package init(_ text: String) throws(WarningSettingError) {
                let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
                guard parts.count == 2, EntityName.isValid(parts[0]) else { throw .form }
                do throws(HTTPAddress.ParsingError) {
                    address = try HTTPAddress(parts[1])
                } catch {
                    throw .url(team: parts[0], error.detail)
                }
                (team, url) = (parts[0], parts[1])
            }
        }
    }
}

/// Why a setting names no feed of warnings.
package enum WarningSettingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The text is not shown: it may hold a secret.
    case form
    /// The URL is not shown: it may hold a secret.
    case url(team: String, String)

    package var description: String {
        switch self {
        case .form: "a value is not of the form TEAM=URL"
        case .url(let team, let detail): "the URL for the team \(team) \(detail)"
        }
    }
}

extension BoundingBox {
    /// A box in a setting: `south,west,north,east` in degrees; nil for any other text.
    package init?(setting text: String) {
        let numbers = text.split(separator: ",", omittingEmptySubsequences: false).compactMap { Double($0) }
        guard numbers.count == 4, numbers.allSatisfy(\.isFinite), numbers[0] < numbers[2], numbers[1] != numbers[3],
            numbers[0] >= -90, numbers[2] <= 90, abs(numbers[1]) <= 180, abs(numbers[3]) <= 180
        else { return nil }
        self.init(south: numbers[0], west: numbers[1], north: numbers[2], east: numbers[3])
    }
}
