/// The place of a tile: a zoom, and a column from the west and a row from the north among the 2^zoom of each.
package struct TileCoordinate: Hashable, Sendable {
    /// The zoom, 0 to `greatestZoom`.
    package let zoom: Int
    package let column: UInt32
    package let row: UInt32

    /// The greatest zoom. Its tiles are 4 cm wide, and the numbers of all tiles down to it fit into 62 bits.
    package static let greatestZoom = 30

    /// Nil when there is no such tile: the zoom is not 0 to `greatestZoom`, or the column or row is not within it.
    package init?(zoom: Int, column: Int, row: Int) {
        guard (0...Self.greatestZoom).contains(zoom) else { return nil }
        let places = 0..<(1 << zoom)
        guard places.contains(column), places.contains(row) else { return nil }
        self.zoom = zoom
        self.column = UInt32(column)
        self.row = UInt32(row)
    }

    /// The number of the tile in PMTiles: the tiles of all smaller zooms come before it, and those of its own zoom are
    /// in the order of a Hilbert curve (https://github.com/protomaps/PMTiles/blob/main/spec/v3/spec.md, section 4.1).
    package var number: UInt64 {
        var distance = Self.count(below: zoom)
        var (x, y) = (column, row)
        var side: UInt32 = (1 << UInt32(zoom)) >> 1
        while side > 0 {
            let (isEast, isSouth) = (x & side != 0, y & side != 0)
            distance += UInt64(side) * UInt64(side) * (isEast ? (isSouth ? 2 : 3) : (isSouth ? 1 : 0))
            // Each quarter of the curve is the whole curve, turned so that the quarters join.
            if !isSouth {
                if isEast { (x, y) = (side &- 1 &- (x & (side &- 1)), side &- 1 &- (y & (side &- 1))) }
                (x, y) = (y, x)
            }
            side >>= 1
        }
        return distance
    }

    /// How many tiles the zooms below this one have.
    static func count(below zoom: Int) -> UInt64 { ((1 << UInt64(2 * zoom)) - 1) / 3 }

    /// The number after the last tile of the greatest zoom.
    static let numbersEnd = count(below: greatestZoom + 1)
}
