/// What a file of tiles says of itself.
package struct TileSummary: Hashable, Sendable {
    /// How a tile is encoded.
    package enum Format: String, Hashable, Sendable {
        case mvt, png, jpeg, webp, avif

        package var isVector: Bool { self == .mvt }

        package var mediaType: String {
            switch self {
            case .mvt: "application/vnd.mapbox-vector-tile"
            case .png: "image/png"
            case .jpeg: "image/jpeg"
            case .webp: "image/webp"
            case .avif: "image/avif"
            }
        }
    }

    /// A box in degrees, within ±180 and ±90, whose west is not east of its east.
    package struct Bounds: Hashable, Sendable {
        package let west: Double
        package let south: Double
        package let east: Double
        package let north: Double

        /// The whole map of Web Mercator.
        package static let world = Bounds(west: -180, south: -85.051129, east: 180, north: 85.051129)

        private init(west: Double, south: Double, east: Double, north: Double) {
            (self.west, self.south, self.east, self.north) = (west, south, east, north)
        }

        /// Nil for what is no box. A box that crosses the 180th meridian becomes one around the world.
        init?(fromWest west: Double, south: Double, toEast east: Double, north: Double) {
            guard (-180...180).contains(west), (-180...180).contains(east), (-90...90).contains(south),
                (-90...90).contains(north), south <= north
            else { return nil }
            let isAcross = west > east
            self.init(west: isAcross ? -180 : west, south: south, east: isAcross ? 180 : east, north: north)
        }
    }

    /// A layer of vector tiles.
    package struct Layer: Hashable, Sendable {
        package let id: String
        /// The names of the properties of its features.
        package let fields: [String]
    }

    package let format: Format
    /// Zooms outside have no tiles.
    package let zooms: ClosedRange<Int>
    package let bounds: Bounds
    /// Whom a map must name, without markup; nil for nobody.
    package let attribution: String?
    /// The layers of vector tiles; empty for pictures, and where the file does not list them.
    package let layers: [Layer]
}
