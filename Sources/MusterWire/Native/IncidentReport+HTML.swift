import MusterCore
import MusterGeometry

/// The report as an HTML page, which loads nothing, runs nothing, and escapes every text.
extension IncidentReport {
    static let htmlEnd = "</tbody></table></main></body></html>\n"

    private static let style = """
        body{font:16px/1.45 system-ui,sans-serif;color:#111;background:#fff}
        body{margin:2rem auto;max-width:60rem;padding:0 1rem}
        h1{margin:0 0 .25rem}h2{margin:2rem 0 .5rem}table{border-collapse:collapse;width:100%}
        th,td{text-align:left;padding:.3rem .6rem .3rem 0;border-bottom:1px solid #bbb;vertical-align:top}
        .drill{border:3px double #111;padding:.4rem .8rem;font-weight:700;letter-spacing:.1em;margin:0 0 1rem}
        .missing{font-weight:700}dl{display:grid;grid-template-columns:max-content auto;gap:.2rem 1rem}dd{margin:0}
        @media print{body{margin:0;max-width:none;font-size:11pt}tr{break-inside:avoid}}
        @media print{thead{display:table-header-group}}
        """

    private var isDrill: Bool { incident.kind == .drill }

    static func escaped(_ text: String) -> String { GPXText.escaped(text) }

    var htmlBeginning: String {
        let team = Self.escaped(roll.incident.team)
        let title = "\(isDrill ? "DRILL – " : "")Incident \(incident.number.rawValue), \(team)"
        var page = """
            <!doctype html><html lang="en"><head><meta charset="utf-8"><title>\(title)</title>
            <meta name="viewport" content="width=device-width"><style>\(Self.style)</style></head><body><main>

            """
        if isDrill { page += "<p class=\"drill\">DRILL – this was an exercise</p>\n" }
        page += "<h1>\(title)</h1>\n<p>All times are in UTC.</p>\n"
        page += "<dl>\n" + facts.map { "<dt>\($0)</dt><dd>\($1)</dd>\n" }.joined() + "</dl>\n"
        page += "<h2>Unaccounted</h2>\n" + list(of: roll.unaccounted, class: "missing")
        page += "<h2>Checking: safe, but in doubt</h2>\n" + list(of: roll.checking, class: "checking")
        page += crewTable
        page += parTable
        page += "<h2>Roll call</h2>\n<table><thead><tr><th>Who</th><th>Crew</th><th>Accounted</th><th>How</th></tr>"
        page += "</thead><tbody>\n"
        for person in roll.people {
            let accounted =
                person.takenOff.map(offRoll) ?? (person.isAccounted ? "yes" : person.isChecking ? "checking" : "no")
            let crew = Self.escaped(person.crew ?? "")
            page += "<tr><td>\(Self.spoken(person.user, person.displayName))</td><td>\(crew)</td><td>\(accounted)</td>"
            page += "<td>\(sentence(person))</td></tr>\n"
        }
        return page + """
            </tbody></table>
            <h2>Changes</h2>
            <table><thead><tr><th>When (UTC)</th><th>Who</th><th>What</th><th>How known</th><th>Last seen</th></tr>
            </thead><tbody>

            """
    }

    private func list(of people: [NamedRoll.Person], class name: String) -> String {
        if people.isEmpty { return "<p>Nobody.</p>\n" }
        let lines = people.map { person in
            let crew = person.crew.map { " (\(Self.escaped($0)))" } ?? ""
            let phone = person.phone.map { "; phone \(Self.escaped($0))" } ?? ""
            let who = Self.spoken(person.user, person.displayName)
            return "<li class=\"\(name)\">\(who)\(crew): \(sentence(person))\(phone)</li>\n"
        }
        return "<ul>\n" + lines.joined() + "</ul>\n"
    }

    /// How many of each crew are accounted for; nothing where nobody is in a crew.
    private var crewTable: String {
        let crews = roll.crewCounts
        guard !crews.isEmpty else { return "" }
        let rows = crews.map { crew in
            let name = crew.crew.map { Self.escaped($0) } ?? "without a crew"
            let counts = crew.counts
            return "<tr><td>\(name)</td><td>\(counts.accounted) of \(counts.people)</td><td>\(counts.checking)</td>"
                + "<td>\(counts.unaccounted)</td><td>\(crew.allAccountedAt.map(after) ?? "")</td></tr>\n"
        }
        return """
            <h2>Crews</h2>
            <table><thead><tr><th>Crew</th><th>Accounted</th><th>Checking</th><th>Unaccounted</th>\
            <th>All after</th></tr></thead><tbody>
            \(rows.joined())</tbody></table>

            """
    }

