import MusterApp
import SwiftUI

/// The list of people, those first whom a leader must see first. Rows are worded as they come into sight.
struct RosterView: View {
    @Bindable var roster: RosterModel

    var body: some View {
        List {
            TextLines([roster.notLiveText ?? "", roster.emptyText ?? ""])
            TextLines(roster.leavingLines)
            Section {
                ForEach(roster.counts) { count in
                    Button {
                        roster.only = roster.only == count.state ? nil : count.state
                    } label: {
                        HStack {
                            StateMark(state: count.state)
                            Text(count.text)
                            Spacer()
                            if roster.only == count.state {
                                Image(systemName: "line.3.horizontal.decrease.circle.fill")
                            }
                        }
                    }
                    .accessibilityAddTraits(roster.only == count.state ? .isSelected : .isButton)
                }
            }
            Section {
                ForEach(0..<roster.count, id: \.self) { place in
                    if let row = roster.row(at: place) {
                        NavigationLink(value: Navigation.Route.person(row.id)) { RosterRow(row: row) }
                    }
                }
            }
        }
        .searchable(text: $roster.search, prompt: roster.searchTitle)
        .navigationTitle(roster.title)
        .toolbar {
            ToolbarItem(placement: .primaryAction) {
                Menu(roster.crew ?? roster.allCrewsTitle, systemImage: "person.2.badge.gearshape") {
                    Button(roster.allCrewsTitle) { roster.crew = nil }
                    ForEach(roster.crews, id: \.self) { crew in
                        Button(crew) { roster.crew = roster.crew == crew ? nil : crew }
                    }
                }
            }
        }
    }
}

/// A person in the list.
struct RosterRow: View {
    let row: RosterModel.Row

    var body: some View {
        HStack(alignment: .top, spacing: 12) {
            StateMark(state: row.state).font(.title2)
            VStack(alignment: .leading, spacing: 2) {
                HStack {
                    Text(row.name).font(.headline)
                    Spacer()
                    if row.isBatteryLow { Image(systemName: "battery.25percent").foregroundStyle(.red) }
                    Text(row.crew).font(.footnote).foregroundStyle(.secondary)
                }
                Text(row.stateText)
                TextLines([row.knownText, row.note])
                Text(row.detail).font(.footnote).foregroundStyle(.secondary)
            }
        }
        .accessibilityElement(children: .ignore)
        .accessibilityLabel(row.spoken)
    }
}
