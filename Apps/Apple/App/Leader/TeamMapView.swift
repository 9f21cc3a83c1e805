import CoreLocation
import MapKit
import MusterApp
import SwiftUI

/// The map of people and regions. The model makes clusters, and says which places are old or wild; those are drawn
/// apart.
struct TeamMapView: View {
    let map: MapModel
    let title: String
    @State private var camera = MapCameraPosition.automatic
    @State private var box: MapModel.Box?

    var body: some View {
        Map(position: $camera) {
            UserAnnotation()
            ForEach(map.areas) { area in
                ForEach(area.shapes) { shape in
                    MapPolygon(shape.polygon)
                        .foregroundStyle(area.color.opacity(0.2))
                        .stroke(area.color, lineWidth: 2)
                }
            }
            MapPolyline(coordinates: map.wayLine.map(\.coordinate)).stroke(.blue, lineWidth: 3)
            ForEach(marks) { mark in
                MapCircle(center: mark.place.coordinate, radius: mark.accuracyMetres ?? 0)
                    .foregroundStyle(mark.state.color.opacity(0.12))
            }
            ForEach(marks) { mark in
                Annotation(mark.title, coordinate: mark.place.coordinate) { MarkView(mark: mark) }
            }
        }
        .mapControls {
            MapUserLocationButton()
            MapCompass()
            MapScaleView()
        }
        .onMapCameraChange { context in box = MapModel.Box(context.region) }
        .accessibilityLabel(map.label)
        .navigationTitle(title)
        .navigationBarTitleDisplayMode(.inline)
        .onAppear { if box == nil, let whole = map.whole { camera = .region(MKCoordinateRegion(whole)) } }
    }

    private var marks: [MapModel.Mark] { (box ?? map.whole).map { map.marks(in: $0) } ?? [] }
}

/// A person on the map, or several. An old place is faint, a wild one has a dashed mark.
struct MarkView: View {
    let mark: MapModel.Mark

    var body: some View {
        ZStack {
            Circle().fill(.background).frame(width: 34, height: 34)
            Image(systemName: mark.isWild ? "questionmark.diamond" : mark.state.symbol).font(.title2)
                .foregroundStyle(mark.state.color)
        }
        .overlay(alignment: .bottom) {
            if mark.count > 1 {
                Text("\(mark.count)").font(.caption).fontWeight(.bold).padding(3)
                    .background(.thinMaterial, in: Capsule())
            }
        }
        .opacity(mark.isOld ? 0.45 : 1)
        .accessibilityElement(children: .ignore)
        .accessibilityLabel(mark.spoken)
    }
}

extension MapModel.Place {
    /// The place on Apple's map.
    var coordinate: CLLocationCoordinate2D { CLLocationCoordinate2D(latitude: latitude, longitude: longitude) }
}

extension MapModel.Area {
    /// One outline of a region as Apple's map draws it.
    struct Shape: Identifiable {
        let id: Int
        let polygon: MKPolygon
    }

    /// The outlines with their holes.
    var shapes: [Shape] {
        outlines.enumerated().map { index, outline in
            let holes = outline.holes.map { hole in
                let points = hole.map(\.coordinate)
                return MKPolygon(coordinates: points, count: points.count)
            }
            let points = outline.exterior.map(\.coordinate)
            return Shape(
                id: index, polygon: MKPolygon(coordinates: points, count: points.count, interiorPolygons: holes))
        }
    }

    /// Green for assembly points.
    var color: Color { isMuster ? .green : .blue }
}

extension MapModel.Box {
    /// The box of a part of Apple's map.
    init(_ region: MKCoordinateRegion) {
        let (north, south) = (region.span.latitudeDelta / 2, -region.span.latitudeDelta / 2)
        func wrapped(_ degrees: Double) -> Double { (degrees + 540).truncatingRemainder(dividingBy: 360) - 180 }
        let half = region.span.longitudeDelta / 2
        self.init(
            south: region.center.latitude + south, west: wrapped(region.center.longitude - half),
            north: region.center.latitude + north, east: wrapped(region.center.longitude + half))
    }
}

extension MKCoordinateRegion {
    /// The part of Apple's map that holds a box, with a margin.
    init(_ box: MapModel.Box) {
        let width = box.west <= box.east ? box.east - box.west : box.east - box.west + 360
        self.init(
            center: CLLocationCoordinate2D(
                latitude: (box.south + box.north) / 2, longitude: box.west + width / 2),
            span: MKCoordinateSpan(
                latitudeDelta: min(170, max(0.002, (box.north - box.south) * 1.3)),
                longitudeDelta: min(350, max(0.002, width * 1.3))))
    }
}
