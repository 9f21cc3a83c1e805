/// Converts a track to 64-bit words and back, for a store.
extension ConfidentTrack {
    /// All fields as 27 words, bit for bit.
    public var words: [UInt64] {
        var words = [latitude.bitPattern, longitude.bitPattern, UInt64(bitPattern: milliseconds)]
        for mark in [
            anchor, earlierAnchor, candidate, candidateStart, steady, waypoint, earlierWaypoint, earliestWaypoint,
        ] {
            words.append(Self.word(mark.eastDegrees.bitPattern, mark.northDegrees.bitPattern))
            words.append(UInt64(mark.ageMilliseconds))
        }
        words.append(Self.word(variance.bitPattern, lasting.bitPattern))
        words.append(Self.word(anchorAccuracy.bitPattern, anchorSpeed.bitPattern))
        words.append(Self.word(speed.bitPattern, candidateVariance.bitPattern))
        words.append(Self.word(candidateStartVariance.bitPattern, usualDeviation.bitPattern))
        words.append(Self.word(fittedMilliseconds, gapMilliseconds))
        let counts = [fixes, anchors, surprises, steadyCount, movingFixes, doubtsStanding, isContradicted]
        words.append(counts.reversed().reduce(0) { $0 << 8 | UInt64($1) })
        words.append(Self.word(innovationEast.bitPattern, innovationNorth.bitPattern))
        words.append(Self.word(pathEast.bitPattern, pathNorth.bitPattern))
        return words
    }

    /// Restores a track from its `words`.
    ///
    /// - Returns: nil unless there are 27, or the 26 of a version that followed no paths, or the 25 of one that also
    ///   averaged no innovations.
    public init?(words: [UInt64]) {
        guard (25...27).contains(words.count) else { return nil }
        self.init()
        latitude = Double(bitPattern: words[0])
        longitude = Double(bitPattern: words[1])
        milliseconds = Int64(bitPattern: words[2])
        func mark(_ number: Int) -> Mark { Mark(words[3 + 2 * number], words[4 + 2 * number]) }
        (anchor, earlierAnchor, candidate, candidateStart) = (mark(0), mark(1), mark(2), mark(3))
        (steady, waypoint, earlierWaypoint, earliestWaypoint) = (mark(4), mark(5), mark(6), mark(7))
        (variance, lasting) = Self.floats(words[19])
        (anchorAccuracy, anchorSpeed) = Self.floats(words[20])
        (speed, candidateVariance) = Self.floats(words[21])
        (candidateStartVariance, usualDeviation) = Self.floats(words[22])
        fittedMilliseconds = UInt32(truncatingIfNeeded: words[23])
        gapMilliseconds = UInt32(truncatingIfNeeded: words[23] >> 32)
        func count(_ number: Int) -> UInt8 { UInt8(truncatingIfNeeded: words[24] >> (8 * UInt64(number))) }
        (fixes, anchors, surprises) = (count(0), count(1), count(2))
        (steadyCount, movingFixes, doubtsStanding, isContradicted) = (count(3), count(4), count(5), count(6))
        if words.count > 25 { (innovationEast, innovationNorth) = Self.floats(words[25]) }
        if words.count > 26 { (pathEast, pathNorth) = Self.floats(words[26]) }
    }

    private static func word(_ low: UInt32, _ high: UInt32) -> UInt64 { UInt64(low) | UInt64(high) << 32 }

    private static func floats(_ word: UInt64) -> (Float, Float) {
        (
            Float(bitPattern: UInt32(truncatingIfNeeded: word)),
            Float(bitPattern: UInt32(truncatingIfNeeded: word >> 32))
        )
    }
}

extension ConfidentTrack.Mark {
    fileprivate init(_ first: UInt64, _ second: UInt64) {
        self.init(
            eastDegrees: Float(bitPattern: UInt32(truncatingIfNeeded: first)),
            northDegrees: Float(bitPattern: UInt32(truncatingIfNeeded: first >> 32)),
            ageMilliseconds: UInt32(truncatingIfNeeded: second))
    }
}
