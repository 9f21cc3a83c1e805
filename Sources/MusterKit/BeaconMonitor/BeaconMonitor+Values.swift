public import Foundation
public import MusterCore
import MusterWire

/// The values that a monitor of beacons delivers.
extension BeaconMonitor {
    /// An event of a monitor: a change of a region's state, for example, or that it hears nothing.
    public enum Event: Hashable, Sendable {
        /// The device entered a region.
        case entered(RegionState)
        /// The device left a region.
        case left(RegionState)
        /// The device has been inside for as long as the region's dwell time.
        case stayed(RegionState)
        /// The device's state in a region became unknown, because the device heard nothing at all for two minutes, or
        /// could not listen. This is not an exit.
        case unknown(RegionState)
        /// The state of a region: the answer to `requestState`, or sent when the device is found inside again after its
        /// state was unknown.
        case state(RegionState)
        /// The stored evidence from before this start could not be read. All regions are unknown until the device hears
        /// their beacons, or has listened for them.
        case forgotten
        /// The server stored this many more of this device's sightings.
        case sent(count: Int)
        /// The source hears nothing for now.
        case unavailable(reason: String)
        /// The store was full of sightings that the server has not received. The oldest of them, this many, were
        /// removed.
        case dropped(sightings: Int)
        /// An attempt to store or to send failed and will be repeated, or the source broke and the stream ends.
        case failed(MusterError)
    }

    /// The state of a device in a beacon region.
    public struct RegionState: Hashable, Sendable, Identifiable {
        /// The region's name.
        public var region: RegionWatch.Name
        /// The title that the app shows to a person.
        public var title: String
        /// Whether it is a muster region: a person inside it is safe.
        public var isMuster: Bool
        /// Whether the device is inside. A region where the device was never heard is `.unknown` until the device has
        /// listened for half a minute, and then `.outside`.
        public var standing: Muster.Standing
        /// The probability, per cent, that the device is inside; nil in doubt.
        public var insidePercent: Int?
        /// The time since which `standing` has held; nil where the device was not heard.
        public var since: Date?
        /// The distance to the nearest of the region's beacons as one of four classes.
        public var proximity: Sighting.Proximity
        /// The distance in metres that follows from the filtered signal. Indoors it may be wrong by half.
        public var distanceMetres: Double?
        /// When the device last heard the region's beacons at the proximity that the region requires; nil if never.
        public var lastHeard: Date?

        /// The region's name.
        public var id: RegionWatch.Name { region }
        /// The time of the event that carries this state; nil outside of an event.
        public internal(set) var time: Date?

        init(
            region: RegionWatch.Name, title: String, isMuster: Bool, standing: Muster.Standing, insidePercent: Int?,
            since: Date?, proximity: Sighting.Proximity, distanceMetres: Double?, lastHeard: Date?
        ) {
            self.region = region
            self.title = title
            self.isMuster = isMuster
            self.standing = standing
            self.insidePercent = insidePercent
            self.since = since
            self.proximity = proximity
            self.distanceMetres = distanceMetres
            self.lastHeard = lastHeard
        }
    }

    /// A beacon region that the app defines itself, without a server.
    public struct Region: Hashable, Sendable {
        /// The id, unique among the regions of the app.
        public var id: String
        /// The title that the app shows to a person; nil for the id.
        public var title: String?
        /// The beacons whose sightings make the device be inside.
        public var identity: BeaconIdentity
        /// How near the device must be; `.unknown` and `.far` for as far as a beacon is heard.
        public var proximity: Sighting.Proximity
        /// The place of the beacon; nil for a region without one.
        public var location: Muster.Location?
        /// How far from the place the beacon is heard, metres.
        public var radiusMetres: Double

        /// Creates a region. By default, its beacons count at any distance at which they are heard, and it has no
        /// place.
        public init(
            _ id: String, title: String? = nil, identity: BeaconIdentity, proximity: Sighting.Proximity = .far,
            location: Muster.Location? = nil, radiusMetres: Double = 20
        ) {
            self.id = id
            self.title = title
            self.identity = identity
            self.proximity = proximity
            self.location = location
            self.radiusMetres = radiusMetres
        }
    }
}

extension BeaconMonitor.Region {
    /// The name of the collection that holds regions defined by the app.
    static let collection = "app"

    /// Returns the regions in the form in which a server sends them.
    static func snapshot(_ regions: [Self]) -> RegionSnapshot {
        let page = JSONWriter.object { writer in
            writer.member("type", "FeatureCollection")
            writer.key("features")
            writer.beginArray()
            for region in regions { region.write(to: &writer) }
            writer.endArray()
        }
        return RegionSnapshot(
            team: .init(silenceSeconds: 1_200, filter: "none", links: [collection]),
            collections: [
                .init(name: collection, policy: "confident", pages: [String(decoding: page, as: UTF8.self)])
            ])
    }

    private func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("type", "Feature")
        writer.member("id", id)
        writer.key("geometry")
        if let location {
            writer.beginObject()
            writer.member("type", "Point")
            writer.key("coordinates")
            writer.beginArray()
            writer.value(location.longitude)
            writer.value(location.latitude)
            writer.endArray()
            writer.endObject()
        } else {
            writer.null()
        }
        writer.key("properties")
        writer.beginObject()
        if let title { writer.member("name", title) }
        if location != nil { writer.member("radius", radiusMetres) }
        writer.key("beacon")
        writer.beginObject()
        writer.member("uuid", identity.uuid.description)
        if let major = identity.major { writer.member("major", major) }
        if identity.major != nil, let minor = identity.minor { writer.member("minor", minor) }
        if proximity == .immediate || proximity == .near {
            writer.member("proximity", proximity.wireName.description)
        }
        writer.endObject()
        writer.endObject()
        writer.endObject()
    }
}
