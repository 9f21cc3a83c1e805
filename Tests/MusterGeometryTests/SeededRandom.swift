import MusterGeometry

/// SplitMix64 (Steele, Lea, Flood, 2014): the same numbers from the same seed, everywhere.
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    /// Starts at a seed, which it prints, so that a failure can be repeated.
    init(seed: UInt64, function: String = #function) {
        state = seed
        print("seed \(seed) in \(function)")
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number between two others.
    mutating func number(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &self) }

    /// Any place on the globe, not denser at the poles than a map is.
    mutating func place() -> Coordinate { place(latitude: -90...90, longitude: -180...180) }

    /// A place in a box.
    mutating func place(latitude: ClosedRange<Double>, longitude: ClosedRange<Double>) -> Coordinate {
        Coordinate(validLatitude: number(latitude), longitude: number(longitude))
    }

    /// A star-shaped polygon round a place: valid by construction; wraps round the antimeridian.
    mutating func star(
        at centre: Coordinate, vertices: Int, radius: Double, hole: Bool = false
    ) -> Polygon {
        var outer: [Coordinate] = []
        var inner: [Coordinate] = []
        for index in 0..<vertices {
            let angle = (Double(index) + number(0...0.4)) / Double(vertices) * 2 * Double.pi
            let reach = radius * number(0.6...1)
            outer.append(offset(centre, reach, angle))
            inner.append(offset(centre, reach * number(0.2...0.8), angle))
        }
        outer.append(outer[0])
        inner.append(inner[0])
        return Polygon(exterior: outer, holes: hole ? [inner.reversed()] : [])
    }

    private func offset(_ centre: Coordinate, _ reach: Double, _ angle: Double) -> Coordinate {
        let latitude = max(-90, min(90, centre.latitude + reach * sine(angle)))
        let longitude = (centre.longitude + reach * cosine(angle)).remainder(dividingBy: 360)
        return Coordinate(validLatitude: latitude, longitude: longitude)
    }
}
