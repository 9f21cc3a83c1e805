import MusterCore

/// PAR on the report's page, and what lines say beside their event.
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
        let author = named.requestedBy.map { spoken(author: $0) } ?? "the timer"
        let requested = "\(round.requestedAt.rfc3339) by \(author)\(note)"
        return named.crews.map { crew, reporter in
            let present = crew.count.present.map { "\($0) of \(crew.count.people)\(crew.isShort ? ", short" : "")" }
            let isMissing = crew.count.present == nil
            let missing = round.isOverdue(crew) ? "overdue, no report" : "no report"
            let note = crew.note.map { ": \(Self.escaped($0))" } ?? ""
            let reported = crew.reportedAt.map { "\($0.rfc3339) by \(spoken(author: reporter ?? ""))\(note)" } ?? ""
            return "<tr><td>\(round.number)</td><td>\(requested)</td><td>\(name(of: crew.count))</td>"
                + "<td\(isMissing || crew.isShort ? " class=\"missing\"" : "")>"
                + "\(present ?? "\(missing) of \(crew.count.people)")</td><td>\(reported)</td></tr>\n"
        }.joined()
    }

    private func name(of count: PARCount) -> String {
        count.isVisitors ? "visitors" : count.name.map { Self.escaped($0) } ?? "without a crew"
    }

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
        case .handedOver: return " to \(spoken(author: leader ?? ""))"
        case .declared(let word):
            let said =
                switch word.kind {
                case .safe: "safe"
                case .needsHelp: "needs help"
                case .sos: "calls SOS"
                case .offSite: "off site"
                case .clear: "what was declared is cleared"
                case .acknowledge: "the call was heard"
                }
            return "\(said), declared at \(word.at.rfc3339)\(word.isCurrent ? "" : ", outranked by another word")"
        case .firstAccounted: return ", accounted for from here"
        case .counts(let counts): return ": \(Self.text(of: counts)) accounted for"
        }
    }

    static func text(of counts: RollCounts) -> String { "\(counts.accounted) of \(counts.people)" }

    /// Each closing and each reopening, in order, for the facts at the head of the page.
    var courseFacts: [(String, String)] {
        roll.closings.dropLast(incident.isOpen ? 0 : 1).flatMap { closing -> [(String, String)] in
            let author = closing.line.author.map { " by \(spoken(author: $0))" } ?? ""
            let counts = closing.counts.map { ", \(Self.text(of: $0)) accounted for" } ?? ""
            let reason = closing.line.note.map { ": \(Self.escaped($0))" } ?? ""
            var facts = [("Closed before", "\(closing.line.at.rfc3339)\(author)\(counts)\(reason)")]
            if let line = closing.reopening {
                let author = line.author.map { " by \(spoken(author: $0))" } ?? ""
                facts.append(("Reopened", "\(line.at.rfc3339)\(author): \(Self.escaped(line.note ?? ""))"))
            }
            return facts
        }
    }

    /// What is on record about a person beside their state: since when they are accounted for, who marked them, and
    /// what was said.
    func recordText(of person: NamedRoll.Person) -> String {
        var text = ""
        if let moment = person.firstAccountedAt {
            let from = incident.reopening?.at ?? incident.startedAt
            text += "; first accounted for \(moment.rfc3339), after \(Self.stopwatch(moment.seconds(since: from)))"
        }
        if let mark = person.mark {
            let note = mark.note.flatMap { $0 == person.note ? nil : ": \(Self.escaped($0))" } ?? ""
            let author = spoken(author: mark.author)
            text += "; marked \(Self.word(of: mark.state)) by \(author) at \(mark.at.rfc3339)\(note)"
        }
        for line in person.words {
            guard case .declared(let word)? = line.detail, line.note != person.mark?.note else { continue }
            text += "; \(spoken(author: line.author ?? "")) at \(word.at.rfc3339): \(Self.escaped(line.note ?? ""))"
        }
        return text
    }

    /// A span as `1:02` or `1:00:02`; a negative one as none.
    static func stopwatch(_ seconds: Double) -> String {
        let whole = max(0, Int(seconds))
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let (hours, minutes) = (whole / 3600, whole / 60 % 60)
        return hours > 0 ? "\(hours):\(two(minutes)):\(two(whole % 60))" : "\(minutes):\(two(whole % 60))"
    }

    static func word(of state: Safety.State) -> String {
        switch state {
        case .unknown: "unknown"
        case .safe: "safe"
        case .unsafe: "unsafe"
        case .needsHelp: "needs help"
        case .sos: "SOS"
        case .offSite: "off site"
        }
    }
}
