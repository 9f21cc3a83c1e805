import CoreLocation
import MapKit
import MusterApp
import SwiftUI

/// The way to the nearest assembly point: an arrow, the distance, the others, and the map.
struct WayView: View {
    let way: WayModel
    @State private var camera = MapCameraPosition.userLocation(fallback: .automatic)

    var body: some View {
        List {
            if let text = way.nothingText { Text(text) }
            if let target = way.target {
                Section {
                    WayTarget(way: way, target: target)
                    Text(way.headingText).font(.footnote)
                    TextLines([way.accuracyText, way.oldText ?? ""])
                }
            }
            Section {
                Map(position: $camera) {
                    UserAnnotation()
                    ForEach(way.points) { point in
                        Annotation(point.name, coordinate: point.coordinate) { WayMark(standing: point.standing) }
                    }
                }
                .mapControls {
                    MapUserLocationButton()
                    MapCompass()
                    MapScaleView()
                }
                .frame(height: 260)
                // The list says the same in words.
                .accessibilityHidden(true)
            }
            Section(way.othersTitle) {
                if way.isChosen {
                    Button(way.nearestTitle, systemImage: "location.north.line") { way.showNearest() }
                }
                ForEach(way.points) { point in
                    Button {
                        way.choose(point.id)
                    } label: {
                        HStack {
                            WayMark(standing: point.standing)
                            VStack(alignment: .leading) {
                                Text(point.name)
                                Text(point.distanceText).font(.footnote).foregroundStyle(.secondary)
                                Text(point.directionText).font(.footnote).foregroundStyle(.secondary)
                            }
                        }
                        .accessibilityElement(children: .combine)
                    }
                }
            }
        }
        .navigationTitle(way.title)
    }
}

/// The arrow to a point, and how far it is.
struct WayTarget: View {
    let way: WayModel
    let target: WayModel.Point

    var body: some View {
        HStack(spacing: 16) {
            if let degrees = way.arrowDegrees {
                Image(systemName: "location.north.fill").font(.largeTitle).rotationEffect(.degrees(degrees))
                    .accessibilityHidden(true)
            }
            VStack(alignment: .leading) {
                Text(target.name).font(.headline)
                Text(target.distanceText).font(.title2).fontWeight(.bold)
                Text(target.directionText)
                Text(target.standingText)
            }
        }
        .accessibilityElement(children: .combine)
        .accessibilityAddTraits(.updatesFrequently)
    }
}

/// The mark of an assembly point by how the person stands to it.
struct WayMark: View {
    let standing: WayModel.Standing

    var body: some View {
        Image(systemName: symbol).foregroundStyle(.tint).accessibilityHidden(true)
    }

    private var symbol: String {
        switch standing {
        case .inside: "figure.stand.circle.fill"
        case .edge, .near: "figure.stand.circle"
        case .byBeacon: "antenna.radiowaves.left.and.right.circle"
        case .away, .unknown: "mappin.circle.fill"
        }
    }
}

extension WayModel.Point {
    /// Its place on Apple's map.
    var coordinate: CLLocationCoordinate2D { CLLocationCoordinate2D(latitude: latitude, longitude: longitude) }
}
