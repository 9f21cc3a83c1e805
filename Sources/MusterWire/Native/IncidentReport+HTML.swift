import MusterCore
import MusterGeometry

/// The report as a page: it loads nothing, runs nothing, and shows every text as text.
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

    private static func escaped(_ text: String) -> String { GPXText.escaped(text) }

    var htmlBeginning: String {
        let team = Self.escaped(roll.incident.team)
        let title = "\(isDrill ? "DRILL – " : "")Incident \(incident.number.rawValue), \(team)"
        var page = """
            <!doctype html><html lang="en"><head><meta charset="utf-8"><title>\(title)</title>
            <meta name="viewport" content="width=device-width"><style>\(Self.style)</style></head><body><main>

            """
        if isDrill { page += "<p class=\"drill\">DRILL – this was an exercise</p>\n" }
        page += "<h1>\(title)</h1>\n<dl>\n" + facts.map { "<dt>\($0)</dt><dd>\($1)</dd>\n" }.joined() + "</dl>\n"
        page += "<h2>Unaccounted</h2>\n"
        let missing = roll.unaccounted
        page +=
            missing.isEmpty
            ? "<p>Nobody.</p>\n"
            : "<ul>\n"
                + missing.map { "<li class=\"missing\">\(Self.escaped($0.user)): \(sentence($0))</li>\n" }
                .joined() + "</ul>\n"
        page += "<h2>Roll call</h2>\n<table><thead><tr><th>Who</th><th>Accounted</th><th>How</th></tr></thead><tbody>\n"
        for person in roll.people {
            let accounted = person.hasLeft ? "left the team" : person.isAccounted ? "yes" : "no"
            page += "<tr><td>\(Self.escaped(person.user))</td><td>\(accounted)</td><td>\(sentence(person))</td></tr>\n"
        }
        return page + """
            </tbody></table>
            <h2>Changes</h2>
            <table><thead><tr><th>When (UTC)</th><th>Who</th><th>What</th><th>How known</th><th>Last seen</th></tr>
            </thead><tbody>

            """
    }

    /// What the head of the page says, a name and a text each, escaped.
    private var facts: [(String, String)] {
        var facts = [
            ("Kind", isDrill ? "drill" : "real"),
            ("Triggered", "\(incident.startedAt.rfc3339) by \(Self.escaped(roll.incident.startedBy))"),
            ("All safe", roll.allSafeAt?.rfc3339 ?? "not all were"),
        ]
        if let note = incident.note { facts.append(("Note", Self.escaped(note))) }
        if let closing = incident.closing {
            var text = closing.at.rfc3339
            if case .byHand(_, let reason) = closing.how {
                text += " by \(Self.escaped(roll.incident.closedBy ?? "")): \(Self.escaped(reason))"
            }
            facts.append(("Closed", text))
        } else {
            facts.append(("Closed", "still open"))
        }
        let waitedFor = roll.waitedFor.count
        facts.append(("Accounted for", "\(waitedFor - roll.unaccounted.count) of \(waitedFor)"))
        return facts
    }

    func htmlRow(_ line: NamedRecordLine) -> String {
        let event =
            switch line.event {
            case .present: "at the start: "
            case .changed: ""
            case .joined: "joined the team: "
            case .left: "left the team: "
            }
        return """
            <tr><td>\(line.at.rfc3339)</td><td>\(Self.escaped(line.user))</td><td>\(event)\(line.safety.word)</td>\
            <td>\(source(line.safety))</td><td>\(place(line.lastSeen))</td></tr>

            """
    }

    private func sentence(_ person: NamedRoll.Person) -> String {
        let since = person.safety.safety.since
        let time = since > Instant(milliseconds: 0) ? " since \(since.rfc3339)" : ""
        let last = place(person.lastSeen)
        return "\(person.safety.word)\(time), \(source(person.safety))\(last.isEmpty ? "" : "; last seen \(last)")"
    }

    private func source(_ named: NamedSafety) -> String {
        let text =
            switch named.safety.source {
            case .silence: "nothing heard"
            case .region: "inside \(Self.escaped(named.region?.name ?? "a muster region"))"
            case .position: "outside every muster region"
            case .ownDeclaration: "own word"
            case .marked: "marked by \(Self.escaped(named.markedBy ?? ""))"
            }
        return named.acknowledgedBy.map { "\(text), acknowledged by \(Self.escaped($0))" } ?? text
    }

    private func place(_ lastSeen: LastSeen?) -> String {
        guard let lastSeen else { return "" }
        let latitude = JSONWriter.text(lastSeen.coordinate.latitude)
        let longitude = JSONWriter.text(lastSeen.coordinate.longitude)
        return "\(latitude), \(longitude) at \(lastSeen.sampleTime.rfc3339)"
    }
}

extension NamedSafety {
    /// How someone is, for a person to read.
    fileprivate var word: String {
        switch safety.state {
        case .unknown: "unknown"
        case .safe: "safe"
        case .unsafe: "unsafe"
        case .needsHelp: "needs help"
        case .sos: "SOS"
        case .offSite: "off site"
        }
    }
}
