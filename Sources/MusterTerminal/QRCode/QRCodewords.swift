/// The codewords of a QR code: the data in blocks, each with its error correction.
struct QRCodewords {
    /// All codewords in the order in which they are drawn (ISO/IEC 18004, 7.6).
    let interleaved: [UInt8]

    init(_ bytes: [UInt8], version: Int, level: QRCode.Level) {
        let layout = QRBlockLayout(version: version, level: level)
        let data = Self.data(bytes, countBits: Self.countBits(of: version), codewords: layout.dataCodewords)
        let generator = Self.generator(ofDegree: layout.correction)
        var blocks: [ArraySlice<UInt8>] = []
        var rest = data[...]
        for block in 0..<layout.blocks {
            blocks.append(rest.prefix(layout.dataCodewords(inBlock: block)))
            rest = rest.dropFirst(layout.dataCodewords(inBlock: block))
        }
        interleaved =
            Self.interleaved(blocks) + Self.interleaved(blocks.map { Self.remainder(of: $0, by: generator)[...] })
    }

    /// The bits of the number of bytes.
    static func countBits(of version: Int) -> Int { version < 10 ? 8 : 16 }

    /// The data codewords: mode, length, bytes, an end, and padding up to the number of codewords.
    private static func data(_ bytes: [UInt8], countBits: Int, codewords: Int) -> [UInt8] {
        var bits: [Bool] = []
        func append(_ value: Int, bits count: Int) {
            for bit in (0..<count).reversed() { bits.append(value >> bit & 1 == 1) }
        }
        append(0b0100, bits: 4)
        append(bytes.count, bits: countBits)
        for byte in bytes { append(Int(byte), bits: 8) }
        append(0, bits: min(4, 8 * codewords - bits.count))
        append(0, bits: (8 - bits.count % 8) % 8)
        var padding = [0xEC, 0x11]
        while bits.count < 8 * codewords {
            append(padding[0], bits: 8)
            padding.swapAt(0, 1)
        }
        return stride(from: 0, to: bits.count, by: 8).map { start in
            bits[start..<start + 8].reduce(0) { $0 << 1 | ($1 ? 1 : 0) }
        }
    }

    /// The first of each block, then the second of each, and so on; longer blocks end the list.
    private static func interleaved(_ blocks: [ArraySlice<UInt8>]) -> [UInt8] {
        let longest = blocks.map(\.count).max() ?? 0
        return (0..<longest).flatMap { place in
            blocks.compactMap { place < $0.count ? $0[$0.startIndex + place] : nil }
        }
    }

    // MARK: Reed-Solomon, over the field of 256 elements with x⁸ + x⁴ + x³ + x² + 1

    /// The product of two elements of the field.
    private static func product(_ left: UInt8, _ right: UInt8) -> UInt8 {
        var (factor, rest, product) = (left, right, UInt8(0))
        while rest != 0 {
            if rest & 1 == 1 { product ^= factor }
            factor = factor << 1 ^ (factor & 0x80 == 0 ? 0 : 0x1D)
            rest >>= 1
        }
        return product
    }

    /// The polynomial with the roots 2⁰, 2¹, … 2ⁿ⁻¹, from the highest power, without the leading 1.
    private static func generator(ofDegree degree: Int) -> [UInt8] {
        var (coefficients, root) = ([UInt8(1)], UInt8(1))
        for _ in 0..<degree {
            var next = coefficients + [0]
            for (index, coefficient) in coefficients.enumerated() { next[index + 1] ^= product(coefficient, root) }
            coefficients = next
            root = product(root, 2)
        }
        return Array(coefficients.dropFirst())
    }

    /// The codewords for error correction: the remainder of the data, times xⁿ, divided by the generator.
    private static func remainder(of data: ArraySlice<UInt8>, by generator: [UInt8]) -> [UInt8] {
        data.reduce(into: [UInt8](repeating: 0, count: generator.count)) { rest, codeword in
            let factor = codeword ^ rest.removeFirst()
            rest.append(0)
            for index in rest.indices { rest[index] ^= product(generator[index], factor) }
        }
    }
}
