public import Foundation
public import MusterCore
import MusterGeometry

/// The values that an app passes to a `Muster` and receives from it.
extension Muster {
    /// The position of a device at a time.
    public struct Location: Hashable, Sendable {
        /// Degrees, north positive.
        public var latitude: Double
        /// Degrees, east positive.
        public var longitude: Double
        /// When the device was there.
        public var time: Date
        /// The radius within which the device is with a probability of 68 %; nil if unknown.
        public var accuracyMetres: Double?
        /// Metres above the ellipsoid; nil if unknown.
        public var altitudeMetres: Double?
        /// Speed over ground; nil if unknown.
        public var speedMetresPerSecond: Double?
        /// Course over ground, degrees clockwise from north; nil if unknown.
        public var headingDegrees: Double?

        /// A location on WGS 84.
        public init(
            latitude: Double, longitude: Double, time: Date, accuracyMetres: Double? = nil,
            altitudeMetres: Double? = nil, speedMetresPerSecond: Double? = nil, headingDegrees: Double? = nil
        ) {
            self.latitude = latitude
            self.longitude = longitude
            self.time = time
            self.accuracyMetres = accuracyMetres
            self.altitudeMetres = altitudeMetres
            self.speedMetresPerSecond = speedMetresPerSecond
            self.headingDegrees = headingDegrees
        }
    }

    /// A region by the names that the server gave it: its collection and its id there.
    public typealias RegionName = RegionWatch.Name

    /// An incident of the person's team: an evacuation or a drill.
    public typealias Incident = RegionWatch.Incident

    /// Whether the device is inside a region near it.
    public struct Region: Hashable, Sendable, Identifiable {
        /// The region's name.
        public var id: RegionName
        /// The title that the app shows to a person.
        public var title: String
        /// Whether it is a muster region: a person inside it is safe.
        public var isMuster: Bool
        /// Whether the device is inside it.
        public var standing: Standing
        /// The probability, per cent, that the device is inside; nil in doubt, and under the raw policy.
        public var insidePercent: Int?
        /// The time since which `standing` has held.
        public var since: Date
    }

    /// Whether a device is inside a region.
    public enum Standing: Hashable, Sendable {
        /// The device is inside; the boundary counts as inside.
        case inside
        /// The device is outside.
        case outside
        /// The recorded positions do not decide it.
        case unknown
    }

    /// An enter, exit, dwell or pass event of the device at a region.
    public struct Crossing: Hashable, Sendable {
        /// The kind of event.
        public var kind: Kind
        /// The region's name.
        public var region: RegionName
        /// The time of the location that decided it.
        public var time: Date
        /// The probability, per cent, that the device was inside at that time; nil under the raw policy.
        public var insidePercent: Int?

        /// The kinds of events between a device and a region.
        public enum Kind: Hashable, Sendable {
            /// The device entered it.
            case entered
            /// The device left it.
            case left
            /// The device has been inside for as long as the region's dwell time.
            case stayed
            /// The device passed through it between two locations, neither of which is inside.
            case passed
        }
    }

    /// Whether the person is safe, by what this device knows. An SOS and declarations by other people are known to the
    /// server only.
    public struct Safety: Hashable, Sendable {
        /// Whether the person is safe.
        public var state: State
        /// The time since which `state` has held.
        public var since: Date
        /// The muster region that the person is inside; nil unless `state` is `.safe`.
        public var region: RegionName?

        /// Whether a person is safe.
        public enum State: Hashable, Sendable {
            /// The person is inside a muster region.
            case safe
            /// The person is outside all muster regions.
            case unsafe
            /// The device has no recent position, or knows no regions.
            case unknown
        }
    }

    /// A muster region and its distance.
    public struct MusterRegion: Hashable, Sendable, Identifiable {
        /// The region's name.
        public var id: RegionName
        /// The title that the app shows to a person.
        public var title: String
        /// Metres along the geodesic to its boundary; 0 inside.
        public var distanceMetres: Double
    }

    /// The person who is signed in, and whether the server accepts them.
    public enum Account: Hashable, Sendable {
        /// Nobody is signed in.
        case signedOut
        /// A sign-in is under way. While the server does not answer, `waitingFor` is the reason.
        case signingIn(user: String, waitingFor: String?)
        /// This person is signed in.
        case signedIn(user: String)
        /// This person is signed in, but the server no longer accepts their key and password. Recording continues.
        /// Nothing is sent until `signInAgain` succeeds, or the server accepts the key again: then the account is
        /// `.signedIn`.
        case signInNeeded(user: String, reason: String)
    }

