import MusterCore
import MusterGeometry

/// Writes the report on an incident, piece by piece: when it was triggered, when all were safe, who was not accounted
/// for, and every change with its source. A drill says so wherever one looks.
///
/// `begin`, an `append` for every line of the record, `end`; `takeBytes` whenever enough has gathered.
package struct IncidentReport {
    /// The forms that there are.
    package enum Form: String, Hashable, Sendable, CaseIterable, MediaForm {
        case json
        /// RFC 4180 with a header line. What a spreadsheet would take for a formula has an apostrophe before it.
        case csv
        /// A page that stands for itself, to read and to print.
        case html

        /// The media type to send.
        package var contentType: String {
            switch self {
            case .json: "application/json"
            case .csv: "text/csv; charset=utf-8"
            case .html: "text/html; charset=utf-8"
            }
        }

        /// The form with a media type, parameters and case aside.
        package init?(mediaType: String) {
            guard let form = Self.named(mediaType) else { return nil }
            self = form
        }
    }

    /// The form that is written.
    package let form: Form
    let roll: NamedRoll
    private var writer = JSONWriter()

    /// A report in which nothing is written yet.
    package init(on roll: NamedRoll, as form: Form) {
        self.roll = roll
        self.form = form
    }

    var incident: Incident { roll.incident.incident }

    /// Writes what stands before the first change.
    package mutating func begin() {
        switch form {
        case .json:
            writer.beginObject()
            writer.members(of: roll.incident)
            writer.members(of: roll)
            writer.key("changes")
            writer.beginArray()
        case .csv:
            text(Self.csvHeader)
            text(csvLine(incident.startedAt, "started", roll.incident.startedBy))
        case .html: text(htmlBeginning)
        }
    }

    /// Writes a change.
    package mutating func append(_ line: NamedRecordLine) {
        switch form {
        case .json: writer.value(line)
        case .csv:
            text(
                csvLine(
                    line.at, line.event.wireName.description, line.user, safety: line.safety, lastSeen: line.lastSeen))
        case .html: text(htmlRow(line))
        }
    }

    /// Writes what stands behind the last change.
    package mutating func end() {
        switch form {
        case .json:
            writer.endArray()
            writer.endObject()
        case .csv:
            for person in roll.unaccounted {
                text(csvLine(nil, "unaccounted", person.user, safety: person.safety, lastSeen: person.lastSeen))
            }
            if let closing = incident.closing {
                text(csvLine(closing.at, closing.how.wireName.description, roll.incident.closedBy ?? ""))
            }
        case .html: text(Self.htmlEnd)
        }
    }

    /// Takes away what has gathered.
    package mutating func takeBytes() -> [UInt8] { writer.takeBytes() }

    private mutating func text(_ text: String) {
        var text = text
        text.withUTF8 { writer.append($0) }
    }

    // MARK: CSV

    private static let csvHeader =
        "incident,kind,at,event,user,state,since,source,markedBy,acknowledgedBy,region,latitude,longitude,lastSeen\r\n"

    private func csvLine(
        _ at: Instant?, _ event: String, _ user: String, safety named: NamedSafety? = nil, lastSeen: LastSeen? = nil
    ) -> String {
        let safety = named?.safety
        let cells = [
            String(incident.number.rawValue), incident.kind.wireName.description, at?.rfc3339 ?? "", event,
            CSVText.cell(user), safety?.state.wireName.description ?? "",
            safety.map { $0.since > Instant(milliseconds: 0) ? $0.since.rfc3339 : "" } ?? "",
            safety?.source.wireName.description ?? "", CSVText.cell(named?.markedBy ?? ""),
            CSVText.cell(named?.acknowledgedBy ?? ""), CSVText.cell(named?.region?.name ?? ""),
            lastSeen.map { JSONWriter.text($0.coordinate.latitude) } ?? "",
            lastSeen.map { JSONWriter.text($0.coordinate.longitude) } ?? "", lastSeen?.sampleTime.rfc3339 ?? "",
        ]
        return cells.joined(separator: ",") + "\r\n"
    }
}
