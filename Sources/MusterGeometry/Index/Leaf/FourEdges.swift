/// Four words, and the four numbers of their bits. Combining bits compiles better than choosing by masks.
typealias FourWords = SIMD4<UInt32>
/// Four numbers.
typealias FourFloats = SIMD4<Float>

/// Returns all bits of a lane where the mask holds, else none.
@inline(__always)
func bits(_ mask: SIMDMask<SIMD4<Int32>>) -> FourWords { unsafeBitCast(mask, to: FourWords.self) }

/// The numbers that have these bits.
@inline(__always)
func floats(_ words: FourWords) -> FourFloats { unsafeBitCast(words, to: FourFloats.self) }

/// The numbers without their signs.
@inline(__always)
func magnitude(_ values: FourFloats) -> FourFloats {
    floats(unsafeBitCast(values, to: FourWords.self) & FourWords(repeating: 0x7FFF_FFFF))
}

/// Four clipped edges read from a block, in leaf units.
struct FourEdges {
    var lowLatitude: FourFloats
    var lowLongitude: FourFloats
    /// From the lower to the upper end; at least 0.
    var rise: FourFloats
    var run: FourFloats
    /// Whether the low end, and the high end, is a sentinel.
    var lowIsOpen: FourWords
    var highIsOpen: FourWords

    /// Reads the block at a place in memory.
    @inline(__always)
    init(_ block: UnsafeRawPointer) {
        // A 16-bit number in the mantissa of 2²³ becomes that number when 2²³ is taken away.
        let magic = FourWords(repeating: 0x4B00_0000)
        let offset: Float = 0x1p23
        let low = FourWords(repeating: 0xFFFF)
        let sixteen = FourWords(repeating: 16)
        let sentinel = offset + Float(LeafUnits.sentinel)
        let latitudes = block.loadUnaligned(as: FourWords.self)
        let longitudes = block.loadUnaligned(fromByteOffset: 16, as: FourWords.self)
        let (lowLatitude, highLatitude) = (
            floats((latitudes & low) | magic), floats((latitudes &>> sixteen) | magic)
        )
        let (lowLongitude, highLongitude) = (
            floats((longitudes & low) | magic), floats((longitudes &>> sixteen) | magic)
        )
        rise = highLatitude - lowLatitude
        run = highLongitude - lowLongitude
        lowIsOpen = bits(lowLongitude .<= sentinel)
        highIsOpen = bits(highLongitude .<= sentinel)
        self.lowLatitude = lowLatitude - offset
        self.lowLongitude = lowLongitude - offset
    }
}

extension MeshQuery {
    /// Writes the approximate squares of the distances from a point to the clipped edges of a leaf, square metres, and
    /// returns the least of them.
    ///
    /// - Parameter across: metres of the cell's width; `along` of its height.
    @inline(__always)
    static func squares(
        _ blocks: UnsafePointer<UInt32>, _ count: Int, _ point: LeafPoint, _ across: Float, _ along: Float,
        into squares: UnsafeMutablePointer<Float>
    ) -> Float {
        let scaleX = FourFloats(repeating: across / Float(LeafUnits.perCell))
        let scaleY = FourFloats(repeating: along / Float(LeafUnits.perCell))
        let u = FourFloats(repeating: point.x)
        let v = FourFloats(repeating: point.y)
        var least = FourFloats(repeating: .greatestFiniteMagnitude)
        var at = UnsafeRawPointer(blocks)
        for block in 0..<count {
            let square = FourEdges(at).squares(from: u, v, scaleX, scaleY)
            at += EdgeBlock.byteCount
            UnsafeMutableRawPointer(squares + block &* EdgeBlock.edgeCount).storeBytes(of: square, as: FourFloats.self)
            least = lesser(square, least)
        }
        return least.least
    }

    /// Returns the approximate least square of the distances from a point to the clipped edges of a leaf, square
    /// metres.
    ///
    /// - Parameter across: metres of the cell's width; `along` of its height.
    @inline(__always)
    static func leastSquare(
        _ blocks: UnsafePointer<UInt32>, _ count: Int, _ point: LeafPoint, _ across: Float, _ along: Float
    ) -> Float {
        let scaleX = FourFloats(repeating: across / Float(LeafUnits.perCell))
        let scaleY = FourFloats(repeating: along / Float(LeafUnits.perCell))
        let u = FourFloats(repeating: point.x)
        let v = FourFloats(repeating: point.y)
        var least = FourFloats(repeating: .greatestFiniteMagnitude)
        var at = UnsafeRawPointer(blocks)
        for _ in 0..<count {
            let edges = FourEdges(at)
            at += EdgeBlock.byteCount
            // A filler edge lies beside the cell: its value becomes NaN, which is less than no number.
            let isNothing = bits(edges.lowLatitude .== 0) & bits(edges.rise .== 0)
            let square = unsafeBitCast(edges.squares(from: u, v, scaleX, scaleY), to: FourWords.self)
            least = lesser(floats(square | isNothing), least)
        }
        return least.least
    }
}

extension FourEdges {
    /// Returns the approximate squares of the distances from a point, square metres.
    ///
    /// - Parameters:
    ///   - scaleX: how many metres a unit has from west to east.
    ///   - scaleY: how many metres a unit has from south to north.
    @inline(__always)
    fileprivate func squares(
        from u: FourFloats, _ v: FourFloats, _ scaleX: FourFloats, _ scaleY: FourFloats
    ) -> FourFloats {
        let one = unsafeBitCast(FourFloats(repeating: 1), to: FourWords.self)
        let (dx, dy) = (run * scaleX, rise * scaleY)
        let (x, y) = ((u - lowLongitude) * scaleX, (v - lowLatitude) * scaleY)
        let share = (x * dx + y * dy) / (dx * dx + dy * dy + 1e-12)
        // Between 0 and 1.
        let positive = unsafeBitCast(share, to: FourWords.self) & bits(share .> 0)
        let isBeyond = bits(share .> 1)
        let fraction = floats((isBeyond & one) | (positive & ~isBeyond))
        let (footX, footY) = (x - fraction * dx, y - fraction * dy)
        return footX * footX + footY * footY
    }
}

/// The numbers of the left side where they are less, else those of the right side.
@inline(__always)
private func lesser(_ left: FourFloats, _ right: FourFloats) -> FourFloats {
    let isLess = bits(left .< right)
    return floats(
        (unsafeBitCast(left, to: FourWords.self) & isLess) | (unsafeBitCast(right, to: FourWords.self) & ~isLess))
}

extension FourFloats {
    @inline(__always)
    fileprivate var least: Float { Swift.min(Swift.min(self[0], self[1]), Swift.min(self[2], self[3])) }
}
