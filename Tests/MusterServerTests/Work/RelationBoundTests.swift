import Foundation
import MusterGeometry
import MusterWire
import Synchronization
import Testing

@testable import MusterServer

/// Relations of geometries end with the bound of the work that they belong to. One test after the other: GEOS has one
/// request to stop for all threads, and the second test makes thousands.
@Suite(.serialized) struct RelationBoundTests {
    /// A bound that is over after some looks at it.
    private final class CountedLooks: WorkBound {
        private struct Over: Error {}
        private let left: Mutex<Int>

        init(_ count: Int) { left = Mutex(count) }

        func spendSteps(_ count: Int) -> Bool { left.withLock { $0 > 0 } }

        func check() throws {
            let isOver = left.withLock { left in
                left -= 1
                return left < 0
            }
            if isOver { throw Over() }
        }

        /// Looks at it after it was over.
        var late: Int { left.withLock { max(0, -$0) } }
    }

    /// A polygon of teeth, which crosses one whose teeth stand across it in as many points as both have teeth.
    private func comb(_ teeth: Int, isAcross: Bool) -> PlainGeometry {
        var corners = (0...2 * teeth).map { (Double($0) / Double(2 * teeth), $0 % 2 == 0 ? 0.01 : 1.0) }
        corners += [(0.5, -0.1), corners[0]]
        var geometry = PlainGeometry()
        geometry.polygons = [
            [corners.map { Coordinate(validLatitude: isAcross ? $0.0 : $0.1, longitude: isAcross ? $0.1 : $0.0) }]
        ]
        return geometry
    }

    @Test func `a relation that takes long ends when its bound is over`() throws {
        let relations = try #require(Relations(of: comb(300, isAcross: false), .overlaps))
        let other = comb(300, isAcross: true)
        #expect(relations.holds(to: other))
        let bound = CountedLooks(50)
        let holds = BoundedWork.$bound.withValue(bound) { relations.holds(to: other) }
        #expect(!holds)
        #expect((1...20).contains(bound.late), "\(bound.late)")
    }

    @Test func `ending other work does not end work within its bound`() throws {
        let (query, other) = (comb(60, isAcross: false), comb(60, isAcross: true))
        let isDone = Atomic<Bool>(false)
        let hasEnded = DispatchSemaphore(value: 0)
        let thread = Thread {
            while !isDone.load(ordering: .relaxed), let relations = Relations(of: query, .overlaps) {
                _ = BoundedWork.$bound.withValue(CountedLooks(3)) { relations.holds(to: other) }
            }
            hasEnded.signal()
        }
        thread.start()
        let relations = try #require(Relations(of: query, .overlaps))
        let wrong = (0..<300).filter { _ in !relations.holds(to: other) }.count
        isDone.store(true, ordering: .relaxed)
        hasEnded.wait()
        #expect(wrong == 0)
    }
}
