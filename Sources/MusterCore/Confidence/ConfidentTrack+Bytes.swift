extension ConfidentTrack {
    /// How many bytes a track takes when it is stored.
    public static var byteCount: Int { 83 }

    /// Appends the track as `byteCount` bytes, numbers little-endian, so that it goes on after a restart where it was.
    public func append(to bytes: inout [UInt8]) {
        bytes.reserveCapacity(bytes.count + Self.byteCount)
        func append(_ bits: some FixedWidthInteger) {
            for shift in stride(from: 0, to: bits.bitWidth, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: bits >> shift))
            }
        }
        append(latitude.bitPattern)
        append(longitude.bitPattern)
        append(milliseconds)
        for number in [variance, lasting, anchorAccuracy, anchorSpeed, candidateVariance] { append(number.bitPattern) }
        for mark in [anchor, earlierAnchor, candidate] {
            append(mark.eastDegrees.bitPattern)
            append(mark.northDegrees.bitPattern)
            append(mark.ageMilliseconds)
        }
        bytes += [fixes, anchors, surprises]
    }

    /// The track that was stored as these bytes; nil when they are no track's.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        var rest = bytes[...]
        func next<Number: FixedWidthInteger>(_: Number.Type = Number.self) -> Number {
            var bits: Number = 0
            for shift in stride(from: 0, to: Number.bitWidth, by: 8) {
                bits |= Number(truncatingIfNeeded: rest.removeFirst()) << shift
            }
            return bits
        }
        func nextFloat() -> Float { Float(bitPattern: next()) }
        latitude = Double(bitPattern: next())
        longitude = Double(bitPattern: next())
        milliseconds = next()
        (variance, lasting, anchorAccuracy) = (nextFloat(), nextFloat(), nextFloat())
        (anchorSpeed, candidateVariance) = (nextFloat(), nextFloat())
        func nextMark() -> Mark {
            Mark(eastDegrees: nextFloat(), northDegrees: nextFloat(), ageMilliseconds: next())
        }
        (anchor, earlierAnchor, candidate) = (nextMark(), nextMark(), nextMark())
        (fixes, anchors, surprises) = (next(), next(), next())
        guard abs(latitude) <= 90, abs(longitude) <= 180, variance >= 0, lasting >= 0, (variance + lasting).isFinite,
            fixes <= 2, anchors <= 2, surprises <= 2
        else { return nil }
    }
}
