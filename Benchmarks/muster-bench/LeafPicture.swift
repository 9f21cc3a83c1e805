import MusterGeometry

/// One leaf of a mesh, large: how parities are counted in it, and where that is left to exact arithmetic.
struct LeafPicture {
    private typealias Point = (x: Double, y: Double)

    private let pictures: RegionPictures
    private let cell: IndexedCell
    /// The place of the example, in leaf units.
    private let place: Point

    /// Chooses a leaf with two regions and an edge that leaves through its left side, and in it a place with many
    /// edges between it and the corner.
    init?(_ pictures: RegionPictures) {
        let candidates = pictures.cells.filter { cell in
            let crossing = cell.outlines.filter { !$0.edges.isEmpty && !$0.isHole }
            let edges = cell.outlines.flatMap(\.edges)
            return crossing.count == 2 && cell.outlines.count == 2 && (4...12).contains(edges.count)
                && edges.contains { $0.lowX == IndexedCell.sentinelUnits || $0.highX == IndexedCell.sentinelUnits }
        }
        var best: (cell: IndexedCell, place: Point, score: Int)?
        for cell in candidates {
            for step in 0..<400 {
                let place: Point = (
                    6000 + 2700 * Double(step % 20), 6000 + 2700 * Double(step / 20)
                )
                let counts = cell.outlines.map { $0.edges.count { Self.isCrossed($0, place) } }
                let answers = zip(cell.outlines, counts).map { $0.parity != ($1 % 2 == 1) }
                let isClear = cell.outlines.flatMap(\.edges).allSatisfy { Self.gap($0, place) > 2500 }
                let score = counts.reduce(0, +) + (answers[0] != answers[1] ? 3 : 0) + (counts.contains(0) ? 0 : 2)
                if isClear && score > best?.score ?? 0 { best = (cell, place, score) }
            }
        }
        guard let best else { return nil }
        self.pictures = pictures
        (cell, place) = (best.cell, best.place)
    }

    /// Whether the path from the corner to a place crosses a clipped edge: what a question computes.
    private static func isCrossed(_ edge: IndexedCell.Edge, _ place: Point) -> Bool {
        let (rise, run) = (Double(edge.highY - edge.lowY), Double(edge.highX - edge.lowX))
        let above = place.y - Double(edge.lowY)
        return (above >= 0 || edge.lowX <= IndexedCell.sentinelUnits)
            && (above < rise || edge.highX <= IndexedCell.sentinelUnits)
            && (place.x - Double(edge.lowX)) * rise - above * run > 0
    }

    /// Whether a place is too near to a clipped edge, or level with an end of it, for rounded numbers.
    private static func isDoubtful(_ edge: IndexedCell.Edge, _ place: Point) -> Bool {
        let (rise, run) = (Double(edge.highY - edge.lowY), Double(edge.highX - edge.lowX))
        let above = place.y - Double(edge.lowY)
        let doubt = IndexedCell.doubtUnits
        if abs(above) < doubt || abs(above - rise) < doubt { return true }
        let side = (place.x - Double(edge.lowX)) * rise - above * run
        return abs(side) <= (abs(run) + rise) * doubt && above * (above - rise) <= 0
    }

    /// How far right or left of an edge a place is, where it is level with it, and how far from the levels of its ends.
    private static func gap(_ edge: IndexedCell.Edge, _ place: Point) -> Double {
        let (rise, run) = (Double(edge.highY - edge.lowY), Double(edge.highX - edge.lowX))
        let above = place.y - Double(edge.lowY)
        guard rise > 0, above > -2500, above < rise + 2500 else { return .infinity }
        return abs(place.x - Double(edge.lowX) - above / rise * run)
    }

