import MusterCore
import MusterGeometry

/// Appends numbers and text to bytes in the store's own compact form: little-endian, varints of seven bits a byte.
///
/// `ByteReader` reads back exactly what this wrote.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    mutating func put(byte: UInt8) { bytes.append(byte) }

    /// An unsigned number in 1 to 10 bytes, small ones short.
    mutating func put(varint value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// A signed number, small magnitudes short.
    mutating func put(signed value: Int64) { put(varint: value.zigzag) }

    /// A number of an entity.
    mutating func put(number: Int32) { put(varint: UInt64(UInt32(bitPattern: number))) }

    /// All 64 bits of a Double.
    mutating func put(exact value: Double) { put(fixed: value.bitPattern) }

    /// A number whose bits are all as likely, in 8 bytes.
    mutating func put(fixed value: UInt64) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// A Double, exactly; short when it has at most three decimals.
    mutating func put(decimal value: Double) {
        if let thousandths = value.exactThousandths {
            put(varint: thousandths.zigzag << 1)
        } else {
            put(varint: 1)
            put(exact: value)
        }
    }

    /// UTF-8 with its length before it.
    mutating func put(text: String) {
        var text = text
        text.withUTF8 {
            put(varint: UInt64($0.count))
            bytes.append(contentsOf: $0)
        }
    }

    mutating func put(instant: Instant) { put(signed: instant.milliseconds) }

    mutating func put(coordinate: Coordinate) {
        put(exact: coordinate.latitude)
        put(exact: coordinate.longitude)
    }
}

extension Int64 {
    /// The number with its sign in the lowest bit, so that small magnitudes become small.
    var zigzag: UInt64 { UInt64(bitPattern: (self << 1) ^ (self >> 63)) }
    /// The number whose `zigzag` this is.
    init(zigzag value: UInt64) { self = Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1) }
}

extension Double {
    /// The number of thousandths when dividing it by 1000 gives back this very Double, bit by bit; else nil.
    var exactThousandths: Int64? {
        guard abs(self) < 1e12 else { return nil }
        let thousandths = Int64((self * 1000).rounded())
        return (Double(thousandths) / 1000).bitPattern == bitPattern ? thousandths : nil
    }
}
