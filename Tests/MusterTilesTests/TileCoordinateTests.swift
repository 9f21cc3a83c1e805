import Testing

@testable import MusterTiles

struct TileCoordinateTests {
    @Test func `the first tiles have the numbers that the specification lists`() throws {
        let expected: [(Int, Int, Int, UInt64)] = [
            (0, 0, 0, 0), (1, 0, 0, 1), (1, 0, 1, 2), (1, 1, 1, 3), (1, 1, 0, 4), (2, 0, 0, 5), (2, 1, 0, 6),
            (2, 1, 1, 7), (2, 0, 1, 8), (2, 0, 2, 9), (12, 3423, 1763, 19_078_479),
        ]
        for (zoom, column, row, number) in expected {
            let coordinate = try #require(TileCoordinate(zoom: zoom, column: column, row: row))
            #expect(coordinate.number == number, "\(zoom)/\(column)/\(row)")
        }
    }

    @Test func `the tiles of a zoom have each number once, and each follows its neighbour`() throws {
        for zoom in 0...5 {
            var places: [UInt64: (Int, Int)] = [:]
            for column in 0..<(1 << zoom) {
                for row in 0..<(1 << zoom) {
                    let coordinate = try #require(TileCoordinate(zoom: zoom, column: column, row: row))
                    places[coordinate.number] = (column, row)
                }
            }
            let numbers = TileCoordinate.count(below: zoom)..<TileCoordinate.count(below: zoom + 1)
            #expect(Set(places.keys) == Set(numbers))
            for number in numbers.dropFirst() {
                let (before, here) = (try #require(places[number - 1]), try #require(places[number]))
                #expect(abs(before.0 - here.0) + abs(before.1 - here.1) == 1)
            }
        }
    }

    @Test func `places outside the map have no tile`() {
        for (zoom, column, row) in [(-1, 0, 0), (0, 1, 0), (0, 0, 1), (3, 8, 0), (3, 0, -1), (31, 0, 0)] {
            #expect(TileCoordinate(zoom: zoom, column: column, row: row) == nil)
        }
        #expect(TileCoordinate(zoom: 30, column: (1 << 30) - 1, row: 0)?.number == TileCoordinate.numbersEnd - 1)
    }
}