    /// How long after the last opening of the incident a moment was.
    private func after(_ moment: Instant) -> String {
        Self.stopwatch(moment.seconds(since: incident.reopening?.at ?? incident.startedAt))
    }

    /// The facts at the head of the page: a name and a text each, escaped.
    private var facts: [(String, String)] {
        var facts = [
            ("Kind", isDrill ? "drill" : "real"),
            ("Triggered", "\(incident.startedAt.rfc3339) by \(spoken(author: roll.incident.startedBy))"),
            ("All accounted for", periods),
        ]
        if let note = incident.note { facts.append(("Note", Self.escaped(note))) }
        if let closing = incident.closing {
            var text = closing.at.rfc3339
            switch closing.how {
            case .byHand(_, let reason):
                text += " by \(spoken(author: roll.incident.closedBy ?? "")): \(Self.escaped(reason))"
            case .automatic: text += " by itself: all stayed accounted for as long as the team chose"
            case .takenOver(let other): text += ": taken over by incident \(other.rawValue)"
            case .allAccounted: text += " by itself: all were accounted for"
            case .teamGone: text += ": the team was removed"
            }
            facts.append(("Closed", text))
        } else {
            facts.append(("Closed", "still open"))
        }
        facts += courseFacts
        if let reopening = incident.reopening, roll.closings.isEmpty {
            let user = spoken(author: roll.incident.reopenedBy ?? "")
            facts.append(("Reopened", "\(reopening.at.rfc3339) by \(user): \(Self.escaped(reopening.reason))"))
        }
        facts.append(("Led by", roll.incident.leader.map { spoken(author: $0) } ?? "nobody"))
        for line in roll.handovers {
            let note = line.note.map { ": \(Self.escaped($0))" } ?? ""
            let (author, leader) = (spoken(author: line.author ?? ""), spoken(author: line.leader ?? ""))
            facts.append(("Handed over", "\(line.at.rfc3339) by \(author) to \(leader)\(note)"))
        }
        let counts = roll.counts
        let others = "\(counts.checking) checking, \(counts.unaccounted) unaccounted"
        facts.append(("Accounted for", "\(counts.accounted) of \(counts.people); \(others)"))
        let left = roll.leavingWords.map { Self.escaped($0) }
        if !left.isEmpty { facts.append(("Seem to have left", left.joined(separator: "<br>"))) }
        return facts
    }

    /// The times during which everyone was accounted for, as HTML.
    private var periods: String {
        guard !roll.allAccounted.isEmpty else { return "at no time" }
        return roll.allAccounted.map { period in
            period.until.map { "\(period.from.rfc3339), and no longer at \($0.rfc3339)" } ?? period.from.rfc3339
        }.joined(separator: "; ")
    }

    func htmlRow(_ line: NamedRecordLine, evidence: [NamedRecordLine]) -> String {
        let isOfPerson = line.user != nil && line.event != .declared
        var what = "\(Self.words(of: line.event))\(isOfPerson ? Self.state(line.safety) : "")"
        if let detail = line.detail { what += words(of: detail, leader: line.leader) }
        if let note = line.note { what += " (\(Self.escaped(note)))" }
        if let author = line.author { what += " by \(spoken(author: author))" }
        var known = line.user == nil ? "" : source(line.safety)
        if line.event == .allAccounted {
            known = evidence.map { "\(spoken($0)): \(Self.state($0.safety)), \(source($0.safety))" }
                .joined(separator: "<br>")
        }
        return """
            <tr><td>\(line.at.rfc3339)</td><td>\(spoken(line))</td><td>\(what)</td>\
            <td>\(known)</td><td>\(placeText(line.lastSeen))</td></tr>

            """
    }

