// Exact predicates: on which side of a line a point lies, and how longitudes compare, without rounding.

/// A longitude that may have gone round the globe: the number as it was given, and how many times 360° is added to it.
///
/// The sum itself is not always a double, so it is never formed where exactness matters.
struct TurnedLongitude {
    /// Degrees as given, −180 to 180.
    var degrees: Double
    /// Whole turns to the east.
    var turns: Int

    /// The nearest double to the sum.
    @inline(__always)
    var rounded: Double { degrees + 360 * Double(turns) }

    /// The sign of `self − other`, exact: −1, 0 or 1.
    func compared(with other: TurnedLongitude) -> Int {
        let turn = 360 * Double(turns - other.turns)
        let (difference, lost) = twoDifference(degrees, other.degrees)
        // Near a whole turn `difference + turn` is exact (Sterbenz); elsewhere its sign is out of doubt.
        let sum = (difference + turn) + lost
        return sum > 0 ? 1 : (sum < 0 ? -1 : 0)
    }
}

/// Returns the side of the line from a to b on which the point p lies: > 0 left, < 0 right, 0 exactly on it. The sign
/// is exact.
///
/// A filter in doubles nearly always decides. The rest is computed with the floating-point expansions of J. R.
/// Shewchuk, *Adaptive precision floating-point arithmetic and fast robust geometric predicates*, Discrete &
/// Computational Geometry 18, 305–363 (1997). The result is exact as long as no product is below 10⁻³⁰⁰.
@inline(__always)
func orientation(
    _ ax: Double, _ ay: Double, _ bx: Double, _ by: Double, _ px: Double, _ py: Double
) -> Int {
    let left = (ax - px) * (by - py)
    let right = (bx - px) * (ay - py)
    let determinant = left - right
    // Shewchuk's ccwerrboundA: (3 + 16ε)ε.
    let bound = 3.3306690738754716e-16 * (abs(left) + abs(right))
    // A branch predictor can foresee that the sign is certain, but not which sign it is: only the first is a branch.
    if abs(determinant) > bound { return determinant > 0 ? 1 : -1 }
    return exactOrientation(ax, 0, ay, bx, 0, by, px, py)
}

/// `orientation` for longitudes that went round the globe.
func orientation(
    _ a: TurnedLongitude, _ ay: Double, _ b: TurnedLongitude, _ by: Double, _ p: TurnedLongitude, _ py: Double
) -> Int {
    let turnA = a.turns - p.turns
    let turnB = b.turns - p.turns
    if turnA == 0 && turnB == 0 { return orientation(a.degrees, ay, b.degrees, by, p.degrees, py) }
    let dyA = ay - py
    let dyB = by - py
    let left = (a.degrees - p.degrees + 360 * Double(turnA)) * dyB
    let right = (b.degrees - p.degrees + 360 * Double(turnB)) * dyA
    // Adding the turn may lose half an ulp of 1,000 in each difference.
    let bound = 4.5e-16 * (abs(left) + abs(right)) + 2.5e-13 * (abs(dyA) + abs(dyB))
    let determinant = left - right
    if determinant > bound { return 1 }
    if determinant < -bound { return -1 }
    return exactOrientation(a.degrees, turnA, ay, b.degrees, turnB, by, p.degrees, py)
}

/// The sign of the determinant by exact expansions; `turnA` and `turnB` are whole turns relative to p.
@inline(never)
func exactOrientation(
    _ ax: Double, _ turnA: Int, _ ay: Double, _ bx: Double, _ turnB: Int, _ by: Double, _ px: Double, _ py: Double
) -> Int {
    withUnsafeTemporaryAllocation(of: Double.self, capacity: 24) { storage in
        var sum = Expansion(storage: storage)
        let (dxA, dxALost) = twoDifference(ax, px)
        let (dxB, dxBLost) = twoDifference(bx, px)
        let (dyA, dyALost) = twoDifference(ay, py)
        let (dyB, dyBLost) = twoDifference(by, py)
        sum.addProducts(dxA, dxALost, 360 * Double(turnA), dyB)
        sum.addProducts(dxA, dxALost, 360 * Double(turnA), dyBLost)
        sum.addProducts(-dxB, -dxBLost, -360 * Double(turnB), dyA)
        sum.addProducts(-dxB, -dxBLost, -360 * Double(turnB), dyALost)
        return sum.sign
    }
}

/// A sum of doubles kept exactly, as components that do not overlap, the smallest first.
private struct Expansion {
    private let storage: UnsafeMutableBufferPointer<Double>
    private var count = 0

    init(storage: UnsafeMutableBufferPointer<Double>) { self.storage = storage }

    /// The sign of the sum: that of its greatest component which is not 0.
    var sign: Int {
        var index = count
        while index > 0 {
            index -= 1
            if storage[index] != 0 { return storage[index] > 0 ? 1 : -1 }
        }
        return 0
    }

    /// Adds (a + b + c)·d, exactly.
    mutating func addProducts(_ a: Double, _ b: Double, _ c: Double, _ d: Double) {
        addProduct(a, d)
        addProduct(b, d)
        addProduct(c, d)
    }

    /// Adds a product of two doubles, exactly.
    private mutating func addProduct(_ left: Double, _ right: Double) {
        let product = left * right
        if product == 0 { return }
        add((-product).addingProduct(left, right))
        add(product)
    }

    /// Shewchuk's GROW-EXPANSION.
    private mutating func add(_ value: Double) {
        var carry = value
        for index in 0..<count {
            let sum = carry + storage[index]
            let virtual = sum - carry
            storage[index] = (carry - (sum - virtual)) + (storage[index] - virtual)
            carry = sum
        }
        storage[count] = carry
        count += 1
    }
}

/// a − b as a rounded difference and what rounding lost (Knuth, Shewchuk's TWO-DIFF).
@inline(__always)
func twoDifference(_ a: Double, _ b: Double) -> (rounded: Double, lost: Double) {
    let difference = a - b
    let virtual = a - difference
    return (difference, (a - (difference + virtual)) + (virtual - b))
}
