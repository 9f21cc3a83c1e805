import MusterGeometry
import Testing

/// The oracle itself, where the answer can be seen with the naked eye.
@Suite struct ExactOracleTests {
    @Test func `a square with a hole holds its boundary and that of the hole`() {
        let square = polygon("0 0, 4 0, 4 4, 0 4, 0 0", holes: ["1 1, 1 3, 3 3, 3 1, 1 1"])
        check(square, inside: ["0 0", "4 4", "2 0", "4 1.5", "0.5 2", "1 2", "3 3", "2 1", "2 0.9999999999999999"])
        check(
            square, inside: [], outside: ["2 2", "2 1.0000000000000002", "4.000000000000001 2", "-1 0", "2 -0.000001"])
    }

    @Test func `a corner on the ray from a place is counted once`() {
        let diamond = polygon("0 -1, 1 0, 0 1, -1 0, 0 -1")
        check(diamond, inside: ["0 0", "0.5 0", "1 0", "0 1", "0.5 0.5"], outside: ["1.5 0", "0 1.5", "-2 0", "0 -2"])
    }

    @Test func `an edge of more than half a turn runs the short way`() {
        let box = polygon("170 0, -170 0, -170 10, 170 10, 170 0")
        check(
            box, inside: ["175 5", "-175 5", "180 5", "-180 5", "170 5", "-170 10"],
            outside: ["0 5", "169 5", "-169 5"])
    }

    @Test func `a ring round the globe holds the pole on its left, and a pole has every longitude`() {
        let north = polygon("-120 60, 0 60, 120 60, -120 60")
        check(north, inside: ["0 90", "-77 90", "180 60", "33 89"], outside: ["0 -90", "0 59", "180 59"])
        let south = polygon("120 -60, 0 -60, -120 -60, 120 -60")
        check(south, inside: ["0 -90", "12 -90", "180 -60", "33 -89"], outside: ["0 90", "0 -59", "180 -59"])
        let cut = polygon("-180 -90, 180 -90, 180 -80, -180 -80, -180 -90")
        check(cut, inside: ["0 -85", "180 -80", "-180 -85", "7 -90"], outside: ["0 -79", "7 90"])
    }

    private func check(_ shape: Shape, inside: [String], outside: [String] = []) {
        let oracle = ExactOracle([shape])
        for text in inside { #expect(oracle.regions(containing: place(text)) == [0], "\(text)") }
        for text in outside { #expect(oracle.regions(containing: place(text)) == [], "\(text)") }
    }

    private func polygon(_ exterior: String, holes: [String] = []) -> Shape {
        func ring(_ text: String) -> [Coordinate] { text.split(separator: ",").map { place(String($0)) } }
        return .polygon(Polygon(exterior: ring(exterior), holes: holes.map(ring)))
    }

    /// "longitude latitude", as GeoJSON has them.
    private func place(_ text: String) -> Coordinate {
        let numbers = text.split(separator: " ").compactMap { Double($0) }
        return Coordinate(validLatitude: numbers[1], longitude: numbers[0])
    }
}
