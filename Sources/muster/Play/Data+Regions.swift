import Foundation
import MusterCore
import MusterSimulator
import MusterWire

extension Data {
    /// Writes the sites of a simulated town as a GeoJSON FeatureCollection.
    init(regions sites: [DemoTown.Site]) {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("type", "FeatureCollection")
        writer.key("features")
        writer.beginArray()
        for (index, site) in sites.enumerated() {
            writer.feature(
                Region(
                    number: RegionNumber(Int32(index + 1)), collection: CollectionNumber(1), id: site.id,
                    name: site.name, shape: site.shape, isMuster: site.isMuster))
        }
        writer.endArray()
        writer.endObject()
        self.init(writer.takeBytes())
    }
}
