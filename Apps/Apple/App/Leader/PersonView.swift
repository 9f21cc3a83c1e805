import CoreLocation
import MapKit
import MusterApp
import SwiftUI

/// One person: state, place and way, what a leader can do, and what was said.
struct PersonView: View {
    let person: PersonModel
    @State private var camera = MapCameraPosition.automatic

    var body: some View {
        List {
            Section {
                HStack {
                    StateMark(state: person.state).font(.largeTitle)
                    VStack(alignment: .leading) { TextLines(person.lines) }
                }
                .accessibilityElement(children: .combine)
                if let url = person.callURL { Link(person.callTitle, destination: url) }
                TextLines([person.askedText ?? "", person.problem ?? ""])
            }
            if let place = person.place {
                Section {
                    Map(position: $camera) {
                        MapPolyline(coordinates: person.track.map(\.coordinate)).stroke(.blue, lineWidth: 3)
                        MapCircle(center: place.coordinate, radius: place.accuracyMetres ?? 0)
                            .foregroundStyle(person.state.color.opacity(0.15))
                        Annotation(person.name, coordinate: place.coordinate) {
                            StateMark(state: person.state).font(.title)
                        }
                    }
                    .frame(height: 260)
                    .accessibilityHidden(true)
                }
            }
            Section {
                ForEach(person.actions) { action in PersonActionButton(action: action, person: person) }
            }
            Section(person.historyTitle) {
                if person.isLoading { ProgressView() }
                TextLines(person.history)
            }
        }
        .navigationTitle(person.name)
        .task {
            await person.load()
            await person.loadAnswer()
        }
        .refreshable {
            await person.load()
            await person.loadAnswer()
        }
    }
}

/// Something that a leader can do with a person.
struct PersonActionButton: View {
    let action: PersonModel.Action
    let person: PersonModel

    var body: some View {
        if let question = action.question {
            QuestionButton(action.title, action.id.symbol, question) { note in await person.act(action.id, note: note) }
        } else {
            ActionButton(action.title, action.id.symbol) { await person.act(action.id) }
        }
    }
}

extension PersonModel.Action.Kind {
    /// The symbol of SF Symbols.
    fileprivate var symbol: String {
        switch self {
        case .acknowledge: "ear"
        case .markSafe: "checkmark.circle"
        case .markOffSite: "moon.circle"
        case .markNeedsHelp: "hand.raised.circle"
        case .clear: "arrow.uturn.backward.circle"
        case .checkIn: "phone.circle"
        case .takeOff: "person.badge.minus"
        case .askWhere: "location.circle"
        }
    }
}

extension PersonModel.TrackPoint {
    /// The place on Apple's map.
    fileprivate var coordinate: CLLocationCoordinate2D {
        CLLocationCoordinate2D(latitude: latitude, longitude: longitude)
    }
}
