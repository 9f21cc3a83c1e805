/// A number in a JSON text, parsed but not yet rounded. It is valid only while the text's bytes are.
package struct JSONNumber {
    /// The number as it is written.
    package let bytes: UnsafeRawBufferPointer
    /// Whether it has a minus sign.
    let isNegative: Bool
    /// Its first 19 significant digits as a whole number.
    let significand: UInt64
    /// The power of ten to multiply the significand with.
    let exponent: Int
    /// Whether the significand holds all digits.
    let isExact: Bool
    /// Whether it is written without a decimal point and without an exponent.
    let isWhole: Bool

    /// The longest number that the reader accepts, in bytes. The longest `Double` has 1,077 characters.
    package static let limitBytes = 1100

    /// The nearest `Double`, ties to even; infinite when it is too large.
    package var double: Double {
        if isExact, let magnitude = Double(exactly: significand, timesTenToThe: exponent) {
            return isNegative ? -magnitude : magnitude
        }
        // The standard library rounds correctly at any length, and reads every number that JSON allows.
        return Double(String(decoding: bytes, as: UTF8.self)) ?? .infinity
    }

    /// The whole number; nil when it is not written as one, or does not fit. Nil for `-0` too, whose sign would be
    /// lost.
    package var integer: Int64? {
        guard isWhole, isExact, !(isNegative && significand == 0) else { return nil }
        if isNegative { return significand <= 1 << 63 ? Int64(truncatingIfNeeded: 0 &- significand) : nil }
        return Int64(exactly: significand)
    }
}

extension Double {
    /// The double nearest to `significand` × 10^`exponent`, ties to even, when a few exact steps compute it: either
    /// both factors are doubles (Clinger 1990), or the quotient of 128 by 64 bits holds it. Nil otherwise.
    init?(exactly significand: UInt64, timesTenToThe exponent: Int) {
        if exponent == 0 {
            self = Double(significand)
        } else if significand < 1 << 53, exponent >= -22, exponent <= 22 {
            let factor = Self.powersOfTen[Int(exponent.magnitude)]
            self = exponent < 0 ? Double(significand) / factor : Double(significand) * factor
        } else if exponent < 0, exponent >= -19 {
            self.init(significand, dividedBy: UInt64.powersOfTen[-exponent])
        } else {
            return nil
        }
    }

    /// The double nearest to `dividend` / `divisor`, ties to even. The dividend is 2^53 or more, so the quotient is
    /// normal.
    private init(_ dividend: UInt64, dividedBy divisor: UInt64) {
        // With the top bit set in both, the quotient of dividend·2^64 (or ·2^63) by divisor has it set too.
        let dividendShift = dividend.leadingZeroBitCount
        let divisorShift = divisor.leadingZeroBitCount
        let high = dividend << dividendShift
        let low = divisor << divisorShift
        let halves = high >= low
        let (quotient, remainder) = low.dividingFullWidth(halves ? (high >> 1, high << 63) : (high, 0))
        // Of 64 bits 53 stay; the other 11 and the remainder decide.
        var kept = quotient >> 11
        let rest = quotient & 0x7FF
        if rest > 0x400 || (rest == 0x400 && (remainder != 0 || kept & 1 == 1)) { kept += 1 }
        let power = divisorShift - dividendShift - 64 + (halves ? 1 : 0) + 11
        self = Double(kept) * Double(bitPattern: UInt64(1023 + power) << 52)
    }

    /// 10^0 to 10^22, all powers of ten that a double holds exactly.
    static let powersOfTen: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]
}

extension UInt64 {
    /// 10^0 to 10^19.
    static let powersOfTen: [UInt64] = [
        1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000, 10_000_000_000,
        100_000_000_000, 1_000_000_000_000, 10_000_000_000_000, 100_000_000_000_000, 1_000_000_000_000_000,
        10_000_000_000_000_000, 100_000_000_000_000_000, 1_000_000_000_000_000_000, 10_000_000_000_000_000_000,
    ]
}

extension JSONReader {
    /// Reads a number without rounding it.
    ///
    /// - Throws: `.wrongType`, with nothing consumed, when something else comes next.
    package mutating func decimal() throws(JSONError) -> JSONNumber {
        try require(.number)
        return try scanDecimal()
    }

    /// Reads the number at `offset`.
    mutating func scanDecimal() throws(JSONError) -> JSONNumber {
        let start = offset
        let isNegative = bytes[offset] == UInt8(ascii: "-")
        if isNegative { offset += 1 }

        var digits = Digits()
        let whole = offset
        scanDigits(into: &digits)
        let isPadded = offset > whole + 1 && bytes[whole] == UInt8(ascii: "0")
        guard offset > whole, !isPadded else { throw fault(.invalidNumber, at: start) }
        var exponent = 0
        var isWhole = true
        if offset < bytes.count, bytes[offset] == UInt8(ascii: ".") {
            isWhole = false
            offset += 1
            let fraction = offset
            scanDigits(into: &digits)
            guard offset > fraction else { throw fault(.invalidNumber, at: start) }
            exponent = fraction - offset
        }
        if offset < bytes.count, bytes[offset] | 0x20 == UInt8(ascii: "e") {
            isWhole = false
            offset += 1
            exponent += try scanExponent(from: start)
        }
        guard offset - start <= JSONNumber.limitBytes else {
            throw fault(.numberTooLong(limitBytes: JSONNumber.limitBytes), at: start)
        }
        return JSONNumber(
            bytes: UnsafeRawBufferPointer(rebasing: bytes[start..<offset]), isNegative: isNegative,
            significand: digits.value, exponent: digits.value == 0 ? 0 : exponent, isExact: digits.count <= 19,
            isWhole: isWhole)
    }

    private struct Digits {
        /// The first 19 significant digits.
        var value: UInt64 = 0
        /// How many significant digits there were.
        var count = 0
    }

    @inline(__always)
    private mutating func scanDigits(into digits: inout Digits) {
        while offset < bytes.count {
            let digit = bytes[offset] &- UInt8(ascii: "0")
            guard digit <= 9 else { return }
            if digits.count < 19 { digits.value = digits.value &* 10 &+ UInt64(digit) }
            if digits.value != 0 { digits.count += 1 }
            offset += 1
        }
    }

    /// Reads the exponent after the `e`, limited to ±9999, beyond which it makes no difference.
    private mutating func scanExponent(from start: Int) throws(JSONError) -> Int {
        var isNegative = false
        if offset < bytes.count, bytes[offset] == UInt8(ascii: "-") || bytes[offset] == UInt8(ascii: "+") {
            isNegative = bytes[offset] == UInt8(ascii: "-")
            offset += 1
        }
        let first = offset
        var value = 0
        while offset < bytes.count {
            let digit = bytes[offset] &- UInt8(ascii: "0")
            guard digit <= 9 else { break }
            value = min(value * 10 + Int(digit), 9999)
            offset += 1
        }
        guard offset > first else { throw fault(.invalidNumber, at: start) }
        return isNegative ? -value : value
    }
}
