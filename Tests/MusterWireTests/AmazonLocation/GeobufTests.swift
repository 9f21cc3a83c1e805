import MusterGeometry
import Testing

@testable import MusterWire

@Suite struct GeobufTests {
    /// `geobuf.encode({"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,0]]]}, 6)` of Python's geobuf.
    static let triangle: [UInt8] = [
        0x10, 0x02, 0x18, 0x06, 0x32, 0x0E, 0x08, 0x04, 0x1A, 0x0A, 0x00, 0x00, 0x80, 0x89, 0x7A, 0x00, 0x00, 0x80,
        0x89, 0x7A,
    ]

    private func vertices(_ pairs: [(Double, Double)]) -> [RawVertex] {
        pairs.map { RawVertex(longitude: $0.0, latitude: $0.1) }
    }

    @Test func `a polygon is read and its ring closed`() throws {
        let geometry = try Geobuf.geometry(Self.triangle)
        #expect(geometry == .polygon([vertices([(0, 0), (1, 0), (1, 1), (0, 0)])]))
    }

    @Test func `a truncated or changed geobuf is refused or read, and never traps`() {
        let bytes = Self.triangle
        for end in bytes.indices {
            #expect(throws: GeobufError.self) { try Geobuf.geometry(Array(bytes[..<end])) }
        }
        for index in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[index] ^= 1 << bit
                _ = try? Geobuf.geometry(changed)
            }
        }
    }

    @Test(
        arguments: [
            // A multipolygon that says it has 2^63 polygons, or rings longer than its coordinates.
            [0x32, 0x0F, 0x08, 0x05, 0x12, 0x09, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F, 0x1A, 0x00],
            [0x32, 0x09, 0x08, 0x04, 0x12, 0x01, 0x7F, 0x1A, 0x02, 0x00, 0x00],
            // A point; a feature collection; a group, which is no field of ours.
            [0x32, 0x06, 0x08, 0x00, 0x1A, 0x02, 0x00, 0x00], [0x22, 0x00], [0x33],
        ] as [[UInt8]])
    func `a geobuf that is not a polygon is refused`(_ bytes: [UInt8]) {
        #expect(throws: GeobufError.self) { try Geobuf.geometry(bytes) }
    }
}
