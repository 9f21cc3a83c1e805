public import MusterCore
public import MusterGeometry

extension RegionWatch {
    /// A region, by the names that the server gave it.
    public struct Name: Codable, Hashable, Sendable {
        /// The collection's name.
        public var collection: String
        /// The region's id in it.
        public var id: String

        /// The region that has this id in the collection of this name.
        public init(collection: String, id: String) {
            self.collection = collection
            self.id = id
        }
    }

    /// A boundary that was crossed, or a stay that has become long.
    public struct DeviceCrossing: Hashable, Sendable {
        /// Which region.
        public var region: Name
        /// What happened.
        public var kind: Crossing.Kind
        /// When: the sample time of the fix that decided it.
        public var sampleTime: Instant
        /// How probable it then was that the device was inside, per cent; nil under the raw policy, which does not ask.
        public var insidePercent: UInt8?

        init(_ crossing: Crossing, of region: Name) {
            self.region = region
            kind = crossing.kind
            sampleTime = crossing.sampleTime
            insidePercent = crossing.insidePercent
        }
    }

    /// How the device stands to a region, and how sure that is.
    public struct DevicePresence: Hashable, Sendable {
        /// Which region.
        public var region: Name
        /// How it stands.
        public var standing: Standing
        /// How probable it is that the device is inside, per cent; nil in doubt, and under the raw policy.
        public var insidePercent: UInt8?
        /// Why the standing is not to be relied on.
        public var doubt: Doubt?
        /// Since when it has been more probable than not.
        public var since: Instant
        /// The sample time of the fix that this follows from.
        public var sampleTime: Instant
    }

    /// How the person is, as far as the device can tell. What people declare, an SOS or that someone is safe, is the
    /// server's alone.
    public struct DeviceSafety: Hashable, Sendable {
        /// How: `safe`, `unsafe` or `unknown`.
        public var state: Safety.State
        /// Since when.
        public var since: Instant
        /// The muster region that makes them safe.
        public var region: Name?
    }

    /// An incident of the person's team.
    public struct Incident: Codable, Hashable, Sendable {
        /// Its number.
        public var number: Int64
        /// Whether it is only an exercise.
        public var isDrill: Bool
        /// Why, in a person's words.
        public var note: String?
    }

    /// A region where people are safe.
    public struct MusterRegion: Hashable, Sendable {
        /// Which region.
        public var region: Name
        /// What a person reads.
        public var title: String
        /// How far it is, in a straight line; 0 inside.
        public var distance: Metres
    }

    /// Where the server's verdict is another than the device's.
    public struct Difference: Hashable, Sendable {
        /// What the server says the device is inside of, and the device did not think so.
        public var inside: Set<Name>
        /// What the device thought it is inside of, and the server says it is not.
        public var outside: Set<Name>
    }

    /// What there is to tell of regions.
    package enum News: Hashable, Sendable {
        case crossed(DeviceCrossing)
        case reconciled(Difference)
        case safety(DeviceSafety)
        case incident(Incident?)
    }
}

extension RegionWatch.Name: Comparable {
    /// By collection, then by id.
    public static func < (left: Self, right: Self) -> Bool {
        (left.collection, left.id) < (right.collection, right.id)
    }
}

extension RegionWatch.DevicePresence {
    init(_ report: PresenceReport, of region: RegionWatch.Name) {
        self.init(
            region: region, standing: report.standing, insidePercent: report.insidePercent, doubt: report.doubt,
            since: report.since, sampleTime: report.sampleTime)
    }
}
