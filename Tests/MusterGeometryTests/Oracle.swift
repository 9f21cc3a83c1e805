import Foundation
import MusterGeometry

/// The Python program that answers what shapely and rational arithmetic say; see its own description.
final class Oracle {
    private static let python = TestData.packageRoot.appending(path: ".venv/bin/python")
    private static let script = TestData.packageRoot.appending(path: "Tests/Oracles/shapely_predicates.py")

    /// Whether there is a Python with shapely.
    static let isPresent: Bool = {
        guard FileManager.default.isExecutableFile(atPath: python.path()) else { return false }
        let process = Process()
        process.executableURL = python
        process.arguments = ["-c", "import shapely"]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()

    /// How many of so many rounds a test runs: all in `make soak`, an eighth in `make test`, because Python's fractions
    /// are slow.
    static func rounds(_ all: Int) -> Int { isSoak ? all : all / 8 }

    /// Answers for each point: 1 inside, 0 on the boundary, −1 outside.
    struct Locations: Decodable {
        var exact: [Int]
        var shapely: [Int]?
    }

    /// What shapely thinks of a geometry.
    struct Opinion: Decodable {
        var valid: Bool?
        var reason: String
    }

    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var received = Data()

    init() throws {
        process.executableURL = Self.python
        process.arguments = [Self.script.path()]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    func locations(_ polygons: [Polygon], _ points: [Coordinate]) throws -> Locations {
        let points = points.map { "[\($0.longitude),\($0.latitude)]" }.joined(separator: ",")
        return try ask(
            "{\"op\":\"locate\",\"polygons\":\(Self.text(polygons)),\"points\":[\(points)]}", Locations.self)
    }

    func opinion(_ polygons: [Polygon]) throws -> Opinion {
        try ask("{\"op\":\"valid\",\"polygons\":\(Self.text(polygons))}", Opinion.self)
    }

    private static func text(_ polygons: [Polygon]) -> String {
        func text(_ ring: [Coordinate]) -> String {
            "[" + ring.map { "[\($0.longitude),\($0.latitude)]" }.joined(separator: ",") + "]"
        }
        let parts = polygons.map { polygon in
            "[" + ([polygon.exterior] + polygon.holes).map(text).joined(separator: ",") + "]"
        }
        return "[" + parts.joined(separator: ",") + "]"
    }

    private func ask<Answer: Decodable>(_ question: String, _: Answer.Type) throws -> Answer {
        try input.fileHandleForWriting.write(contentsOf: Data((question + "\n").utf8))
        var end = received.firstIndex(of: UInt8(ascii: "\n"))
        while end == nil {
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { throw OracleIsGone() }
            received.append(more)
            end = received.firstIndex(of: UInt8(ascii: "\n"))
        }
        let line = received[..<(end ?? received.endIndex)]
        received = Data(received[line.endIndex...].dropFirst())
        return try JSONDecoder().decode(Answer.self, from: line)
    }
}

/// The oracle ended, with its reason on the standard error.
struct OracleIsGone: Error {}

extension Shape {
    /// The polygons of a shape that is no circle.
    var polygons: [Polygon] {
        switch self {
        case .polygon(let polygon): [polygon]
        case .multiPolygon(let polygons): polygons
        case .circle: []
        }
    }
}
