import Foundation
import MusterGeometry

/// The pictures of docs/region-index.md, drawn from the cells of a real index over a few invented regions.
struct RegionPictures {
    /// The regions of the pictures: a field, a lake shore with an island cut out, a ragged harbour.
    let shapes: [Shape]
    let index: RegionIndex
    let cells: [IndexedCell]

    static let names = ["field", "shore", "harbour", "camp", "pier"]
    static let colours = ["#2a78b5", "#c2571a", "#3a8a3a", "#8a4fa8", "#b0892c"]
    /// The corner of the pictures, and how many degrees they show.
    static let origin = (longitude: 14.0, latitude: 46.0)

    init() {
        shapes = [
            .polygon(Polygon(exterior: Self.ring(0.30, 0.52, 0.21, corners: 26, waves: 5, depth: 0.16))),
            .polygon(
                Polygon(
                    exterior: Self.ring(0.60, 0.42, 0.27, corners: 30, waves: 3, depth: 0.2),
                    holes: [Self.ring(0.66, 0.38, 0.09, corners: 9, waves: 2, depth: 0.2).reversed()])),
            .polygon(Polygon(exterior: Self.ring(0.73, 0.77, 0.09, corners: 90, waves: 21, depth: 0.3))),
        ]
        index = RegionIndex(shapes.enumerated().map { (Int32($0.offset), $0.element) })
        cells = index.cells
    }

    /// Writes all pictures into a folder.
    func write(to folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var pictures = ["grid": grid(), "changes": changes()]
        if let leaf = LeafPicture(self) {
            pictures["leaf"] = leaf.path()
            pictures["doubt"] = leaf.doubt()
        }
        for (name, picture) in pictures {
            try picture.svg.write(to: folder.appending(path: "\(name).svg"), atomically: true, encoding: .utf8)
        }
    }

    /// A closed ring that waves about a circle; centre and radius in shares of the picture, counter-clockwise.
    static func ring(
        _ x: Double, _ y: Double, _ radius: Double, corners: Int, waves: Double, depth: Double
    ) -> [Coordinate] {
        let ring = (0..<corners).map { corner in
            let angle = (Double(corner) + 0.3) / Double(corners) * 2 * .pi
            let reach = radius * (1 + depth * sin(waves * angle) + 0.06 * sin(11 * angle + x))
            return Coordinate(
                validLatitude: origin.latitude + y + reach * sin(angle),
                longitude: origin.longitude + x + reach * cos(angle))
        }
        return ring + ring.prefix(1)
    }

    /// The cells over the regions: what is empty, what is whole, what is cut.
    private func grid() -> Drawing {
        var drawing = Drawing(width: 760, height: 560)
        let map = { (longitude: Double, latitude: Double) in
            (x: 20 + (longitude - Self.origin.longitude - 0.02) * 580, y: 575 - (latitude - Self.origin.latitude) * 610)
        }
        for cell in cells {
            let corner = map(cell.west, cell.south + cell.height)
            let opposite = map(cell.west + cell.width, cell.south)
            let isWhole = !cell.outlines.isEmpty && cell.outlines.allSatisfy { $0.edges.isEmpty }
            let fill = cell.outlines.isEmpty ? "white" : isWhole ? "#e4e4e4" : "#fff6cc"
            drawing.box(
                corner.x, corner.y, opposite.x - corner.x, opposite.y - corner.y,
                "fill=\"\(fill)\" stroke=\"#999\" stroke-width=\"\(cell.depth == 0 ? 1 : 0.4)\"")
        }
        for (number, shape) in shapes.enumerated() {
            drawing.path(
                Self.rings(shape).map { $0.map { map($0.longitude, $0.latitude) } },
                "fill=\"\(Self.colours[number])\" fill-opacity=\"0.18\" fill-rule=\"evenodd\" "
                    + "stroke=\"\(Self.colours[number])\" stroke-width=\"1.6\"")
        }
        let isWhole = { (cell: IndexedCell) in cell.outlines.allSatisfy { $0.edges.isEmpty } }
        let empty = cells.count { $0.outlines.isEmpty }
        let whole = cells.count(where: isWhole) - empty
        let counts = [
            ("white", "\(empty) empty"), ("#e4e4e4", "\(whole) in whole regions only"),
            ("#fff6cc", "\(cells.count - empty - whole) with edges"),
        ]
        for (row, (fill, text)) in counts.enumerated() {
            let y = 40 + 24 * Double(row)
            drawing.box(592, y - 12, 16, 16, "fill=\"\(fill)\" stroke=\"#999\"")
            drawing.text(text, 614, y, "font-size=\"11\"")
        }
        for (number, name) in Self.names.prefix(shapes.count).enumerated() {
            drawing.text(
                "\(number) \(name)", 592, 130 + 20 * Double(number), "fill=\"\(Self.colours[number])\"")
        }
        return drawing
    }

