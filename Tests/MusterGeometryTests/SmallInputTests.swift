import MusterGeometry
import Testing

/// Every input of a small size, against whole-number arithmetic.
@Suite struct SmallInputTests {
    typealias Corner = (x: Int, y: Int)

    @Test func `every triangle of a small grid holds the points that integer arithmetic gives`() {
        let grid = Self.grid(4)
        var checked = 0
        for a in grid {
            for b in grid {
                for c in grid where Self.side(a, b, c) > 0 {
                    let shape = PreparedShape(.polygon(Polygon(exterior: [a, b, c, a].map(Self.coordinate))))
                    for y in 0...8 {
                        for x in 0...8 {
                            // Points at halves, a half beyond the grid on each side.
                            let point = (x: x - 1, y: y - 1)
                            let doubled = [a, b, c].map { (x: 2 * $0.x, y: 2 * $0.y) }
                            let isInside = (0..<3).allSatisfy {
                                Self.side(doubled[$0], doubled[($0 + 1) % 3], point) >= 0
                            }
                            let place = Coordinate(
                                validLatitude: Double(point.y) / 2, longitude: Double(point.x) / 2)
                            #expect(shape.contains(place) == isInside)
                            checked += 1
                        }
                    }
                }
            }
        }
        #expect(checked > 100_000)
    }

    @Test func `every ring of four corners is refused exactly when integer arithmetic finds it not simple`() {
        let grid = Self.grid(3)
        var accepted = 0
        for a in grid {
            for b in grid {
                for c in grid {
                    for d in grid {
                        let corners = [a, b, c, d]
                        let raw = (corners + [a]).map { RawVertex(longitude: Double($0.x), latitude: Double($0.y)) }
                        let isValid = (try? Shape.validated(polygon: [raw])) != nil
                        #expect(isValid == Self.isSimple(corners), "\(corners)")
                        if isValid { accepted += 1 }
                    }
                }
            }
        }
        #expect(accepted > 500)
    }

    @Test func `a point a few ulps beside an edge is distinguished from one on it`() {
        // The classic trap: points on a line through (12, 12) and (24, 24) and a few ulps off.
        for row in -16...16 {
            for column in -16...16 {
                let x = 0.5 + Double(column) * 0x1p-53
                let y = 0.5 + Double(row) * 0x1p-53
                let corners = [(12.0, 12.0), (24.0, 24.0), (-60, 24), (-60, -60), (12, 12)]
                // The edge from (−60, −60) to (12, 12) passes the points; above it is inside.
                let shape = Shape.polygon(
                    Polygon(exterior: corners.map { Coordinate(validLatitude: $0.1, longitude: $0.0) }))
                let isInside = exact(y) >= exact(x)
                #expect(shape.contains(Coordinate(validLatitude: y, longitude: x)) == isInside, "\(row) \(column)")
            }
        }
    }

    @Test func `turned longitudes are compared exactly`() throws {
        // A thin triangle over the antimeridian whose long edges hold points that need more than a double.
        var random = SeededRandom(seed: 60)
        var onEdge = 0
        for _ in 0..<20_000 {
            func number(_ low: Int64, _ high: Int64) -> Int64 { Int64.random(in: low...high, using: &random) }
            // In units of 2^-40 degrees.
            let unit = Int64(1) << 40
            let a = (x: 179 * unit + number(0, 8), y: number(-4, 4))
            let b = (x: 181 * unit + number(-8, 8), y: unit + number(-4, 4))
            let share = number(1, 7)
            let p = (
                x: a.x + (b.x - a.x) / 8 * share + number(-1, 1), y: a.y + (b.y - a.y) / 8 * share + number(-1, 1)
            )
            let third = (x: 179 * unit, y: 80 * unit)
            func coordinate(_ point: (x: Int64, y: Int64)) -> Coordinate {
                let turned = point.x > 180 * unit ? point.x - 360 * unit : point.x
                return Coordinate(
                    validLatitude: Double(point.y) / Double(unit), longitude: Double(turned) / Double(unit))
            }
            func side(_ a: (x: Int64, y: Int64), _ b: (x: Int64, y: Int64), _ p: (x: Int64, y: Int64)) -> Int128 {
                Int128(b.x - a.x) * Int128(p.y - a.y) - Int128(b.y - a.y) * Int128(p.x - a.x)
            }
            let corners = [a, b, third]
            guard side(a, b, third) > 0 else { continue }
            let sides = (0..<3).map { side(corners[$0], corners[($0 + 1) % 3], p) }
            let shape = Shape.polygon(Polygon(exterior: [a, b, third, a].map(coordinate)))
            #expect(shape.contains(coordinate(p)) == sides.allSatisfy { $0 >= 0 }, "\(a) \(b) \(p)")
            if sides[0] == 0 { onEdge += 1 }
        }
        #expect(onEdge > 100)
    }

    private func exact(_ value: Double) -> Int64 { Int64(value * 0x1p53) }

    static func grid(_ size: Int) -> [Corner] {
        (0..<size).flatMap { y in (0..<size).map { (x: $0, y: y) } }
    }

    static func coordinate(_ corner: Corner) -> Coordinate {
        Coordinate(validLatitude: Double(corner.y), longitude: Double(corner.x))
    }

    static func side(_ a: Corner, _ b: Corner, _ p: Corner) -> Int {
        (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x)
    }

    /// Whether a ring encloses an area and meets itself nowhere; repeated corners count once.
    static func isSimple(_ given: [Corner]) -> Bool {
        var corners: [Corner] = []
        for corner in given where corners.last.map({ $0 != corner }) ?? true { corners.append(corner) }
        while corners.count > 1, corners[0] == corners[corners.count - 1] { corners.removeLast() }
        let count = corners.count
        guard count >= 3 else { return false }
        for first in 0..<count {
            for second in first + 1..<count {
                let (a, b) = (corners[first], corners[(first + 1) % count])
                let (c, d) = (corners[second], corners[(second + 1) % count])
                if second == first + 1 || (first == 0 && second == count - 1) {
                    // Neighbours share a corner, and nothing else.
                    let (shared, one, other) = second == first + 1 ? (b, a, d) : (a, b, c)
                    let along = (one.x - shared.x) * (other.x - shared.x) + (one.y - shared.y) * (other.y - shared.y)
                    if side(one, shared, other) == 0 && along > 0 { return false }
                    continue
                }
                if meet(a, b, c, d) { return false }
            }
        }
        return true
    }

    private static func meet(_ a: Corner, _ b: Corner, _ c: Corner, _ d: Corner) -> Bool {
        let (first, second) = (side(a, b, c).signum(), side(a, b, d).signum())
        let (third, fourth) = (side(c, d, a).signum(), side(c, d, b).signum())
        if first != second && third != fourth { return true }
        func isOn(_ p: Corner, _ a: Corner, _ b: Corner) -> Bool {
            min(a.x, b.x) <= p.x && p.x <= max(a.x, b.x) && min(a.y, b.y) <= p.y && p.y <= max(a.y, b.y)
        }
        return (first == 0 && isOn(c, a, b)) || (second == 0 && isOn(d, a, b)) || (third == 0 && isOn(a, c, d))
            || (fourth == 0 && isOn(b, c, d))
    }
}
