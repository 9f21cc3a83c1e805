import MusterCore
import MusterDocuments
import MusterGeometry

/// What follows a safety's state and time. Versions before 4 knew the region alone.
private struct SafetyFields: OptionSet {
    let rawValue: UInt8
    static let region = SafetyFields(rawValue: 1)
    /// The source is not the usual one of the state.
    static let source = SafetyFields(rawValue: 2)
    static let acknowledgedBy = SafetyFields(rawValue: 4)
    static let all: SafetyFields = [.region, .source, .acknowledgedBy]
}

extension ByteWriter {
    mutating func put(_ safety: Safety) {
        var fields: SafetyFields = safety.region == nil ? [] : .region
        if safety.source != Safety(state: safety.state, since: safety.since).source { fields.insert(.source) }
        if safety.acknowledgedBy != nil { fields.insert(.acknowledgedBy) }
        put(byte: safety.state.rawValue)
        put(instant: safety.since)
        put(byte: fields.rawValue)
        if let region = safety.region { put(number: region.rawValue) }
        if fields.contains(.source) { put(safety.source) }
        if let user = safety.acknowledgedBy { put(number: user.rawValue) }
    }

    mutating func put(_ source: Safety.Source) {
        switch source {
        case .silence: put(byte: 0)
        case .region: put(byte: 1)
        case .position: put(byte: 2)
        case .ownDeclaration: put(byte: 3)
        case .marked(let user):
            put(byte: 4)
            put(number: user.rawValue)
        }
    }

    mutating func put(_ declaration: Declaration) {
        put(text: declaration.id)
        put(number: declaration.subject.rawValue)
        put(number: declaration.author.rawValue)
        put(optional: declaration.device)
        put(byte: declaration.kind.rawValue)
        put(instant: declaration.sampleTime)
        put(instant: declaration.receivedTime)
        put(optional: declaration.note)
        put(byte: declaration.coordinate == nil ? 0 : 1)
        if let coordinate = declaration.coordinate { put(coordinate: coordinate) }
    }

    mutating func put(_ declared: Declared) {
        put(byte: declared.standing.rawValue)
        put(instant: declared.since)
        put(declared.source)
        put(optional: declared.acknowledgedBy)
        put(instant: declared.toldAt)
        put(number: declared.reminders)
        put(byte: declared.latest == nil ? 0 : 1)
        if let latest = declared.latest { put(instant: latest) }
        put(byte: declared.hasRefuge ? 1 : 0)
        put(optional: declared.incident)
        put(optional: declared.roll)
    }

    mutating func put(_ incident: Incident) {
        put(number: incident.number.rawValue)
        put(number: incident.team.rawValue)
        put(byte: incident.kind.rawValue)
        put(optional: incident.note)
        put(instant: incident.startedAt)
        put(number: incident.startedBy.rawValue)
        guard let closing = incident.closing else { return put(byte: 0) }
        switch closing.how {
        case .allAccounted: put(byte: 1)
        case .byHand(let user, let reason):
            put(byte: 2)
            put(number: user.rawValue)
            put(text: reason)
        case .teamGone: put(byte: 3)
        }
        put(instant: closing.at)
    }

    private mutating func put<Entity>(optional number: Number<Entity>?) {
        put(byte: number == nil ? 0 : 1)
        if let number { put(number: number.rawValue) }
    }

    private mutating func put(optional text: String?) {
        put(byte: text == nil ? 0 : 1)
        if let text { put(text: text) }
    }
}

extension ByteReader {
    mutating func safety() throws(CodecFault) -> Safety {
        guard let state = Safety.State(rawValue: try byte()) else { throw .malformed(offset: offset) }
        var safety = Safety(state: state, since: try instant())
        let fields = SafetyFields(rawValue: try byte())
        guard SafetyFields.all.isSuperset(of: fields) else { throw .malformed(offset: offset) }
        if fields.contains(.region) { safety.region = RegionNumber(try number()) }
        if fields.contains(.source) { safety.source = try source() }
        if fields.contains(.acknowledgedBy) { safety.acknowledgedBy = UserNumber(try number()) }
        return safety
    }

    private mutating func source() throws(CodecFault) -> Safety.Source {
        switch try byte() {
        case 0: return .silence
        case 1: return .region
        case 2: return .position
        case 3: return .ownDeclaration
        case 4: return .marked(by: UserNumber(try number()))
        default: throw .malformed(offset: offset)
        }
    }

    mutating func declaration() throws(CodecFault) -> Declaration {
        let id = try text()
        let subject = UserNumber(try number())
        let author = UserNumber(try number())
        let device: DeviceNumber? = try isPresent() ? DeviceNumber(try number()) : nil
        guard let kind = Declaration.Kind(rawValue: try byte()) else { throw .malformed(offset: offset) }
        let sampleTime = try instant()
        let receivedTime = try instant()
        let note: String? = try isPresent() ? try text() : nil
        return Declaration(
            id: id, subject: subject, author: author, device: device, kind: kind, sampleTime: sampleTime,
            receivedTime: receivedTime, note: note, coordinate: try isPresent() ? try coordinate() : nil)
    }

    mutating func declared() throws(CodecFault) -> Declared {
        var declared = Declared()
        guard let standing = Declared.Standing(rawValue: try byte()) else { throw .malformed(offset: offset) }
        declared.standing = standing
        declared.since = try instant()
        declared.source = try source()
        declared.acknowledgedBy = try isPresent() ? UserNumber(try number()) : nil
        declared.toldAt = try instant()
        declared.reminders = try number()
        declared.latest = try isPresent() ? try instant() : nil
        declared.hasRefuge = try isPresent()
        declared.incident = try isPresent() ? IncidentNumber(try number()) : nil
        declared.roll = try isPresent() ? IncidentNumber(try number()) : nil
        return declared
    }

    mutating func incident() throws(CodecFault) -> Incident {
        let number = IncidentNumber(try number())
        let team = TeamNumber(try self.number())
        guard let kind = Incident.Kind(rawValue: try byte()) else { throw .malformed(offset: offset) }
        let note: String? = try isPresent() ? try text() : nil
        let startedAt = try instant()
        let startedBy = UserNumber(try self.number())
        return Incident(
            number: number, team: team, kind: kind, note: note, startedAt: startedAt, startedBy: startedBy,
            closing: try closing())
    }

    private mutating func closing() throws(CodecFault) -> Incident.Closing? {
        let how: Incident.Closing.How
        switch try byte() {
        case 0: return nil
        case 1: how = .allAccounted
        case 2:
            let user = UserNumber(try number())
            how = .byHand(by: user, reason: try text())
        case 3: how = .teamGone
        default: throw .malformed(offset: offset)
        }
        return Incident.Closing(at: try instant(), how: how)
    }

    /// A byte that is 1 for what follows or holds, 0 for what does not.
    private mutating func isPresent() throws(CodecFault) -> Bool {
        switch try byte() {
        case 0: false
        case 1: true
        default: throw .malformed(offset: offset)
        }
    }
}
