import Foundation
import MusterCore
import MusterGeometry
import MusterWire

/// Simulated regions as the GeoJSON that a client sends.
extension Data {
    /// Writes regions as a GeoJSON FeatureCollection.
    init(regions: [Region]) {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("type", "FeatureCollection")
        writer.key("features")
        writer.beginArray()
        for region in regions { writer.feature(region) }
        writer.endArray()
        writer.endObject()
        self.init(writer.takeBytes())
    }
}

extension Region {
    /// Creates a region to be sent to a server, which assigns it a number and a collection.
    init(toSend id: String, name: String, shape: Shape, beacon: BeaconArea? = nil, isMuster: Bool = false) {
        self.init(
            number: RegionNumber(1), collection: CollectionNumber(1), id: id, name: name, shape: shape, beacon: beacon,
            isMuster: isMuster)
    }
}
