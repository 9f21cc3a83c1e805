import MusterCore
import MusterDocuments

/// The bit of a crossing's first byte that is set if a percentage follows; the other bits are the kind.
private let hasPercent: UInt8 = 0x80

/// The fields that follow the region and the time of a presence.
private struct PresenceFields: OptionSet {
    let rawValue: UInt8
    static let hasDwelt = PresenceFields(rawValue: 1)
    static let leftAt = PresenceFields(rawValue: 2)
    /// Standing, likelihood, doubt and `likelySince` follow, because they differ from those of a presence that is just
    /// inside.
    static let standing = PresenceFields(rawValue: 4)
    /// `told` follows, because an edit or a held exit made it differ from `Presence.usualTold`.
    static let told = PresenceFields(rawValue: 8)
    static let all: PresenceFields = [.hasDwelt, .leftAt, .standing, .told]
}

extension ByteWriter {
    mutating func put(_ crossing: Crossing) {
        put(byte: crossing.kind.rawValue | (crossing.insidePercent == nil ? 0 : hasPercent))
        if let percent = crossing.insidePercent { put(byte: percent) }
        put(number: crossing.device.rawValue)
        put(number: crossing.region.rawValue)
        put(instant: crossing.sampleTime)
    }

    mutating func put(_ report: PresenceReport) {
        put(number: report.device.rawValue)
        put(number: report.region.rawValue)
        put(byte: report.standing.rawValue)
        put(optional: report.doubt?.rawValue)
        put(optional: report.insidePercent)
        put(instant: report.since)
        put(instant: report.sampleTime)
    }

    mutating func put(_ belief: Belief) {
        put(instant: belief.sampleTime)
        put(coordinate: belief.estimate)
        put(exact: belief.deviationMetres)
        put(byte: belief.checking == nil ? 0 : 1)
        guard let checking = belief.checking else { return }
        put(instant: checking.since)
        put(coordinate: checking.coordinate)
        put(varint: UInt64(checking.regions.count))
        for region in checking.regions { put(number: region.rawValue) }
    }

    mutating func put(_ presences: [Presence]) {
        put(varint: UInt64(presences.count))
        for presence in presences {
            let plain = Presence(
                region: presence.region, since: presence.since, hasDwelt: presence.hasDwelt, leftAt: presence.leftAt)
            var fields: PresenceFields = presence == plain ? [] : .standing
            if presence.told != Presence.usualTold(presence.standing, leftAt: presence.leftAt) { fields.insert(.told) }
            if presence.hasDwelt { fields.insert(.hasDwelt) }
            if presence.leftAt != nil { fields.insert(.leftAt) }
            put(number: presence.region.rawValue)
            put(instant: presence.since)
            put(byte: fields.rawValue)
            if let leftAt = presence.leftAt { put(instant: leftAt) }
            if fields.contains(.told) { put(byte: presence.told.rawValue) }
            guard fields.contains(.standing) else { continue }
            put(byte: presence.standing.rawValue)
            put(byte: presence.likelihood.rawValue)
            put(optional: presence.doubt?.rawValue)
            put(instant: presence.likelySince)
        }
    }

    /// Writes a small number; 255 stands for nil.
    private mutating func put(optional byte: UInt8?) { put(byte: byte ?? .max) }
}

extension ByteReader {
    mutating func crossing() throws(CodecError) -> Crossing {
        let head = try byte()
        guard let kind = Crossing.Kind(rawValue: head & ~hasPercent) else { throw .malformed(offset: offset) }
        let percent: UInt8? = head & hasPercent == 0 ? nil : try byte()
        let device = DeviceNumber(try number())
        let region = RegionNumber(try number())
        return Crossing(
            kind: kind, device: device, region: region, sampleTime: try instant(), insidePercent: percent)
    }

    mutating func presenceReport() throws(CodecError) -> PresenceReport {
        let device = DeviceNumber(try number())
        let region = RegionNumber(try number())
        let standing: Standing = try choice()
        let doubt: Doubt? = try optionalChoice()
        let percent = try byte()
        let since = try instant()
        return PresenceReport(
            device: device, region: region, standing: standing, insidePercent: percent == .max ? nil : percent,
            doubt: doubt, since: since, sampleTime: try instant())
    }

    mutating func belief() throws(CodecError) -> Belief {
        var belief = Belief(
            sampleTime: try instant(), estimate: try coordinate(), deviationMetres: try exactDouble(), checking: nil)
        switch try byte() {
        case 0: return belief
        case 1: break
        default: throw .malformed(offset: offset)
        }
        let since = try instant()
        let coordinate = try coordinate()
        var regions: [RegionNumber] = []
        for _ in 0..<(try count(minimumBytes: 1)) { regions.append(RegionNumber(try number())) }
        belief.checking = Belief.Checking(since: since, coordinate: coordinate, regions: regions)
        return belief
    }

    mutating func presences() throws(CodecError) -> [Presence] {
        let count = try count(minimumBytes: 3)
        var presences: [Presence] = []
        presences.reserveCapacity(count)
        for _ in 0..<count { presences.append(try presence()) }
        return presences
    }

    private mutating func presence() throws(CodecError) -> Presence {
        let region = RegionNumber(try number())
        let since = try instant()
        let fields = PresenceFields(rawValue: try byte())
        guard PresenceFields.all.isSuperset(of: fields) else { throw .malformed(offset: offset) }
        let leftAt: Instant? = fields.contains(.leftAt) ? try instant() : nil
        var presence = Presence(
            region: region, since: since, hasDwelt: fields.contains(.hasDwelt), leftAt: leftAt)
        let told: Standing? = fields.contains(.told) ? try choice() : nil
        if let told { presence.told = told }
        guard fields.contains(.standing) else { return presence }
        presence.standing = try choice()
        presence.told = told ?? Presence.usualTold(presence.standing, leftAt: leftAt)
        presence.likelihood = try choice()
        presence.doubt = try optionalChoice()
        presence.likelySince = try instant()
        return presence
    }

    private mutating func choice<Choice: RawRepresentable<UInt8>>() throws(CodecError) -> Choice {
        guard let choice = Choice(rawValue: try byte()) else { throw .malformed(offset: offset) }
        return choice
    }

    private mutating func optionalChoice<Choice: RawRepresentable<UInt8>>() throws(CodecError) -> Choice? {
        let byte = try byte()
        if byte == .max { return nil }
        guard let choice = Choice(rawValue: byte) else { throw .malformed(offset: offset) }
        return choice
    }
}
