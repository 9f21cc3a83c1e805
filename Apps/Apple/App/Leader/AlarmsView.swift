import CoreLocation
import MapKit
import MusterApp
import SwiftUI

/// Who calls for help, over the whole screen, until a leader acknowledges each.
struct AlarmsView: View {
    let alarms: AlarmsModel

    var body: some View {
        NavigationStack {
            List {
                Text(alarms.explanation)
                ForEach(alarms.cards) { card in AlarmCard(card: card, alarms: alarms) }
            }
            .navigationTitle(alarms.title)
        }
        .interactiveDismissDisabled()
    }
}

/// Somebody who calls for help.
struct AlarmCard: View {
    let card: AlarmsModel.Card
    let alarms: AlarmsModel

    var body: some View {
        Section {
            HStack {
                StateMark(state: card.state).font(.largeTitle)
                VStack(alignment: .leading) {
                    Text(card.title).font(.title2).fontWeight(.bold)
                    TextLines([card.since, card.note, card.detail])
                }
            }
            .accessibilityElement(children: .combine)
            if let coordinate = card.coordinate {
                Map(position: .constant(.around(coordinate))) {
                    UserAnnotation()
                    Annotation(card.title, coordinate: coordinate) { StateMark(state: card.state).font(.title) }
                }
                .frame(height: 200)
                .accessibilityHidden(true)
            }
            if let url = card.callURL { Link(card.callTitle, destination: url) }
            ActionButton(card.acknowledgeTitle, "ear") { await alarms.acknowledge(card.id) }
                .buttonStyle(.borderedProminent).tint(.red).controlSize(.large)
        }
    }
}

extension MapCameraPosition {
    /// Some streets around a place.
    fileprivate static func around(_ place: CLLocationCoordinate2D) -> MapCameraPosition {
        .region(MKCoordinateRegion(center: place, latitudinalMeters: 600, longitudinalMeters: 600))
    }
}

extension AlarmsModel.Card {
    /// The place on Apple's map; nil if nobody knows it.
    fileprivate var coordinate: CLLocationCoordinate2D? {
        guard let latitude, let longitude else { return nil }
        return CLLocationCoordinate2D(latitude: latitude, longitude: longitude)
    }
}
