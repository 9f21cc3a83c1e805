import MusterGeometry

/// Reads the coordinates of rings: tuples `longitude,latitude[,altitude]` with white space between them.
extension KMLReader {
    mutating func beginRing(isHole: Bool) {
        let index = placemark.polygons.count - 1
        if isHole {
            placemark.polygons[index].holes.append(([], line))
        } else if placemark.polygons[index].exterior != nil {
            record("a polygon has one outer boundary, this has another", line: line)
        } else {
            placemark.polygons[index].exterior = ([], line)
        }
    }

    /// Adds the tuples of a piece of text to the ring that was begun last.
    mutating func readCoordinates(_ range: Range<Int>, isHole: Bool) {
        let index = placemark.polygons.count - 1
        let begin = lines.line(at: range.lowerBound)
        var ring: [RawVertex]
        if isHole {
            let last = placemark.polygons[index].holes.count - 1
            placemark.polygons[index].holes[last].line = begin
            ring = placemark.polygons[index].holes[last].ring
            placemark.polygons[index].holes[last].ring = []
        } else {
            ring = placemark.polygons[index].exterior?.ring ?? []
            placemark.polygons[index].exterior = ([], begin)
        }
        var tuples = TupleReader(bytes, range)
        while let tuple = tuples.next() {
            placemark.vertices += 1
            if placemark.vertices == limits.verticesPerFeature + 1 {
                record("more than \(limits.verticesPerFeature) positions", line: lines.line(at: tuples.start))
            }
            guard placemark.vertices <= limits.verticesPerFeature else { break }
            switch tuple {
            case .vertex(let vertex): ring.append(vertex)
            case .fault(let words): record(words, line: lines.line(at: tuples.start))
            }
        }
        if isHole {
            placemark.polygons[index].holes[placemark.polygons[index].holes.count - 1].ring = ring
        } else {
            placemark.polygons[index].exterior?.ring = ring
        }
    }
}

/// Reads tuples from a range of bytes.
private struct TupleReader {
    enum Tuple {
        case vertex(RawVertex)
        case fault(String)
    }

    private let bytes: UnsafeRawBufferPointer
    private var place: Int
    private let end: Int
    /// Where the last tuple begins.
    private(set) var start: Int

    init(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
        self.bytes = bytes
        place = range.lowerBound
        end = range.upperBound
        start = place
    }

    /// Reads the next tuple; nil at the end.
    mutating func next() -> Tuple? {
        while place < end, bytes[place] <= 0x20 { place += 1 }
        guard place < end else { return nil }
        start = place
        let longitude = number()
        guard let longitude, take(UInt8(ascii: ",")), let latitude = number(), isAtEndOfNumber else {
            return fault("a position is longitude,latitude or longitude,latitude,altitude, this is")
        }
        // The altitude is ignored, whatever it is.
        passTuple()
        let vertex = RawVertex(
            longitude: RegionReader.clamped(longitude, to: 180), latitude: RegionReader.clamped(latitude, to: 90))
        guard abs(vertex.longitude) <= 180 else { return fault("the longitude must be from -180 to 180, in") }
        guard abs(vertex.latitude) <= 90 else { return fault("the latitude must be from -90 to 90, in") }
        return .vertex(vertex)
    }

    private var isAtEndOfNumber: Bool {
        place == end || bytes[place] <= 0x20 || bytes[place] == UInt8(ascii: ",")
    }

    private mutating func passTuple() { while place < end, bytes[place] > 0x20 { place += 1 } }

    private mutating func fault(_ words: String) -> Tuple {
        passTuple()
        let text = String(decoding: bytes[start..<place].prefix(200), as: UTF8.self)
        return .fault("\(words) \(RegionReader.quoted(text))")
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard place < end, bytes[place] == byte else { return false }
        place += 1
        return true
    }

    /// Reads a number as `xsd:double` has it, without its words; nil where there is none.
    private mutating func number() -> Double? {
        let begin = place
        let isNegative = take(UInt8(ascii: "-"))
        if !isNegative { _ = take(UInt8(ascii: "+")) }
        var (significand, digits, significant, exponent) = (UInt64(0), 0, 0, 0)
        var isFraction = false
        while place < end {
            let byte = bytes[place]
            if byte == UInt8(ascii: "."), !isFraction {
                isFraction = true
            } else if byte &- UInt8(ascii: "0") <= 9 {
                digits += 1
                if significant < 19 { significand = significand &* 10 &+ UInt64(byte &- UInt8(ascii: "0")) }
                if significand != 0 { significant += 1 }
                if isFraction { exponent -= 1 }
            } else {
                break
            }
            place += 1
        }
        guard digits > 0 else { return nil }
        if place < end, bytes[place] | 0x20 == UInt8(ascii: "e") {
            guard let power = self.exponent() else { return nil }
            exponent += power
        }
        guard place - begin <= JSONNumber.limitBytes else { return nil }
        let number = JSONNumber(
            bytes: UnsafeRawBufferPointer(rebasing: bytes[begin..<place]), isNegative: isNegative,
            significand: significand, exponent: significand == 0 ? 0 : exponent, isExact: significant <= 19,
            isWhole: false)
        return number.double
    }

    /// Reads an exponent, limited to ±9999, beyond which it makes no difference; nil where it has no digits.
    private mutating func exponent() -> Int? {
        place += 1
        let isNegative = take(UInt8(ascii: "-"))
        if !isNegative { _ = take(UInt8(ascii: "+")) }
        let first = place
        var value = 0
        while place < end, bytes[place] &- UInt8(ascii: "0") <= 9 {
            value = min(value * 10 + Int(bytes[place] &- UInt8(ascii: "0")), 9999)
            place += 1
        }
        return place > first ? (isNegative ? -value : value) : nil
    }
}

/// Counts the lines of a text on the way through it.
struct LineCounter {
    private let bytes: UnsafeRawBufferPointer
    private var place = 0
    private var count = 1

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// Returns the line of a place, from 1.
    ///
    /// - Complexity: O(the distance from the place before).
    mutating func line(at next: Int) -> Int {
        let range = min(place, next)..<max(place, next)
        let newlines = UnsafeRawBufferPointer(rebasing: bytes[range]).count { $0 == UInt8(ascii: "\n") }
        count += next >= place ? newlines : -newlines
        place = next
        return count
    }
}