    /// The mesh, what was put since, and what is struck off.
    private func changes() -> Drawing {
        var drawing = Drawing(width: 760, height: 300)
        var changed = index
        changed.remove(1)
        let added: [Shape] = [
            .polygon(Polygon(exterior: Self.ring(0.62, 0.42, 0.14, corners: 17, waves: 4, depth: 0.2))),
            .polygon(Polygon(exterior: Self.ring(0.2, 0.22, 0.09, corners: 7, waves: 2, depth: 0.1))),
        ]
        changed.put(added[0], as: 3)
        changed.put(added[1], as: 4)
        let all: [(id: Int32, shape: Shape)] = [(0, shapes[0]), (2, shapes[2]), (3, added[0]), (4, added[1])]
        let rebuilt = RegionIndex(all)
        panel(
            &drawing, 10, "1. the mesh", index.cells,
            [(0, shapes[0], true), (1, shapes[1], true), (2, shapes[2], true)])
        panel(
            &drawing, 260, "2. one struck off, two beside", changed.cells,
            [
                (0, shapes[0], true), (1, shapes[1], false), (2, shapes[2], true), (3, added[0], true),
                (4, added[1], true),
            ])
        panel(
            &drawing, 510, "3. a new mesh, adopted", rebuilt.cells,
            [(0, shapes[0], true), (2, shapes[2], true), (3, added[0], true), (4, added[1], true)])
        return drawing
    }

    private func panel(
        _ drawing: inout Drawing, _ left: Double, _ title: String, _ cells: [IndexedCell],
        _ regions: [(number: Int, shape: Shape, isThere: Bool)]
    ) {
        let map = { (longitude: Double, latitude: Double) in
            (x: left + (longitude - Self.origin.longitude) * 250, y: 282 - (latitude - Self.origin.latitude) * 250)
        }
        drawing.text(title, left + 8, 22, "font-weight=\"600\"")
        for cell in cells {
            let corner = map(cell.west, cell.south + cell.height)
            let opposite = map(cell.west + cell.width, cell.south)
            drawing.box(
                corner.x, corner.y, opposite.x - corner.x, opposite.y - corner.y,
                "fill=\"\(cell.outlines.isEmpty ? "white" : "#f3f3f3")\" stroke=\"#bbb\" stroke-width=\"0.5\"")
        }
        for region in regions {
            let colour = region.isThere ? Self.colours[region.number] : "#888"
            let isBeside = region.number >= 3 && title.hasPrefix("2")
            drawing.path(
                Self.rings(region.shape).map { $0.map { map($0.longitude, $0.latitude) } },
                "fill=\"\(region.isThere ? colour : "none")\" fill-opacity=\"\(isBeside ? 0.5 : 0.2)\" "
                    + "fill-rule=\"evenodd\" stroke=\"\(colour)\" stroke-width=\"\(isBeside ? 2 : 1.2)\""
                    + (region.isThere ? "" : " stroke-dasharray=\"3 3\""))
        }
    }

    static func rings(_ shape: Shape) -> [[Coordinate]] {
        switch shape {
        case .polygon(let polygon): [polygon.exterior] + polygon.holes
        case .multiPolygon(let polygons): polygons.flatMap { [$0.exterior] + $0.holes }
        case .circle: []
        }
    }
}
