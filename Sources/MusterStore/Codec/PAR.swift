import MusterCore
import MusterDocuments

/// The stored bytes of what lines and changes say beside their event.
extension ByteWriter {
    mutating func put(_ detail: IncidentDetail) {
        switch detail {
        case .par(let note):
            put(byte: note.countsVisitors ? 6 : 0)
            put(number: note.round)
            put(optional: note.dueAt)
            put(varint: UInt64(note.crews.count))
            for count in note.crews { put(count) }
        case .parTimer(let timer):
            put(byte: 1)
            put(byte: timer.everySeconds == nil ? 0 : 1)
            if let everySeconds = timer.everySeconds { put(exact: everySeconds) }
            put(exact: timer.graceSeconds)
        case .handedOver(let leader, let former):
            put(byte: 7)
            put(number: leader.rawValue)
            put(optional: former)
        case .declared(let note):
            put(byte: 3)
            put(instant: note.at)
            put(byte: note.kind.rawValue)
            put(byte: note.isCurrent ? 1 : 0)
        case .firstAccounted: put(byte: 4)
        case .counts(let counts):
            put(byte: 5)
            for number in [counts.people, counts.accounted, counts.checking] { put(number: Int32(clamping: number)) }
        }
    }

    private mutating func put(_ count: PARCount) {
        put(optional: count.crew)
        put(optional: count.name)
        put(number: count.people)
        put(byte: (count.present == nil ? 0 : 1) | (count.isVisitors ? 2 : 0))
        if let present = count.present { put(number: present) }
    }

    /// Writes what an incident has beside the fields of earlier versions.
    mutating func putCourse(of incident: Incident) {
        put(optional: incident.leader)
        put(optional: incident.startID)
        put(byte: incident.news == nil ? 0 : 1)
        guard let news = incident.news else { return }
        put(instant: news.at)
        put(optional: news.by)
        put(news.detail)
    }
}

extension ByteReader {
    mutating func incidentDetail() throws(CodecError) -> IncidentDetail {
        switch try byte() {
        case 0: return .par(try parNote())
        case 1:
            let everySeconds: Double? = try isPresent() ? try exactDouble() : nil
            return .parTimer(PARTimer(everySeconds: everySeconds, graceSeconds: try exactDouble()))
        // Earlier versions did not store who led it until then.
        case 2: return .handedOver(to: UserNumber(try number()), from: nil)
        case 3:
            let at = try instant()
            guard let kind = Declaration.Kind(rawValue: try byte()) else { throw .malformed(offset: offset) }
            return .declared(.init(at: at, kind: kind, isCurrent: try isPresent()))
        case 4: return .firstAccounted
        case 5:
            let (people, accounted, checking) = (try number() as Int32, try number() as Int32, try number() as Int32)
            return .counts(
                RollCounts(people: Int(people), accounted: Int(accounted), checking: Int(checking)))
        case 6: return .par(try parNote(countsVisitors: true))
        case 7:
            let leader = UserNumber(try number())
            return .handedOver(to: leader, from: try isPresent() ? UserNumber(try number()) : nil)
        default: throw .malformed(offset: offset)
        }
    }

    private mutating func parNote(countsVisitors: Bool = false) throws(CodecError) -> IncidentDetail.PARNote {
        var note = IncidentDetail.PARNote(
            round: try number(), dueAt: try optionalInstant(), countsVisitors: countsVisitors)
        for _ in 0..<(try count(minimumBytes: 4)) { note.crews.append(try parCount()) }
        return note
    }

    private mutating func parCount() throws(CodecError) -> PARCount {
        let crew: CrewNumber? = try isPresent() ? CrewNumber(try number()) : nil
        let name: String? = try isPresent() ? try text() : nil
        let people: Int32 = try number()
        // Earlier versions counted visitors with the people in no crew, and set the first bit alone.
        let flags = try byte()
        guard flags < 4 else { throw .malformed(offset: offset) }
        return PARCount(
            crew: crew, name: name, people: people, present: flags & 1 == 0 ? nil : try number(),
            isVisitors: flags & 2 != 0)
    }

    /// Reads what `putCourse` writes.
    mutating func readCourse(of incident: inout Incident) throws(CodecError) {
        incident.leader = try isPresent() ? UserNumber(try number()) : nil
        incident.startID = try isPresent() ? try text() : nil
        guard try isPresent() else { return }
        let moment = try instant()
        let author: UserNumber? = try isPresent() ? UserNumber(try number()) : nil
        incident.news = Incident.News(at: moment, by: author, detail: try incidentDetail())
    }
}
