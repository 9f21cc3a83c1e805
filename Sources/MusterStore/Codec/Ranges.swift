import MusterCore
import MusterDocuments

extension ByteWriter {
    mutating func put(_ range: PeerRange) {
        put(number: range.peer.rawValue)
        put(instant: range.sampleTime)
        put(signed: range.receivedTime.milliseconds &- range.sampleTime.milliseconds)
        put(decimal: range.metres)
        put(decimal: range.deviationMetres)
        put(byte: range.source.rawValue)
    }

    mutating func put(_ tag: RangeTag) {
        put(fixed: tag.high)
        put(fixed: tag.low)
    }

    /// Writes 0 without a deviation, 1 and the deviation of a distance between positions, or 2, the deviation and the
    /// source of a measured range.
    mutating func put(deviation: Double?, _ source: PeerRange.Source?) {
        guard let deviation else { return put(byte: 0) }
        put(byte: source == nil ? 1 : 2)
        put(exact: deviation)
        if let source { put(byte: source.rawValue) }
    }
}

extension ByteReader {
    mutating func range() throws(CodecError) -> PeerRange {
        let peer = DeviceNumber(try number())
        let sampleTime = try instant()
        let delay = try signed()
        let (metres, deviation) = (try decimal(), try decimal())
        return PeerRange(
            to: peer, sampleTime: sampleTime, receivedTime: Instant(milliseconds: sampleTime.milliseconds &+ delay),
            metres: metres, deviationMetres: deviation, source: try rangeSource())
    }

    mutating func rangeTag() throws(CodecError) -> RangeTag {
        let high = try fixed()
        return RangeTag(high: high, low: try fixed())
    }

    mutating func rangeSource() throws(CodecError) -> PeerRange.Source {
        guard let source = PeerRange.Source(rawValue: try byte()) else { throw .malformed(offset: offset) }
        return source
    }

    mutating func deviation() throws(CodecError) -> (metres: Double?, source: PeerRange.Source?) {
        switch try byte() {
        case 0: return (nil, nil)
        case 1: return (try exactDouble(), nil)
        case 2:
            let metres = try exactDouble()
            return (metres, try rangeSource())
        default: throw .malformed(offset: offset)
        }
    }
}
