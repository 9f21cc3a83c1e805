import MusterCore
import MusterDocuments

/// The fields that follow the state and the time of a safety. Versions before 4 had only the region.
private struct SafetyFields: OptionSet {
    let rawValue: UInt8
    static let region = SafetyFields(rawValue: 1)
    /// The source follows, because it is not the usual one of the state.
    static let source = SafetyFields(rawValue: 2)
    static let acknowledgedBy = SafetyFields(rawValue: 4)
    static let doubt = SafetyFields(rawValue: 8)
    static let all: SafetyFields = [.region, .source, .acknowledgedBy, .doubt]
}

/// The flags in the byte that also states how an incident was closed.
private struct IncidentFields: OptionSet {
    let rawValue: UInt8
    /// The last turn of the incident, the time at which all were accounted for, and the reopening follow. Earlier
    /// versions did not write them.
    static let turn = IncidentFields(rawValue: 0x40)
    /// At the end follow the leader, the sender's id of the start, and what the turn says.
    static let course = IncidentFields(rawValue: 0x20)
}

extension ByteWriter {
    mutating func put(_ safety: Safety) {
        var fields: SafetyFields = safety.region == nil ? [] : .region
        if safety.source != Safety(state: safety.state, since: safety.since).source { fields.insert(.source) }
        if safety.acknowledgedBy != nil { fields.insert(.acknowledgedBy) }
        if safety.doubt != nil { fields.insert(.doubt) }
        put(byte: safety.state.rawValue)
        put(instant: safety.since)
        put(byte: fields.rawValue)
        if let region = safety.region { put(number: region.rawValue) }
        if fields.contains(.source) { put(safety.source) }
        if let user = safety.acknowledgedBy { put(number: user.rawValue) }
        if let doubt = safety.doubt { put(byte: doubt.rawValue) }
    }

    mutating func put(_ source: Safety.Source) {
        let code = SafetySourceCode(source)
        put(byte: code.number)
        if let user = code.markedBy { put(number: user.rawValue) }
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
        put(byte: (declaration.coordinate == nil ? 0 : 1) | (declaration.repeatsCall ? 2 : 0))
        if let coordinate = declaration.coordinate { put(coordinate: coordinate) }
    }

    mutating func put(_ declared: Declared) {
        put(byte: declared.status.rawValue)
        put(instant: declared.since)
        put(declared.source)
        put(optional: declared.acknowledgedBy)
        put(instant: declared.toldAt)
        put(number: declared.reminders)
        put(byte: declared.latest == nil ? 0 : 1)
        if let latest = declared.latest { put(instant: latest) }
        put(byte: declared.wasInMusterRegion ? 1 : 0)
        put(optional: declared.incident)
        // Earlier versions stored here the roll that the person was on.
        put(byte: 0)
        put(byte: declared.unconfirmed == nil ? 0 : 1)
        if let word = declared.unconfirmed {
            put(byte: word.status.rawValue)
            put(instant: word.at)
            put(word.source)
        }
        put(byte: declared.timer == nil ? 0 : 1)
        if let timer = declared.timer { put(timer) }
        put(byte: declared.pause == nil ? 0 : 1)
        if let pause = declared.pause { put(pause) }
    }

    mutating func put(_ incident: Incident) {
        put(number: incident.number.rawValue)
        put(number: incident.team.rawValue)
        put(byte: incident.kind.rawValue)
        put(optional: incident.note)
        put(instant: incident.startedAt)
        put(number: incident.startedBy.rawValue)
        put(incident.closing, flags: IncidentFields([.turn, .course]).rawValue)
        put(byte: incident.turn.rawValue)
        put(byte: incident.allAccountedAt == nil ? 0 : 1)
        if let moment = incident.allAccountedAt { put(instant: moment) }
        put(byte: incident.reopening == nil ? 0 : 1)
        if let reopening = incident.reopening {
            put(instant: reopening.at)
            put(number: reopening.by.rawValue)
            put(text: reopening.reason)
        }
        putCourse(of: incident)
    }

    private mutating func put(_ closing: Incident.Closing?, flags: UInt8) {
        guard let closing else { return put(byte: flags) }
        switch closing.how {
        case .allAccounted: put(byte: flags | 1)
        case .byHand(let user, let reason):
            put(byte: flags | 2)
            put(number: user.rawValue)
            put(text: reason)
        case .teamGone: put(byte: flags | 3)
        case .automatic: put(byte: flags | 4)
        case .takenOver(let incident):
            put(byte: flags | 5)
            put(number: incident.rawValue)
        }
        put(instant: closing.at)
    }

    /// Writes a line of an incident's record without the last seen position, which the log does not need.
    mutating func put(_ entry: IncidentEntry) {
        put(number: entry.incident.rawValue)
        put(instant: entry.at)
        put(number: entry.person.rawValue)
        put(byte: entry.event.rawValue)
        put(entry.safety)
        put(optional: entry.author)
        put(optional: entry.note)
        put(optional: entry.name)
    }

    mutating func put<Entity>(optional number: Number<Entity>?) {
        put(byte: number == nil ? 0 : 1)
        if let number { put(number: number.rawValue) }
    }

    mutating func put(optional text: String?) {
        put(byte: text == nil ? 0 : 1)
        if let text { put(text: text) }
    }
}

extension ByteReader {
    mutating func safety() throws(CodecError) -> Safety {
        guard let state = Safety.State(rawValue: try byte()) else { throw .malformed(offset: offset) }
        var safety = Safety(state: state, since: try instant())
        let fields = SafetyFields(rawValue: try byte())
        guard SafetyFields.all.isSuperset(of: fields) else { throw .malformed(offset: offset) }
        if fields.contains(.region) { safety.region = RegionNumber(try number()) }
        if fields.contains(.source) { safety.source = try source() }
        if fields.contains(.acknowledgedBy) { safety.acknowledgedBy = UserNumber(try number()) }
        if fields.contains(.doubt) {
            guard let doubt = Doubt(rawValue: try byte()) else { throw .malformed(offset: offset) }
            safety.doubt = doubt
        }
        return safety
    }