    /// The leaf, its clipped edges, and the path from the corner to the place.
    func path() -> Drawing {
        var drawing = Drawing(width: 760, height: 520)
        let units = IndexedCell.unitsRange
        let scale = 420 / Double(units.count - 1)
        let map = { (point: Point) -> Point in
            (
                x: 60 + (point.x - Double(units.lowerBound)) * scale,
                y: 460 - (point.y - Double(units.lowerBound)) * scale
            )
        }
        drawing.clipped("around", (x: 10, y: 10, side: 500)) { drawing in
            for (number, shape) in pictures.shapes.enumerated() { fill(&drawing, number, shape, map) }
        }
        drawing.box(60, 40, 420, 420, "fill=\"none\" stroke=\"#555\" stroke-width=\"1.5\"")
        let corner = map((Double(units.lowerBound), Double(units.lowerBound)))
        let knee = map((Double(units.lowerBound), place.y))
        drawing.line(corner, knee, "stroke=\"black\" stroke-width=\"1.5\" stroke-dasharray=\"2 3\"")
        drawing.line(
            (knee.x - 34, knee.y), map(place), "stroke=\"black\" stroke-width=\"1.5\" stroke-dasharray=\"6 4\"")
        var beside = 10.0
        for outline in cell.outlines {
            for edge in outline.edges { draw(edge, of: outline.region, &drawing, &beside, map) }
        }
        drawing.dot(corner, radius: 5, "fill=\"black\"")
        drawing.dot(map(place), radius: 5, "fill=\"black\"")
        drawing.text("C", corner.x + 8, corner.y + 20, "font-weight=\"700\"")
        drawing.text("P", map(place).x + 9, map(place).y + 16, "font-weight=\"700\"")
        legend(&drawing)
        return drawing
    }

    /// A hundred leaf units about a point of an edge: what is asked again on doubles.
    func doubt() -> Drawing {
        var drawing = Drawing(width: 760, height: 440)
        let all = cell.outlines.flatMap { outline in outline.edges.map { (outline.region, $0) } }
        // An end within the cell, so that the picture has a corner of the region.
        let inner = IndexedCell.unitsRange.lowerBound + 2000...IndexedCell.unitsRange.upperBound - 2000
        guard let (region, edge) = all.first(where: { inner.contains($0.1.lowY) && inner.contains($0.1.lowX) })
        else { return drawing }
        let side = 24.0
        let (left, bottom) = (Double(edge.lowX) - side / 2, Double(edge.lowY) - side / 2)
        let map = { (point: Point) -> Point in
            (x: 20 + (point.x - left) * 400 / side, y: 420 - (point.y - bottom) * 400 / side)
        }
        let near = all.map(\.1)
        let step = 0.125
        drawing.clipped("units", (x: 20, y: 20, side: 400)) { drawing in
            fill(&drawing, Int(region), pictures.shapes[Int(region)], map)
            for row in 0..<Int(side / step) {
                var start: Double?
                for column in 0...Int(side / step) {
                    let at: Point = (left + (Double(column) + 0.5) * step, bottom + (Double(row) + 0.5) * step)
                    let isIn = Double(column) * step < side && near.contains { Self.isDoubtful($0, at) }
                    if isIn { start = start ?? at.x - step / 2 }
                    guard !isIn, let from = start else { continue }
                    let corner = map((from, at.y + step / 2))
                    drawing.box(
                        corner.x, corner.y, map((at.x - step / 2, 0)).x - corner.x, 400 / side * step + 0.3,
                        "fill=\"#e8b600\" fill-opacity=\"0.55\"")
                    start = nil
                }
            }
            for unit in 0...Int(side) {
                let (x, y) = (20 + Double(unit) * 400 / side, 20 + Double(unit) * 400 / side)
                drawing.line((x, 20), (x, 420), "stroke=\"#ddd\" stroke-width=\"0.6\"")
                drawing.line((20, y), (420, y), "stroke=\"#ddd\" stroke-width=\"0.6\"")
            }
            for clipped in near {
                let (low, high) = Self.ends(clipped)
                drawing.line(map(low), map(high), "stroke=\"black\" stroke-width=\"2\"")
            }
        }
        let metres = cell.height / Double(IndexedCell.unitsRange.count - 1) * 111_000
        let lines = [
            "One square is one unit, a 63,488th of the cell's side:",
            "here \(String(Int(metres * 1000))) mm from south to north.",
            "", "Black: edges as the leaf has them,", "their ends on whole units.",
            "Coloured: the region as it is, in doubles.",
            "Yellow: within \(IndexedCell.doubtUnits) units of an edge, or level",
            "with the end of one. What lies there is decided", "on doubles, exactly; all else by the black edges.",
        ]
        for (row, text) in lines.enumerated() { drawing.text(text, 436, 50 + 22 * Double(row), "font-size=\"12\"") }
        return drawing
    }

