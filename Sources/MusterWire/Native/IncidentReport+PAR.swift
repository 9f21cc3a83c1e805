import MusterCore

/// PAR on the report's page.
extension IncidentReport {
    /// Every round with its crews; nothing where none was requested.
    var parTable: String {
        guard !parRounds.isEmpty else { return "" }
        return """
            <h2>PAR</h2>
            <table><thead><tr><th>PAR</th><th>Requested (UTC)</th><th>Crew</th><th>Present</th>\
            <th>Reported (UTC)</th></tr></thead><tbody>
            \(parRounds.map(rows).joined())</tbody></table>

            """
    }

    private func rows(of named: NamedPARRound) -> String {
        let round = named.round
        let note = round.note.map { ": \(Self.escaped($0))" } ?? ""
        let requested = "\(round.requestedAt.rfc3339) by \(Self.escaped(named.requestedBy ?? "the timer"))\(note)"
        return named.crews.map { crew, reporter in
            let present = crew.count.present.map { "\($0) of \(crew.count.people)\(crew.isShort ? ", short" : "")" }
            let isMissing = crew.count.present == nil
            let missing = round.overdueAt == nil ? "no report" : "overdue, no report"
            let note = crew.note.map { ": \(Self.escaped($0))" } ?? ""
            let reported = crew.reportedAt.map { "\($0.rfc3339) by \(Self.escaped(reporter ?? ""))\(note)" } ?? ""
            return "<tr><td>\(round.number)</td><td>\(requested)</td><td>\(name(of: crew.count))</td>"
                + "<td\(isMissing || crew.isShort ? " class=\"missing\"" : "")>"
                + "\(present ?? "\(missing) of \(crew.count.people)")</td><td>\(reported)</td></tr>\n"
        }.joined()
    }

    private func name(of count: PARCount) -> String { count.name.map { Self.escaped($0) } ?? "without a crew" }

    /// What a line says of PAR or a handover beside its event, escaped.
    func words(of detail: IncidentDetail, leader: String?) -> String {
        switch detail {
        case .par(let note):
            let crews = note.crews.map { count in
                let people = count.present.map { "\($0) of \(count.people)" } ?? "no report of \(count.people)"
                return "\(name(of: count)): \(people)"
            }
            return " \(note.round)" + (crews.isEmpty ? "" : ". \(crews.joined(separator: ", "))")
        case .parTimer(let timer):
            guard let everySeconds = timer.everySeconds else { return ": no longer" }
            return ": every \(JSONWriter.text(everySeconds)) s"
        case .handedOver: return " to \(Self.escaped(leader ?? ""))"
        }
    }
}
