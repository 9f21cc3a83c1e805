import Foundation

/// The head lines of an incident, and its roll by crew.
extension IncidentModel {
    /// The `id` of the visitors among the crews. No crew has such a name, because none begins with a space.
    static let visitorsID: Crew.ID = " visitors"

    func crewName(of row: Incident.Round.Crew) -> String {
        crewTitle(row.visitors == true ? Self.visitorsID : row.name ?? "")
    }

    private func crewTitle(_ id: Crew.ID) -> String {
        if id == Self.visitorsID { return words.text(.incidentVisitors) }
        return id.isEmpty ? words.text(.incidentNoCrew) : wording.legible(id)
    }

    func tally(_ counts: Incident.Counts) -> String {
        words.listed([
            words.text(
                .tallyAccounted, ["accounted": String(counts.accounted), "people": String(counts.people)]),
            counts.checking > 0 ? words.text(.tallyChecking, count: counts.checking) : "",
            words.text(.tallyUnaccounted, count: counts.unaccounted),
        ])
    }

    func card(of incident: Incident) -> Card {
        let counts = follower.state.tally(of: incident.team)
        let isWhole = counts.people > 0 && counts.accounted == counts.people
        let end = isWhole ? incident.allAccountedAt ?? wording.now : wording.now
        let seconds = incident.calledAt.map { end.timeIntervalSince($0) } ?? 0
        let called: KeyValuePairs = [
            "time": wording.clock(incident.startedAt), "name": wording.called(incident.startedBy),
        ]
        let led = incident.leader.map { words.text(.incidentLedBy, ["name": wording.called($0)]) }
        let what = words.text(incident.isDrill ? .incidentIsDrill : .callReal)
        let asOf = follower.isLive ? nil : follower.state.heardAt
        func tile(_ kind: CountTile.Kind, _ key: Word, _ count: Int) -> CountTile {
            CountTile(id: kind, title: words.text(key), count: count)
        }
        return Card(
            id: incident.number, isDrill: incident.isDrill,
            title: words.listed([what, wording.legible(incident.team)]),
            lines: [words.text(.incidentCalled, called), led ?? words.text(.incidentLedByNobody)],
            note: wording.legible(incident.note), musterTime: wording.stopwatch(seconds),
            musterTimeTitle: isWhole
                ? words.text(.incidentWhole, ["time": wording.clock(incident.allAccountedAt)])
                : words.text(.incidentRuns),
            counts: [
                tile(.accounted, .incidentCountAccounted, counts.accounted),
                tile(.checking, .incidentCountChecking, counts.checking),
                tile(.unaccounted, .incidentCountUnaccounted, counts.unaccounted),
                tile(.people, .incidentCountPeople, counts.people),
            ], tally: tally(counts), isWhole: isWhole,
            asOfText: asOf.map { words.text(.incidentAsOf, ["time": wording.clock($0)]) })
    }

    func crews(of incident: Incident, people: [Person]) -> [Crew] {
        let listed = people.filter { $0.team == incident.team }
        let byCrew = Dictionary(grouping: listed) { person in
            person.roll?.kind == .visitor ? Self.visitorsID : person.crew ?? ""
        }
        // Those in no crew come after the crews, and the visitors after them.
        func place(_ id: Crew.ID) -> Int { id == Self.visitorsID ? 2 : id.isEmpty ? 1 : 0 }
        return byCrew.sorted { (place($0.key), $0.key) < (place($1.key), $1.key) }.map { name, people in
            var counts = Incident.Counts()
            var rows: [Row] = []
            for person in people {
                let isTakenOff = person.roll?.takenOff != nil
                let kind: CountTile.Kind =
                    person.isAccounted ? .accounted : person.isChecking ? .checking : .unaccounted
                if !isTakenOff {
                    counts.people += 1
                    counts.accounted += kind == .accounted ? 1 : 0
                    counts.checking += kind == .checking ? 1 : 0
                    counts.unaccounted += kind == .unaccounted ? 1 : 0
                }
                if onlyWaiting, isTakenOff || kind == .accounted { continue }
                rows.append(
                    Row(
                        id: person.user, row: RosterModel.row(of: person, person.shown(showsSafety: true), wording),
                        count: kind, isTakenOff: isTakenOff,
                        callSeen: PersonWords(wording: wording).callSeen(person)))
            }
            let round = incident.par?.crews.first { row in
                (row.visitors == true) == (name == Self.visitorsID) && (row.visitors == true || row.name ?? "" == name)
            }
            return Crew(
                id: name, title: crewTitle(name), tally: tally(counts),
                par: round.map { parText(of: $0, incident.par) } ?? "",
                isParDue: round.map { $0.present == nil } ?? false, people: counts.people, rows: rows)
        }
    }
}