    private static func ends(_ edge: IndexedCell.Edge) -> (Point, Point) {
        ((Double(edge.lowX), Double(edge.lowY)), (Double(edge.highX), Double(edge.highY)))
    }

    /// One clipped edge, lengthened along the left side where it leaves there, and a ring where the ray meets it.
    private func draw(
        _ edge: IndexedCell.Edge, of region: Int32, _ drawing: inout Drawing, _ beside: inout Double,
        _ map: (Point) -> Point
    ) {
        let style = "stroke=\"\(RegionPictures.colours[Int(region)])\" stroke-width=\"3.5\" stroke-linecap=\"round\""
        let (low, high) = Self.ends(edge)
        drawing.line(map(low), map(high), style)
        var meeting = map((low.x + (place.y - low.y) / max(1, high.y - low.y) * (high.x - low.x), place.y))
        let isLow = edge.lowX == IndexedCell.sentinelUnits
        if isLow || edge.highX == IndexedCell.sentinelUnits {
            let end = map(isLow ? low : high)
            let turn: Point = (end.x - beside, end.y)
            drawing.path(
                [[end, turn, (turn.x, isLow ? 480 : 20)]], isClosed: false,
                "fill=\"none\" stroke-dasharray=\"1 6\" " + style)
            if isLow ? place.y < low.y : place.y >= high.y { meeting.x = turn.x }
            beside += 10
        }
        if Self.isCrossed(edge, place) {
            drawing.dot(meeting, radius: 6, "fill=\"none\" stroke=\"#d00\" stroke-width=\"2\"")
        }
    }

    private func fill(_ drawing: inout Drawing, _ number: Int, _ shape: Shape, _ map: (Point) -> Point) {
        let units = IndexedCell.unitsRange
        let rings = RegionPictures.rings(shape).map { ring in
            ring.map { corner in
                map(
                    (
                        Double(units.lowerBound)
                            + (corner.longitude - cell.west) / cell.width * Double(units.count - 1),
                        Double(units.lowerBound)
                            + (corner.latitude - cell.south) / cell.height * Double(units.count - 1)
                    ))
            }
        }
        let colour = RegionPictures.colours[number]
        drawing.path(
            rings,
            "fill=\"\(colour)\" fill-opacity=\"0.15\" fill-rule=\"evenodd\" stroke=\"\(colour)\" stroke-width=\"1\"")
    }

    /// The parities, worked through.
    private func legend(_ drawing: inout Drawing) {
        var y = 60.0
        for outline in cell.outlines {
            let crossed = outline.edges.count { Self.isCrossed($0, place) }
            let flips = outline.edges.count { $0.lowX == IndexedCell.sentinelUnits }
            let corner = (outline.parity ? 1 : 0) ^ (flips & 1)
            let isInside = outline.parity != (crossed % 2 == 1)
            let name = RegionPictures.names[Int(outline.region)]
            let lines = [
                "\(outline.region) \(name): \(outline.edges.count) edges in the leaf",
                "C is \(corner == 1 ? "inside: 1" : "outside: 0")",
                "edges lengthened downwards: \(flips)",
                "so stored for C: \(outline.parity ? 1 : 0)",
                "met by the ray (red): \(crossed)",
                "\(outline.parity ? 1 : 0) + \(crossed) is \(isInside ? "odd: P is inside" : "even: P is outside")",
            ]
            for (row, text) in lines.enumerated() {
                drawing.text(
                    text, 530, y,
                    "fill=\"\(RegionPictures.colours[Int(outline.region)])\""
                        + (row % 5 == 0 ? " font-weight=\"600\"" : ""))
                y += 22
            }
            y += 24
        }
    }
}
