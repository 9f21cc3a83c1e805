import Foundation

/// PAR: every crew says how many of its people are present.
extension IncidentModel {
    /// The newest round in words; nil while none was requested.
    public var parText: String? {
        guard let open, let par = open.par else { return nil }
        let asked: KeyValuePairs = [
            "number": String(par.number), "time": wording.minute(par.requestedAt),
            "name": wording.called(par.requestedBy),
        ]
        let first = words.text(par.requestedBy == nil ? .incidentParAsked : .incidentParAskedBy, asked)
        let reported = par.crews.count { $0.present != nil }
        let count: KeyValuePairs = ["count": String(reported), "crews": String(par.crews.count)]
        var parts = [first, words.text(.incidentParReported, count)]
        let short = par.crews.count { ($0.present ?? $0.people) < $0.people }
        if short > 0 { parts.append(words.text(.incidentParShort, count: short)) }
        let late = par.crews.filter { isLate($0, par) }
        if !par.isComplete, let due = late.compactMap({ $0.dueAt ?? par.dueAt }).min() {
            let names = late.map { crewName(of: $0) }
            parts.append(
                words.text(
                    .incidentParOverdue, count: late.count,
                    ["time": wording.minute(due), "crews": words.listed(names)]))
        }
        return words.listed(parts)
    }
    /// The title of the part.
    public var parTitle: String { words.text(.incidentPar) }
    /// The title of the button that requests a PAR.
    public var requestPARTitle: String { words.text(.incidentParNow) }
    /// The title of the button that reports a crew as complete.
    public var completeTitle: String { words.text(.incidentComplete) }
    /// The title of the button that reports fewer.
    public var fewerTitle: String { words.text(.incidentFewer) }
    /// The title of the field for how many are present.
    public var presentTitle: String { words.text(.incidentPresent) }

    /// The title of the choice when the server requests a PAR by itself.
    public var parIntervalTitle: String { words.text(.incidentEvery) }
    /// When the server may request a PAR by itself.
    public var parIntervals: [PARInterval] {
        let present = open?.parEverySeconds.map { max(1, Int(($0 / 60).rounded())) }
        let offered = Set([10, 15, 20, 30, 60] + [present].compactMap(\.self)).sorted()
        let byHand = PARInterval(
            minutes: nil, title: words.text(.incidentOrderByHand), isChosen: open != nil && present == nil)
        return [byHand]
            + offered.map { minutes in
                PARInterval(
                    minutes: minutes, title: words.text(.incidentOrderEvery, count: minutes),
                    isChosen: minutes == present)
            }
    }

    /// How often the server requests a PAR by itself.
    public struct PARInterval: Hashable, Sendable, Identifiable {
        /// Minutes; nil for by hand alone.
        public var minutes: Int?
        /// What it is called.
        public var title: String
        /// Whether the server does so now.
        public var isChosen: Bool
        /// What it is, the same for the same thing.
        public var id: Int { minutes ?? 0 }
    }

    /// Requests a PAR of all crews now.
    public func requestPAR() async {
        if let open { await outbox.add(.requestPAR(incident: open.number, note: nil)) }
    }

    /// Reports how many of a crew are present, for the newest round.
    ///
    /// - Parameter crew: the crew's `id`, that of the visitors among them; empty for those in no crew.
    public func reportPAR(_ crew: Crew.ID, present: Int, note: String = "") async {
        guard let open, let par = open.par else { return }
        let isOfVisitors = crew == Self.visitorsID
        await outbox.add(
            .reportPAR(
                incident: open.number, crew: crew.isEmpty || isOfVisitors ? nil : crew,
                visitors: isOfVisitors ? true : nil, present: min(10_000, max(0, present)), round: par.number,
                note: note.trimmed(toBytes: 500)))
    }

    /// Requests a PAR by itself every so many minutes, or by hand alone.
    public func setPARTimer(everyMinutes minutes: Int?) async {
        guard let open else { return }
        let seconds = minutes.map { Double(min(1_440, max(1, $0)) * 60) }
        await outbox.add(.setPARTimer(incident: open.number, everySeconds: seconds))
    }

    /// Whether the report of a crew is overdue.
    private func isLate(_ crew: Incident.Round.Crew, _ round: Incident.Round?) -> Bool {
        crew.present == nil && (crew.dueAt ?? round?.dueAt).map { $0 < wording.now } ?? false
    }

    func parText(of crew: Incident.Round.Crew, _ round: Incident.Round?) -> String {
        guard let present = crew.present else {
            return words.text(isLate(crew, round) ? .incidentParCrewOverdue : .incidentParCrewWaits)
        }
        let told: KeyValuePairs = [
            "count": String(present), "time": wording.minute(crew.reportedAt), "name": wording.called(crew.reportedBy),
        ]
        if present < crew.people { return words.text(.incidentParCrewShort, told) }
        return words.text(present > crew.people ? .incidentParCrewMore : .incidentParCrewWhole, told)
    }
}
