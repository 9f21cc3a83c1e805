import MusterCore
import MusterGeometry

/// Writes the report on an incident, piece by piece: when it was triggered, when everyone was accounted for and on what
/// evidence, when no longer, who was missing or in doubt at the end, and every change with its source. The report of a
/// drill is marked as one throughout.
///
/// Call `begin`, then `append` for every line of the record, then `end`. Call `takeBytes` whenever enough bytes have
/// gathered.
package struct IncidentReport {
    /// The formats of the report.
    package enum Form: String, Hashable, Sendable, CaseIterable, MediaForm {
        case json
        /// RFC 4180 with a header line. A cell that a spreadsheet would take for a formula begins with an apostrophe.
        case csv
        /// A self-contained page, to read and to print.
        case html

        /// The value of the header `Content-Type`.
        package var contentType: String {
            switch self {
            case .json: "application/json"
            case .csv: "text/csv; charset=utf-8"
            case .html: "text/html; charset=utf-8"
            }
        }

        /// The format with a media type, whatever its parameters and case; nil when there is none.
        package init?(mediaType: String) {
            guard let form = Self.named(mediaType) else { return nil }
            self = form
        }
    }

    /// The format of this report.
    package let form: Form
    let roll: NamedRoll
    /// Every round of PAR.
    let parRounds: [NamedPARRound]
    private var writer = JSONWriter()
    /// The newest line so far of each person on the roll, for the evidence.
    private var newest: [UserNumber: NamedRecordLine] = [:]
    /// The crew of each person on the roll who is in one.
    private let crews: [UserNumber: String]
    /// The display name of each person on the roll who has one.
    private let displayNames: [UserNumber: String]
    /// The display names of the users of the report who have one, by their sign-in names.
    private let authorNames: DisplayNames
    /// When each person acknowledged the call of the incident.
    private let callsSeen: [UserNumber: Instant]

    /// Creates a report that has written nothing yet.
    package init(on roll: NamedRoll, parRounds: [NamedPARRound] = [], as form: Form) {
        self.roll = roll
        self.parRounds = parRounds
        self.form = form
        crews = roll.people.reduce(into: [:]) { $0[$1.number] = $1.crew }
        displayNames = roll.people.reduce(into: [:]) { $0[$1.number] = $1.displayName }
        // Another user may have the sign-in name of somebody who was removed, or joined to another user, since.
        authorNames = roll.people.reduce(into: roll.displayNames) { names, person in
            let isUser = !person.isVisitor && person.departure?.event != .removed && person.takenOff?.event != .joinedTo
            if isUser, names[person.user] == nil { names[person.user] = person.displayName }
        }
        callsSeen = roll.people.reduce(into: [:]) { $0[$1.number] = $1.callSeenAt }
    }

    var incident: Incident { roll.incident.incident }

    /// Writes everything before the first change.
    package mutating func begin() {
        switch form {
        case .json:
            writer.beginObject()
            writer.members(of: roll.incident)
            writer.members(of: roll)
            writer.key("parRounds")
            writer.beginArray()
            for round in parRounds {
                writer.beginObject()
                writer.members(of: round)
                writer.endObject()
            }
            writer.endArray()
            writer.key("handovers")
            writer.beginArray()
            for line in roll.handovers { writer.value(line) }
            writer.endArray()
            writer.key("changes")
            writer.beginArray()
        case .csv:
            text(Self.csvHeader)
            text(csvLine(milestone(incident.startedAt), event: "started", author: roll.incident.startedBy))
        case .html: text(htmlBeginning)
        }
    }

    package mutating func append(_ line: NamedRecordLine) {
        switch line.event {
        case .left, .takenOff, .joinedTo: newest[line.person] = nil
        case let event where event.isMilestone: break
        default: newest[line.person] = line
        }
        let evidence = line.event == .allAccounted ? newest.values.sorted { $0.person < $1.person } : []
        switch form {
        case .json: writer.value(line, evidence: evidence)
        case .csv where line.user == nil && line.detail != nil: text(csvLines(ofMilestone: line))
        case .csv:
            text(csvLine(line))
            for other in evidence {
                var row = other
                row.at = line.at
                text(csvLine(row, event: "evidence"))
            }
        case .html: text(htmlRow(line, evidence: evidence))
        }
    }

    /// Writes everything after the last change.
    package mutating func end() {
        switch form {
        case .json:
            writer.endArray()
            writer.endObject()
        case .csv:
            let accounted = roll.waitedFor.filter(\.isAccounted)
            let groups = [(accounted, "accounted"), (roll.checking, "checking"), (roll.unaccounted, "unaccounted")]
            for (people, event) in groups {
                for person in people {
                    let line = NamedRecordLine(
                        at: Instant(milliseconds: 0), person: person.number, user: person.user, event: .changed,
                        safety: person.safety, lastSeen: person.lastSeen, note: person.remark)
                    text(csvLine(line, event: event, phone: person.phone, person: person))
                }
            }
            if let closing = incident.closing {
                let (how, author) = (closing.how.wireName.description, roll.incident.closedBy)
                text(csvLine(milestone(closing.at), event: how, author: author))
            }
        case .html: text(Self.htmlEnd)
        }
    }

    /// Returns the bytes written so far and removes them.
    package mutating func takeBytes() -> [UInt8] { writer.takeBytes() }

    private mutating func text(_ text: String) {
        var text = text
        text.withUTF8 { writer.append($0) }
    }

    /// What the report calls the person of a line in HTML; empty in a line about the incident itself.
    func spoken(_ line: NamedRecordLine) -> String {
        guard let user = line.user else { return "" }
        return Self.spoken(user, displayNames[line.person])
    }

    /// What the report calls a user in HTML, whom it names as an author.
    func spoken(author name: String) -> String { Self.spoken(name, authorNames[name]) }

    /// A display name with the sign-in name after it; the markup keeps its direction to itself.
    static func spoken(_ name: String, _ displayName: String?) -> String {
        displayName.map { "<bdi>\(escaped($0))</bdi> (\(escaped(name)))" } ?? escaped(name)
    }

    // MARK: CSV

    private static let csvHeader =
        "incident,kind,at,event,user,state,since,source,markedBy,acknowledgedBy,region,latitude,longitude,lastSeen,"
        + "by,note,doubt,crew,phone,par,people,present,callSeenAt,"
        + "declared,declaredTime,firstAccountedTime,mark,markTime,markBy,displayName\r\n"

    /// Returns a line about the incident itself.
    private func milestone(_ at: Instant) -> NamedRecordLine {
        NamedRecordLine(
            at: at, person: IncidentEntry.nobody, user: nil, event: .closed,
            safety: NamedSafety(Safety(state: .unknown, since: at), region: nil, markedBy: nil, acknowledgedBy: nil),
            lastSeen: nil)
    }

    /// Returns the rows of a line about the incident itself that says more: one for each crew of a PAR that it names,
    /// or one row.
    private func csvLines(ofMilestone line: NamedRecordLine) -> String {
        switch line.detail {
        case .par(let note)?:
            let counts: [PARCount?] = note.crews.isEmpty ? [nil] : note.crews
            return counts.map { csvLine(line, par: note.round, count: $0) }.joined()
        case .parTimer(let timer)?:
            var line = line
            line.note = timer.everySeconds.map { "every \(JSONWriter.text($0)) s" } ?? "by hand"
            return csvLine(line)
        case .counts(let counts)?:
            return csvLine(
                line,
                count: PARCount(
                    crew: nil, name: nil, people: Int32(clamping: counts.people),
                    present: Int32(clamping: counts.accounted)))
        case .handedOver?, .declared?, .firstAccounted?, nil: return csvLine(line, user: line.leader)
        }
    }

    private func csvLine(
        _ line: NamedRecordLine, event: String? = nil, author: String? = nil, phone: String? = nil,
        user: String? = nil, par: Int32? = nil, count: PARCount? = nil, person: NamedRoll.Person? = nil
    ) -> String {
        let word: IncidentDetail.DeclaredNote? = if case .declared(let note)? = line.detail { note } else { nil }
        let firstAt = person?.firstAccountedAt ?? (line.detail == .firstAccounted ? line.at : nil)
        let named = line.user == nil ? nil : line.safety
        let crew = crews[line.person] ?? (count?.isVisitors == true ? "(visitors)" : count?.name)
        let safety = named?.safety
        let started = Instant(milliseconds: 0)
        let cells = [
            String(incident.number.rawValue), incident.kind.wireName.description,
            line.at > started ? line.at.rfc3339 : "", event ?? line.event.wireName.description,
            CSVText.cell(line.user ?? user ?? ""), safety?.state.wireName.description ?? "",
            safety.map { $0.since > started ? $0.since.rfc3339 : "" } ?? "",
            safety?.source.wireName.description ?? "", CSVText.cell(named?.markedBy ?? ""),
            CSVText.cell(named?.acknowledgedBy ?? ""), CSVText.cell(named?.region?.name ?? ""),
            line.lastSeen.map { JSONWriter.text($0.coordinate.latitude) } ?? "",
            line.lastSeen.map { JSONWriter.text($0.coordinate.longitude) } ?? "",
            line.lastSeen?.sampleTime.rfc3339 ?? "", CSVText.cell(line.author ?? author ?? ""),
            CSVText.cell(line.note ?? ""), safety?.doubt?.wireName.description ?? "",
            CSVText.cell(crew ?? ""), CSVText.cell(phone ?? ""),
            par.map { String($0) } ?? "", count.map { String($0.people) } ?? "",
            count?.present.map { String($0) } ?? "", callsSeen[line.person]?.rfc3339 ?? "",
            word?.kind.wireName.description ?? "", word?.at.rfc3339 ?? "", firstAt?.rfc3339 ?? "",
            person?.mark?.state.wireName.description ?? "", person?.mark?.at.rfc3339 ?? "",
            CSVText.cell(person?.mark?.author ?? ""), CSVText.cell(displayNames[line.person] ?? ""),
        ]
        return cells.joined(separator: ",") + "\r\n"
    }
}