    private mutating func source() throws(CodecError) -> Safety.Source {
        let number = try byte()
        let marker = number == SafetySourceCode.marked ? UserNumber(try self.number()) : nil
        guard let source = SafetySourceCode(number: number, markedBy: marker).source else {
            throw .malformed(offset: offset)
        }
        return source
    }

    mutating func declaration() throws(CodecError) -> Declaration {
        let id = try text()
        let subject = UserNumber(try number())
        let author = UserNumber(try number())
        let device: DeviceNumber? = try isPresent() ? DeviceNumber(try number()) : nil
        guard let kind = Declaration.Kind(rawValue: try byte()) else { throw .malformed(offset: offset) }
        let sampleTime = try instant()
        let receivedTime = try instant()
        let note: String? = try isPresent() ? try text() : nil
        // Earlier versions wrote only the first of the two flags.
        let flags = try byte()
        guard flags < 4 else { throw .malformed(offset: offset) }
        var declaration = Declaration(
            id: id, subject: subject, author: author, device: device, kind: kind, sampleTime: sampleTime,
            receivedTime: receivedTime, note: note, coordinate: flags & 1 == 1 ? try coordinate() : nil)
        declaration.repeatsCall = flags & 2 == 2
        return declaration
    }

    mutating func declared() throws(CodecError) -> Declared {
        var declared = Declared()
        guard let status = DeclaredStatus(rawValue: try byte()) else { throw .malformed(offset: offset) }
        declared.status = status
        declared.since = try instant()
        declared.source = try source()
        declared.acknowledgedBy = try isPresent() ? UserNumber(try number()) : nil
        declared.toldAt = try instant()
        declared.reminders = try number()
        declared.latest = try isPresent() ? try instant() : nil
        declared.wasInMusterRegion = try isPresent()
        declared.incident = try isPresent() ? IncidentNumber(try number()) : nil
        // Skips the roll that earlier versions stored here.
        if try isPresent() { _ = try number() as Int32 }
        // Earlier versions ended here.
        guard !isAtEnd else { return declared }
        if try isPresent() {
            guard let status = DeclaredStatus(rawValue: try byte()) else { throw .malformed(offset: offset) }
            let at = try instant()
            declared.unconfirmed = Declared.Unconfirmed(status: status, at: at, source: try source())
        }
        // Later ones ended here.
        guard !isAtEnd else { return declared }
        if try isPresent() { declared.timer = try checkInTimer() }
        // The versions between timers and pauses ended here.
        guard !isAtEnd, try isPresent() else { return declared }
        declared.pause = try pause()
        return declared
    }

    mutating func incident() throws(CodecError) -> Incident {
        let number = IncidentNumber(try number())
        let team = TeamNumber(try self.number())
        guard let kind = Incident.Kind(rawValue: try byte()) else { throw .malformed(offset: offset) }
        let note: String? = try isPresent() ? try text() : nil
        let startedAt = try instant()
        let startedBy = UserNumber(try self.number())
        let tag = try byte()
        var incident = Incident(
            number: number, team: team, kind: kind, note: note, startedAt: startedAt, startedBy: startedBy,
            closing: try closing(tag & ~IncidentFields([.turn, .course]).rawValue))
        guard IncidentFields(rawValue: tag).contains(.turn) else {
            if incident.closing?.how == .allAccounted { incident.allAccountedAt = incident.closing?.at }
            return incident
        }
        guard let turn = Incident.Turn(rawValue: try byte()) else { throw .malformed(offset: offset) }
        incident.turn = turn
        incident.allAccountedAt = try isPresent() ? try instant() : nil
        if try isPresent() {
            let reopenedAt = try instant()
            let user = UserNumber(try self.number())
            incident.reopening = Incident.Reopening(at: reopenedAt, by: user, reason: try text())
        }
        if IncidentFields(rawValue: tag).contains(.course) { try readCourse(of: &incident) }
        return incident
    }

    private mutating func closing(_ tag: UInt8) throws(CodecError) -> Incident.Closing? {
        let how: Incident.Closing.How
        switch tag {
        case 0: return nil
        case 1: how = .allAccounted
        case 2:
            let user = UserNumber(try number())
            how = .byHand(by: user, reason: try text())
        case 3: how = .teamGone
        case 4: how = .automatic
        case 5: how = .takenOver(by: IncidentNumber(try number()))
        default: throw .malformed(offset: offset)
        }
        return Incident.Closing(at: try instant(), how: how)
    }

    mutating func incidentEntry() throws(CodecError) -> IncidentEntry {
        let incident = IncidentNumber(try number())
        let at = try instant()
        let person = UserNumber(try number())
        guard let event = IncidentEntry.Event(rawValue: try byte()) else { throw .malformed(offset: offset) }
        var entry = IncidentEntry(
            incident: incident, at: at, person: person, event: event, safety: try safety(), lastSeen: nil)
        entry.author = try isPresent() ? UserNumber(try number()) : nil
        entry.note = try isPresent() ? try text() : nil
        entry.name = try isPresent() ? try text() : nil
        return entry
    }

    /// Reads a flag: 1 for true, 0 for false.
    mutating func isPresent() throws(CodecError) -> Bool {
        switch try byte() {
        case 0: false
        case 1: true
        default: throw .malformed(offset: offset)
        }
    }
}
