import Foundation
import MusterCore
import MusterGeometry
import MusterSimulator
import MusterWire

/// Regions as a GeoJSON document to post.
struct RegionDocument {
    let text: Data

    /// The sites of a simulated town.
    init(_ sites: [DemoTown.Site]) {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("type")
        writer.value("FeatureCollection")
        writer.key("features")
        writer.beginArray()
        for site in sites { writer.feature(of: site) }
        writer.endArray()
        writer.endObject()
        text = Data(writer.takeBytes())
    }
}

extension JSONWriter {
    fileprivate mutating func feature(of site: DemoTown.Site) {
        beginObject()
        key("type")
        value("Feature")
        key("id")
        value(site.id)
        key("properties")
        beginObject()
        key("name")
        value(site.name)
        key("muster")
        value(site.isMuster)
        if case .circle(let circle) = site.shape {
            key("radius")
            value(circle.radius.value)
        }
        endObject()
        key("geometry")
        geometry(of: site.shape)
        endObject()
    }

    private mutating func geometry(of shape: Shape) {
        beginObject()
        key("type")
        switch shape {
        case .polygon(let polygon):
            value("Polygon")
            key("coordinates")
            rings(of: polygon)
        case .multiPolygon(let polygons):
            value("MultiPolygon")
            key("coordinates")
            beginArray()
            for polygon in polygons { rings(of: polygon) }
            endArray()
        case .circle(let circle):
            value("Point")
            key("coordinates")
            place(circle.centre)
        }
        endObject()
    }

    private mutating func rings(of polygon: Polygon) {
        beginArray()
        for ring in [polygon.exterior] + polygon.holes {
            beginArray()
            for corner in ring { place(corner) }
            endArray()
        }
        endArray()
    }

    private mutating func place(_ coordinate: Coordinate) {
        beginArray()
        value(coordinate.longitude)
        value(coordinate.latitude)
        endArray()
    }
}
