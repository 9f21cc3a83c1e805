import MusterGeometry

/// The collections of regions on which the index is held against the oracle.
enum RegionWorlds {
    /// Polygons with holes and multipolygons in a square of 1°, about 3.3 at each place of it; every other one with
    /// corners on a lattice, where edges run along each other and through the corners of cells.
    static func polygons(_ count: Int, vertices: Int, seed: UInt64) -> [Shape] {
        var random = SeededRandom(seed: seed)
        // A star fills 2.0 times the square of its outermost reach.
        let reach = (3.3 / 2.0 / Double(count)).squareRoot()
        return (0..<count).map { number in
            let centre = random.place(latitude: 37...38, longitude: -120...(-119))
            let star = random.star(
                at: centre, vertices: vertices, radius: reach * random.number(0.7...1.3), hole: number % 4 == 1)
            let polygon = number % 2 == 0 ? star : star.rounded(to: number % 8 == 1 ? 0x1p-10 : 0x1p-14)
            guard number % 8 == 4 else { return .polygon(polygon) }
            let aside = Coordinate(validLatitude: centre.latitude, longitude: centre.longitude + 2.5 * reach)
            return .multiPolygon([polygon, random.star(at: aside, vertices: 7, radius: reach, hole: true)])
        }
    }

    /// Polygons about the antimeridian, and rings round both poles, some of them with another as their hole.
    static func edgesOfTheWorld(_ count: Int, seed: UInt64) -> [Shape] {
        var random = SeededRandom(seed: seed)
        return (0..<count).map { number in
            var polygon: Polygon
            if number % 3 == 0 {
                polygon = random.cap(north: number % 2 == 0)
            } else {
                let centre = Coordinate(
                    validLatitude: random.number(-89...89),
                    longitude: random.number(177...180) * (number % 2 == 0 ? 1 : -1))
                polygon = random.star(
                    at: centre, vertices: 3 + number % 40, radius: pow10(random.number(-3...1.5)),
                    hole: number % 5 == 0)
            }
            return .polygon(number % 4 == 0 ? polygon.rounded(to: 0x1p-4) : polygon)
        }
    }

    /// Geodesic circles from the equator to 89.9°, on both halves of the globe, some over the antimeridian or a pole.
    static func circles(_ count: Int, seed: UInt64) -> [Shape] {
        var random = SeededRandom(seed: seed)
        return (0..<count).map { number in
            let latitude = Double(number) / Double(count - 1) * 89.9 * (number % 2 == 0 ? 1 : -1)
            let longitude = number % 5 == 0 ? random.number(179.9...180) : random.number(-180...180)
            let radius = number % 7 == 0 ? 100_000 : pow10(random.number(0...5))
            return .circle(
                Circle(centre: Coordinate(validLatitude: latitude, longitude: longitude), radius: Metres(radius)))
        }
    }

    /// Polygons that meet in a few points by the hundred, or lie on top of each other, down to some ulp in size: more
    /// edges than a cell can be cut to part.
    static func knots(_ count: Int, seed: UInt64) -> [Shape] {
        var random = SeededRandom(seed: seed)
        let spots = (0..<4).map { _ in random.place(latitude: 46...46.1, longitude: 14...14.1) }
        return (0..<count).map { number in
            let spot = spots[number % spots.count]
            var star = random.star(
                at: spot, vertices: 3 + number % 9, radius: pow10(random.number(-13...(-1))), hole: number % 3 == 0)
            if number % 2 == 0 && star.holes.isEmpty {
                // A slice from the spot itself.
                star.exterior = [spot] + star.exterior.prefix(2) + [spot]
            }
            return .polygon(star)
        }
    }

    /// One polygon with a boundary that is ragged on a small scale only.
    static func shore(vertices: Int, seed: UInt64) -> Shape {
        var random = SeededRandom(seed: seed)
        let ring = (0..<vertices).map { index in
            let angle = Double(index) / Double(vertices) * 2 * Double.pi
            let reach = 1 + 0.1 * sine(7 * angle) + random.number(0...1e-4)
            return Coordinate(validLatitude: 46 + reach * sine(angle), longitude: 14 + reach * cosine(angle))
        }
        return .polygon(Polygon(exterior: ring + ring.prefix(1)))
    }

    /// Square parcels that share their sides with their neighbours, and blocks of four by four over them.
    static func parcels(_ side: Int) -> [Shape] {
        let step = 0x1p-10
        func square(_ column: Int, _ row: Int, _ size: Int) -> Shape {
            let corners = [(0, 0), (size, 0), (size, size), (0, size), (0, 0)]
            return .polygon(
                Polygon(
                    exterior: corners.map {
                        Coordinate(
                            validLatitude: 46 + Double(row + $0.1) * step, longitude: 14 + Double(column + $0.0) * step)
                    }))
        }
        let parcels = (0..<(side * side)).map { square($0 % side, $0 / side, 1) }
        let blocks = (0..<(side * side / 16)).map { square($0 % (side / 4) * 4, $0 / (side / 4) * 4, 4) }
        return parcels + blocks
    }

    /// Countries, and states and provinces.
    static func countries() throws -> [Shape] {
        try ["ne_110m_admin_0_countries", "ne_50m_admin_1_states_provinces"].flatMap {
            try GeoJSONFile("naturalearth/\($0).json").areas.compactMap { try? $0.validated() }
        }
    }

    /// What gadomski/antimeridian cuts, whole and cut.
    static func antimeridian() throws -> [Shape] {
        try ["input", "output/flat"].flatMap {
            try AntimeridianDataTests.areas($0).compactMap { try? $0.area.validated() }
        }
    }
}

extension Polygon {
    /// The same polygon with its corners on a lattice.
    func rounded(to step: Double) -> Polygon {
        func rounded(_ ring: [Coordinate]) -> [Coordinate] {
            ring.map {
                Coordinate(
                    validLatitude: ($0.latitude / step).rounded() * step,
                    longitude: ($0.longitude / step).rounded() * step)
            }
        }
        return Polygon(exterior: rounded(exterior), holes: holes.map(rounded))
    }
}

extension SeededRandom {
    /// A ring round a pole, often with another one as its hole.
    mutating func cap(north: Bool) -> Polygon {
        let base = number(-30...60)
        let exterior = round(base, 10, north)
        let hasHole = number(0...1) < 0.5
        return Polygon(exterior: exterior, holes: hasHole ? [round(base + 12, 10, north).reversed()] : [])
    }

    private mutating func round(_ low: Double, _ spread: Double, _ north: Bool) -> [Coordinate] {
        var positions: [Coordinate] = []
        var longitude = -180 + number(0...30)
        while longitude < 180 {
            let latitude = low + number(0...spread)
            positions.append(Coordinate(validLatitude: north ? latitude : -latitude, longitude: longitude))
            longitude += number(5...60)
        }
        if !north { positions.reverse() }
        let start = Int(number(0...0.999) * Double(positions.count))
        positions = Array(positions[start...] + positions[..<start])
        return positions + [positions[0]]
    }
}
