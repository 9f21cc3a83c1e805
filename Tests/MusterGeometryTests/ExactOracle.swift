import MusterGeometry

/// Which of many shapes hold a place, decided by brute force in whole numbers.
///
/// It shares no predicate with the product: degrees are whole numbers of 2⁻⁹⁶, so that every sum and product is exact;
/// the ray goes north and not east; a ring round the globe says which pole it encloses, and the ray ends there. Circles
/// are the exception: there the product's own definition decides, a geodesic by Karney's inverse, tested elsewhere.
struct ExactOracle {
    private let shapes: [ExactShape]
    /// The shapes whose boxes touch a cell of an even grid over all of them.
    private var cells: [[Int32]]
    private let box: ExactBox
    private static let side = 128

    init(_ shapes: [Shape]) {
        self.shapes = shapes.map(ExactShape.init)
        box = self.shapes.flatMap { $0.boxes }.reduce(ExactBox.empty) { $0.union($1) }
        cells = Array(repeating: [], count: Self.side * Self.side)
        for (id, shape) in self.shapes.enumerated() {
            for part in shape.boxes {
                for row in row(part.south)...row(part.north) {
                    for column in column(part.west)...column(part.east) {
                        let cell = row * Self.side + column
                        if cells[cell].last != Int32(id) { cells[cell].append(Int32(id)) }
                    }
                }
            }
        }
    }

    /// The numbers of the shapes that hold a place, ascending; a place on a boundary is inside.
    func regions(containing place: Coordinate) -> [Int32] {
        let x = exact(place.longitude)
        let y = exact(place.latitude)
        return cells[row(y) * Self.side + column(x)].filter { shapes[Int($0)].contains(place, x, y) }
    }

    /// The numbers of the polygons that the way between two places touches, ascending.
    func polygons(crossedBy from: Coordinate, _ to: Coordinate) -> [Int32] {
        let way = ExactRing.way(from, to)
        let ends = Set(regions(containing: from)).union(regions(containing: to))
        return shapes.indices.map { Int32($0) }.filter { ends.contains($0) || shapes[Int($0)].isTouched(by: way) }
    }

    private func column(_ x: Int128) -> Int { Self.cell(x, box.west, box.east) }
    private func row(_ y: Int128) -> Int { Self.cell(y, box.south, box.north) }

    private static func cell(_ value: Int128, _ low: Int128, _ high: Int128) -> Int {
        guard high > low else { return 0 }
        let width = (high - low) / Int128(side) + 1
        return Int(max(0, min(Int128(side - 1), (value - low) / width)))
    }
}

/// Degrees as a whole number of 2⁻⁹⁶.
///
/// - Precondition: it is one. Every double above 2⁻⁴⁴ is; below that, those that the tests use.
func exact(_ degrees: Double) -> Int128 {
    guard let units = Int128(exactly: degrees * 0x1p96) else {
        preconditionFailure("\(degrees) is no multiple of 2⁻⁹⁶")
    }
    return units
}

/// A box in exact numbers; its sides belong to it.
struct ExactBox {
    var west: Int128
    var east: Int128
    var south: Int128
    var north: Int128

    static let empty = ExactBox(west: .max, east: .min, south: .max, north: .min)
    static let world = ExactBox(west: exact(-180), east: exact(180), south: exact(-90), north: exact(90))

    func holds(_ x: Int128, _ y: Int128) -> Bool { west <= x && x <= east && south <= y && y <= north }

    func union(_ other: ExactBox) -> ExactBox {
        ExactBox(
            west: min(west, other.west), east: max(east, other.east), south: min(south, other.south),
            north: max(north, other.north))
    }
}

/// One shape of the oracle.
struct ExactShape {
    fileprivate let areas: [(exterior: ExactRing, holes: [ExactRing])]
    private let circle: Circle?
    /// A box for each part.
    let boxes: [ExactBox]

    init(_ shape: Shape) {
        if case .circle(let circle) = shape {
            self.circle = circle
            areas = []
            // No degree of latitude is shorter than 110.5 km.
            let reach = circle.radius.value / 110_500
            var box = ExactBox.world
            box.south = max(box.south, exact((circle.centre.latitude - reach).onLattice))
            box.north = min(box.north, exact((circle.centre.latitude + reach).onLattice))
            boxes = [box]
            return
        }
        circle = nil
        areas = shape.polygons.map { polygon in
            (ExactRing(polygon.exterior, isHole: false), polygon.holes.map { ExactRing($0, isHole: true) })
        }
        boxes = areas.map { $0.exterior.box }
    }

    /// Whether it holds a place, given also in exact numbers.
    func contains(_ place: Coordinate, _ x: Int128, _ y: Int128) -> Bool {
        if let circle { return boxes[0].holds(x, y) && circle.centre.distance(to: place) <= circle.radius }
        return areas.contains { area in
            switch area.exterior.side(x, y) {
            case .outside: false
            case .boundary: true
            case .inside: !area.holes.contains { $0.side(x, y) == .inside }
            }
        }
    }
}

extension ExactShape {
    /// Whether a boundary of the shape has a point in common with one of the copies of a way.
    func isTouched(by way: [ExactRing.Edge]) -> Bool {
        areas.contains { area in
            area.exterior.isTouched(by: way) || area.holes.contains { $0.isTouched(by: way) }
        }
    }
}

extension Double {
    /// A number near this one that the oracle can represent.
    var onLattice: Double { abs(self) < 0x1p-44 ? (self * 0x1p96).rounded() * 0x1p-96 : self }
}
