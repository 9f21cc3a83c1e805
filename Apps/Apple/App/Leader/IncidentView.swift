import MusterApp
import SwiftUI

/// The incident of the team: starting one, its roll by crew, PAR, visitors, all clear.
struct IncidentView: View {
    @Bindable var incident: IncidentModel

    var body: some View {
        List {
            if let text = incident.noneText { Text(text) }
            if let card = incident.card { IncidentHead(card: card, incident: incident) }
            StartSection(incident: incident)
            Section {
                ForEach(incident.orders) { line in DeliveryRow(line: line) }
                TextLines([incident.problem ?? ""])
            }
            if incident.card != nil {
                ParSection(incident: incident)
                Section(incident.rollTitle) { Toggle(incident.onlyWaitingTitle, isOn: $incident.onlyWaiting) }
                ForEach(incident.crews) { crew in CrewSection(crew: crew, incident: incident) }
                VisitorSection(incident: incident)
                HandOverSection(incident: incident)
            }
            PastSection(incident: incident)
        }
    }
}

/// The open incident in its head lines.
struct IncidentHead: View {
    let card: IncidentModel.Card
    let incident: IncidentModel

    var body: some View {
        Section {
            VStack(alignment: .leading, spacing: 6) {
                Text(card.title).font(.title).fontWeight(.bold)
                TextLines(card.lines + [card.note])
                LabeledContent(card.musterTimeTitle, value: card.musterTime).font(.title3)
                HStack(alignment: .top) {
                    ForEach(card.counts) { tile in
                        VStack {
                            Text("\(tile.count)").font(.title).fontWeight(.bold).foregroundStyle(tile.id.color)
                            Text(tile.title).font(.caption).multilineTextAlignment(.center)
                        }
                        .frame(maxWidth: .infinity)
                        .accessibilityElement(children: .combine)
                    }
                }
                Text(card.tally)
                TextLines([card.asOfText ?? ""])
            }
            QuestionButton(incident.allClearTitle, "checkmark.seal", incident.allClearQuestion) { reason in
                await incident.allClear(reason: reason)
            }
        }
    }
}

/// The two buttons that call a team.
struct StartSection: View {
    @Bindable var incident: IncidentModel

    var body: some View {
        Section {
            ForEach(incident.teamChoices, id: \.self) { team in
                Button(team, systemImage: incident.chosenTeam == team ? "largecircle.fill.circle" : "circle") {
                    incident.chosenTeam = team
                }
            }
            QuestionButton(
                incident.evacuateTitle, "figure.walk.departure", incident.startQuestion(isDrill: false)
            ) { note in await incident.start(isDrill: false, note: note) }
            QuestionButton(incident.drillTitle, "figure.walk", incident.startQuestion(isDrill: true)) { note in
                await incident.start(isDrill: true, note: note)
            }
        }
    }
}

/// The accounting of the crews (PAR).
struct ParSection: View {
    let incident: IncidentModel

    var body: some View {
        Section(incident.parTitle) {
            TextLines([incident.parText ?? ""])
            ActionButton(incident.requestPARTitle, "person.3.sequence") { await incident.requestPAR() }
            Menu(incident.parIntervalTitle, systemImage: "timer") {
                ForEach(incident.parIntervals) { interval in
                    Button(
                        interval.title, systemImage: interval.isChosen ? "largecircle.fill.circle" : "circle"
                    ) { Task { await incident.setPARTimer(everyMinutes: interval.minutes) } }
                }
            }
        }
    }
}

/// A crew with its people.
struct CrewSection: View {
    let crew: IncidentModel.Crew
    let incident: IncidentModel
    @State private var present = 0
    @State private var isFewer = false

    var body: some View {
        Section {
            TextLines([crew.par])
            if crew.isParDue {
                ActionButton(incident.completeTitle, "checkmark.circle") {
                    await incident.reportPAR(crew.id, present: crew.people)
                }
                Button(incident.fewerTitle, systemImage: "person.badge.minus") { isFewer = true }
            }
            ForEach(crew.rows) { row in
                NavigationLink(value: Navigation.Route.person(row.id)) { RollRow(row: row) }
            }
        } header: {
            Text(crew.title)
        } footer: {
            Text(crew.tally)
        }
        .sheet(isPresented: $isFewer) {
            NavigationStack {
                Form {
                    Picker(incident.presentTitle, selection: $present) {
                        ForEach(0..<max(1, crew.people), id: \.self) { count in Text("\(count)").tag(count) }
                    }
                    ActionButton(incident.fewerTitle, "paperplane") {
                        await incident.reportPAR(crew.id, present: present)
                        isFewer = false
                    }
                }
                .navigationTitle(crew.title)
            }
        }
    }
}

/// A person on the roll.
struct RollRow: View {
    let row: IncidentModel.Row

    var body: some View {
        VStack(alignment: .leading) {
            RosterRow(row: row.row)
            TextLines([row.callSeen]).font(.footnote)
        }
        .opacity(row.isTakenOff ? 0.5 : 1)
    }
}

/// The form for a visitor.
struct VisitorSection: View {
    let incident: IncidentModel
    @State private var name = ""
    @State private var state = "unaccounted"
    @State private var note = ""

    var body: some View {
        Section(incident.visitorTitle) {
            TextField(incident.visitorNameTitle, text: $name)
            Picker(incident.visitorStateTitle, selection: $state) {
                ForEach(incident.visitorStates) { state in Text(state.title).tag(state.id) }
            }
            TextField(incident.visitorNoteTitle, text: $note)
            ActionButton(incident.visitorAddTitle, "person.badge.plus") {
                await incident.addVisitor(name, state: state, note: note)
                (name, note) = ("", "")
            }
            .disabled(name.isEmpty)
        }
    }
}

/// Handing the lead over.
struct HandOverSection: View {
    let incident: IncidentModel
    @State private var user = ""

    var body: some View {
        Section(incident.handOverTitle) {
            TextField(incident.handOverNameTitle, text: $user).textInputAutocapitalization(.never)
                .autocorrectionDisabled()
            ActionButton(incident.handOverTitle, "arrow.right.circle") {
                await incident.handOver(to: user, note: "")
                user = ""
            }
            .disabled(user.isEmpty)
        }
    }
}

/// The incidents that are over.
struct PastSection: View {
    let incident: IncidentModel

    var body: some View {
        Section(incident.pastTitle) {
            ForEach(incident.pastIncidents) { past in
                NavigationLink(value: Navigation.Route.incident(past.id)) {
                    VStack(alignment: .leading) {
                        Text(past.title)
                        Text(past.text).font(.footnote).foregroundStyle(.secondary)
                    }
                }
            }
        }
    }
}

/// The roll of an incident that is over.
struct PastIncidentView: View {
    let incident: IncidentModel
    let number: Int64

    var body: some View {
        List {
            TextLines([incident.problem ?? ""])
            if incident.mayReopen(number) {
                QuestionButton(incident.reopenTitle, "arrow.uturn.backward", incident.reopenQuestion) { reason in
                    await incident.reopen(number, reason: reason)
                }
            }
            ForEach(incident.pastCrews(of: number)) { crew in
                Section {
                    ForEach(crew.rows) { row in RollRow(row: row) }
                } header: {
                    Text(crew.title)
                } footer: {
                    Text(crew.tally)
                }
            }
        }
        .task { await incident.loadPast(number) }
    }
}

extension IncidentModel.CountTile.Kind {
    /// The colour; the title says the same without it.
    fileprivate var color: Color {
        switch self {
        case .accounted: .green
        case .checking: .orange
        case .unaccounted: .red
        case .people: .primary
        }
    }
}
