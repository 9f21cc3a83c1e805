/// A place in the index: a point, or the sphere round something that has an extent.
struct PlaceEntry: Sendable {
    /// Its point in space, metres from the centre of the Earth.
    var middle: SIMD3<Double>
    /// The radius of the sphere around it, metres through space; 0 for a point.
    var reach: Double
    /// Its coordinate; for a place with an extent, the centre of its box.
    var coordinate: Coordinate
    /// Its slot, by which answers name it.
    var slot: Int32

    /// Creates the entry of a point.
    init(_ coordinate: Coordinate, slot: Int32) {
        middle = SpacePoint(coordinate).vector
        reach = 0
        self.coordinate = coordinate
        self.slot = slot
    }

    /// Creates the entry of a place with an extent, from its box in latitude and longitude.
    init(_ box: BoundingBox, slot: Int32) {
        let space = SpaceBox(box)
        let east = box.crossesAntimeridian ? box.east + 360 : box.east
        let longitude = ((box.west + east) / 2).remainder(dividingBy: 360)
        coordinate = Coordinate(validLatitude: (box.south + box.north) / 2, longitude: longitude)
        middle = SpacePoint(coordinate).vector
        let farthest = pointwiseMax(space.high - middle, middle - space.low)
        reach = (farthest * farthest).sum().squareRoot()
        self.slot = slot
    }
}

extension SpacePoint {
    var vector: SIMD3<Double> { SIMD3(x, y, z) }
}

/// A box in space, its sides along the axes.
struct SpaceBox: Hashable, Sendable {
    var low: SIMD3<Double>
    var high: SIMD3<Double>

    /// A box that holds all that is on the ground between two latitudes and two longitudes.
    init(_ box: BoundingBox) {
        let east = box.crossesAntimeridian ? box.east + 360 : box.east
        let south = SpacePoint(latitude: box.south, longitude: 0)
        let north = SpacePoint(latitude: box.north, longitude: 0)
        // How far from the axis: least at the end nearer to a pole, most where it is nearest to the equator.
        let nearest = max(0, min(south.x, north.x))
        let widest = max(south.x, north.x)
        let most = box.south <= 0 && box.north >= 0 ? WGS84.equatorialRadius : widest
        let x = Self.cosines(from: box.west, to: east)
        let y = Self.cosines(from: box.west - 90, to: east - 90)
        // The rounding errors are below a micrometre.
        let margin = 1e-3
        low = SIMD3(Self.least(x.low, nearest, most), Self.least(y.low, nearest, most), south.z) - margin
        high = SIMD3(-Self.least(-x.high, nearest, most), -Self.least(-y.high, nearest, most), north.z) + margin
    }

    private static func least(_ cosine: Double, _ nearest: Double, _ most: Double) -> Double {
        cosine * (cosine < 0 ? most : nearest)
    }

    /// The least and the greatest cosine between two angles in degrees.
    private static func cosines(from start: Double, to end: Double) -> (low: Double, high: Double) {
        let ends = (cosine(start * (Double.pi / 180)), cosine(end * (Double.pi / 180)))
        let hasTop = (start / 360).rounded(.up) * 360 <= end
        let hasBottom = ((start - 180) / 360).rounded(.up) * 360 + 180 <= end
        return (hasBottom ? -1 : min(ends.0, ends.1), hasTop ? 1 : max(ends.0, ends.1))
    }
}
