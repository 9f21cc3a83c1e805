public import MusterCore
public import MusterGeometry

/// The values in which a watch reports its state and its changes.
extension RegionWatch {
    /// The name of a region: its collection and its id there.
    public struct Name: Codable, Hashable, Sendable {
        /// The collection's name.
        public var collection: String
        /// The region's id in it.
        public var id: String

        /// Makes a name; it need not be that of an existing region.
        public init(collection: String, id: String) {
            self.collection = collection
            self.id = id
        }
    }

    /// An enter, exit, dwell or pass event that the device decided.
    public struct DeviceCrossing: Hashable, Sendable {
        /// The region's name.
        public var region: Name
        /// The kind of event.
        public var kind: Kind
        /// The sample time of the fix that decided it.
        public var sampleTime: Instant
        /// The probability, per cent, that the device was inside at that time; nil under the raw policy, which computes
        /// none.
        public var insidePercent: UInt8?

        /// The kinds of events between a device and a region.
        public typealias Kind = MusterCore.Crossing.Kind

        init(_ crossing: MusterCore.Crossing, of region: Name) {
            self.region = region
            kind = crossing.kind
            sampleTime = crossing.sampleTime
            insidePercent = crossing.insidePercent
        }
    }

    /// Whether the device is inside a region, and with what probability.
    public struct DevicePresence: Hashable, Sendable {
        /// The region's name.
        public var region: Name
        /// Whether the device is inside.
        public var standing: Standing
        /// The probability, per cent, that the device is inside; nil in doubt, and under the raw policy.
        public var insidePercent: UInt8?
        /// Why `standing` is uncertain; nil if it is certain.
        public var doubt: Doubt?
        /// The time since which `standing` has been the more probable one.
        public var since: Instant
        /// The sample time of the newest fix that `standing` follows from.
        public var sampleTime: Instant

        /// Inside, outside or unknown.
        public typealias Standing = MusterCore.Standing
    }

    /// Whether the person is safe, by this device's evaluation. Declarations by people, such as an SOS, are known to
    /// the server only.
    public struct DeviceSafety: Hashable, Sendable {
        /// `safe`, `unsafe` or `unknown`.
        public var state: State
        /// The time since which `state` has held.
        public var since: Instant
        /// The muster region that the person is inside; nil unless `state` is `.safe`.
        public var region: Name?

        /// Whether a person is safe.
        public typealias State = MusterCore.Safety.State
    }

    /// An incident of the person's team.
    public struct Incident: Codable, Hashable, Sendable {
        /// The incident's number in the server's log.
        public var number: Int64
        /// Whether it is an exercise and not an emergency.
        public var isDrill: Bool
        /// The reason that the leader entered.
        public var note: String?
    }

    /// A region in which people are safe.
    public struct MusterRegion: Hashable, Sendable {
        /// The region's name.
        public var region: Name
        /// The title that the app shows to a person.
        public var title: String
        /// The distance to its boundary, metres along the geodesic; 0 inside.
        public var distance: Metres
    }

    /// The regions in which the server's evaluation differs from the device's.
    public struct Difference: Hashable, Sendable {
        /// Regions that the device is inside of by the server's evaluation, and not by its own.
        public var inside: Set<Name>
        /// Regions that the device is inside of by its own evaluation, and not by the server's.
        public var outside: Set<Name>
    }

    /// An event of the watch.
    package enum News: Hashable, Sendable {
        case crossed(DeviceCrossing)
        case reconciled(Difference)
        case safety(DeviceSafety)
        case incident(Incident?)
    }
}

extension RegionWatch.Name: Comparable {
    /// Orders by collection, then by id.
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