    private static func words(of event: IncidentEntry.Event) -> String {
        switch event {
        case .present: "at the start: "
        case .changed: ""
        case .joined: "joined the team: "
        case .left: "left the team: "
        case .removed: "removed from the server, still on the roll: "
        case .moved: "moved to another team, still on the roll: "
        case .returned: "back in the team: "
        case .deviceRemoved: "a device was removed: "
        case .visitor: "visitor put on the roll: "
        case .takenOff: "taken off the roll: "
        case .allAccounted: "All accounted for"
        case .notAllAccounted: "No longer all accounted for"
        case .closed: "Closed"
        case .reopened: "Reopened"
        case .joinedTo: "joined to another user, off the roll: "
        case .parRequested: "PAR requested"
        case .parReported: "PAR reported"
        case .parComplete: "PAR complete"
        case .parOverdue: "PAR overdue"
        case .parEnded: "PAR ended"
        case .parTimerSet: "PAR requested by itself"
        case .handedOver: "Handed over"
        case .callSeen: "has seen the call: "
        case .atClosing: "when it was closed: "
        case .declared: ""
        }
    }

    private func offRoll(_ line: NamedRecordLine) -> String {
        let author = line.author.map { " by \(spoken(author: $0))" } ?? ""
        if line.event == .joinedTo { return "joined to \(Self.escaped(line.note ?? "another user"))\(author)" }
        let note = line.note.map { ": \(Self.escaped($0))" } ?? ""
        return line.event == .left ? "left the team" : "taken off\(author)\(note)"
    }

    /// The state with its doubt, in words.
    private static func state(_ named: NamedSafety) -> String {
        named.safety.doubt.map { "\(named.word), in doubt: \(words(of: $0))" } ?? named.word
    }

    private static func words(of doubt: Doubt) -> String {
        switch doubt {
        case .checking: "the newest fixes are being checked"
        case .poorAccuracy: "fixes are too inaccurate"
        case .stale: "only the last known"
        }
    }

    private func sentence(_ person: NamedRoll.Person) -> String {
        let since = person.safety.safety.since
        let before = since < incident.startedAt ? " (before the call)" : ""
        let time = since > Instant(milliseconds: 0) ? " since \(since.rfc3339)\(before)" : ""
        let last = placeText(person.lastSeen)
        var text = "\(person.safety.word)\(time), \(source(person.safety))\(last.isEmpty ? "" : "; last seen \(last)")"
        if let doubt = person.safety.safety.doubt { text += "; in doubt: \(Self.words(of: doubt))" }
        if let heard = person.heard { text += "; last heard \(heard.rfc3339)" }
        if let battery = person.battery { text += "; battery \(Int(battery.rounded())) %" }
        if let note = person.note { text += "; \(Self.escaped(note))" }
        if let line = person.departure {
            let author = line.author.map { " by \(spoken(author: $0))" } ?? ""
            let note = line.note.map { " (\(Self.escaped($0)))" } ?? ""
            let event = Self.words(of: line.event).prefix { $0 != "," && $0 != ":" }
            text += "; \(event)\(note) at \(line.at.rfc3339)\(author)"
        }
        text += recordText(of: person)
        if let seenAt = person.callSeenAt { text += "; has seen the call \(seenAt.rfc3339)" }
        if let word = person.unconfirmed, !person.isAccounted {
            let said = word.word.status == .offSite ? "off site" : "safe"
            text += "; said \(said) at \(word.word.at.rfc3339) by \(spoken(author: word.author)), not confirmed"
        }
        return text
    }

    private func source(_ named: NamedSafety) -> String {
        let text =
            switch named.safety.source {
            case .silence: "nothing heard"
            case .unlocated: "heard, but not where they are"
            case .seemsToHaveLeft: "seems to have left \(Self.escaped(named.region?.name ?? "the muster region"))"
            case .underReview: "being worked out after an edit"
            case .checkInTimer: "check-in timer ran out"
            case .region: "inside \(Self.escaped(named.region?.name ?? "a muster region"))"
            case .position: "outside every muster region"
            case .ownDeclaration: "own word"
            case .marked: "marked by \(spoken(author: named.markedBy ?? ""))"
            }
        return named.acknowledgedBy.map { "\(text), acknowledged by \(spoken(author: $0))" } ?? text
    }

    private func placeText(_ lastSeen: LastSeen?) -> String {
        guard let lastSeen else { return "" }
        let latitude = JSONWriter.text(lastSeen.coordinate.latitude)
        let longitude = JSONWriter.text(lastSeen.coordinate.longitude)
        return "\(latitude), \(longitude) at \(lastSeen.sampleTime.rfc3339)"
    }
}

extension NamedSafety {
    /// The state in words for a reader.
    fileprivate var word: String { IncidentReport.word(of: safety.state) }
}