    /// An event during `track`.
    public enum Event: Hashable, Sendable {
        /// The present account: once at the beginning, and after each change.
        case account(Account)
        /// Whether the source delivers locations: sent when the person withdraws the permission or grants it again, for
        /// example.
        case availability(LocationAvailability)
        /// A location is stored on this device.
        case recorded(Location)
        /// The device crossed a boundary, or has dwelt in a region.
        case crossed(Crossing)
        /// An incident of the team started; nil when it ended.
        case incident(Incident?)
        /// Whether the person is safe; sent during an incident.
        case safety(Safety)
        /// The server has every recorded document; `count` of them were new to it.
        case sent(count: Int)
        /// An attempt failed and is repeated later. Recorded documents stay on this device.
        case failed(MusterError)
        /// The server's crossings differ from this device's; the device has adopted the server's.
        case corrected(inside: [RegionName], outside: [RegionName])
        /// A leader requests the person's current location; their next recorded location answers it. The device
        /// receives this event only while it follows the server's live feed, that is while a dataset is open; otherwise
        /// a push carries it.
        case askedForLocation(by: String, at: Date)
    }
}

// MARK: Conversions

extension Instant {
    /// The moment of a date, to the millisecond.
    package init(_ date: Date) { self.init(seconds: date.timeIntervalSince1970) }

    /// Converts a date that an app gives; nil for one outside the years 1900 to 9999, which a server accepts.
    init?(checked date: Date) {
        guard (-2_208_988_800..<253_402_300_800).contains(date.timeIntervalSince1970) else { return nil }
        self.init(date)
    }

    /// The moment as Foundation's type, which `Muster` and its values use.
    public var date: Date { Date(timeIntervalSince1970: seconds) }
}

extension Muster.Location {
    /// The location of a fix.
    package init(_ fix: Position) {
        self.init(
            latitude: fix.coordinate.latitude, longitude: fix.coordinate.longitude, time: fix.sampleTime.date,
            accuracyMetres: fix.accuracy?.value, altitudeMetres: fix.altitude?.value, speedMetresPerSecond: fix.speed,
            headingDegrees: fix.heading)
    }

    /// The location as a `Position`.
    ///
    /// - Throws: `MusterError.illegalLocation`.
    func fix() throws(MusterError) -> Position {
        guard let time = Instant(checked: time),
            let coordinate = try? Coordinate(latitude: latitude, longitude: longitude)
        else { throw .illegalLocation }
        return Position(
            coordinate: coordinate, sampleTime: time, receivedTime: time, accuracy: accuracyMetres.map { Metres($0) },
            altitude: altitudeMetres.map { Metres($0) }, speed: speedMetresPerSecond, heading: headingDegrees
        ).withoutInvalidNumbers
    }
}

extension Muster.Standing {
    init(_ standing: Standing) {
        self =
            switch standing {
            case .inside: .inside
            case .outside: .outside
            case .unknown: .unknown
            }
    }
}

extension Muster.Crossing {
    init(_ crossing: RegionWatch.DeviceCrossing) {
        kind =
            switch crossing.kind {
            case .enter: .entered
            case .exit: .left
            case .dwell: .stayed
            case .passed: .passed
            }
        region = crossing.region
        time = crossing.sampleTime.date
        insidePercent = crossing.insidePercent.map { Int($0) }
    }
}

extension Muster.Safety {
    static let unknown = Muster.Safety(state: .unknown, since: Date(timeIntervalSince1970: 0))

    init(_ safety: RegionWatch.DeviceSafety) {
        state =
            switch safety.state {
            case .safe: .safe
            case .unsafe: .unsafe
            default: .unknown
            }
        since = safety.since.date
        region = safety.region
    }
}

extension Muster.Region {
    init(_ presence: RegionWatch.DevicePresence, title: String, isMuster: Bool) {
        self.init(
            id: presence.region, title: title, isMuster: isMuster, standing: .init(presence.standing),
            insidePercent: presence.insidePercent.map { Int($0) }, since: presence.since.date)
    }
}
