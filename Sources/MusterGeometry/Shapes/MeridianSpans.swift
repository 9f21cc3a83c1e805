/// The latitudes between which a meridian is inside polygons. It is built once for a meridian, in O(n log n) for n
/// edges, and then answers in O(log n). It serves thousands of queries, where locating each place would cost O(n).
struct MeridianSpans {
    /// Disjoint, ascending, and no two of them touch.
    private var spans: [ClosedRange<Double>] = []

    /// - Parameters:
    ///   - areas: valid areas, whose holes lie in their exteriors and apart.
    ///   - longitude: the meridian's longitude; no vertex should have it.
    init(of areas: [PreparedShape.Area], at longitude: Double) {
        var found: [ClosedRange<Double>] = []
        for area in areas {
            var isInside = false
            var crossings: [Double] = []
            for ring in [area.exterior] + area.holes {
                if ring.pole == .south { isInside.toggle() }
                Self.addCrossings(of: ring, at: longitude, to: &crossings)
            }
            crossings.sort()
            var start = -90.0
            for crossing in crossings {
                if isInside { found.append(start...crossing) }
                isInside.toggle()
                start = crossing
            }
            if isInside { found.append(start...90) }
        }
        for span in found.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = spans.last, span.lowerBound <= last.upperBound {
                spans[spans.count - 1] = last.lowerBound...max(last.upperBound, span.upperBound)
            } else {
                spans.append(span)
            }
        }
    }

    /// The latitudes at which a ring's edges cross the meridian, over every turn that the unrolled ring reaches.
    private static func addCrossings(of ring: Ring, at longitude: Double, to crossings: inout [Double]) {
        for index in 0..<ring.edgeCount {
            let (start, end) = (ring.longitude(index).rounded, ring.longitude(index + 1).rounded)
            let turn = ((max(start, end) - longitude) / 360).rounded(.down)
            let meridian = longitude + 360 * turn
            guard (start <= meridian) != (end <= meridian) else { continue }
            let share = (meridian - start) / (end - start)
            let (south, north) = (ring.latitudes[index], ring.latitudes[index + 1])
            crossings.append(south + share * (north - south))
        }
    }

    /// Whether the meridian is inside at a latitude.
    func contains(_ latitude: Double) -> Bool {
        var (low, high) = (0, spans.count)
        while low < high {
            let middle = low + (high - low) / 2
            if spans[middle].upperBound < latitude { low = middle + 1 } else { high = middle }
        }
        return low < spans.count && spans[low].contains(latitude)
    }
}
