public import Foundation
import MusterCore
import MusterGeometry

extension Muster {
    /// Where a device was, and when.
    public struct Location: Hashable, Sendable {
        /// Degrees, north positive.
        public var latitude: Double
        /// Degrees, east positive.
        public var longitude: Double
        /// When the device was there.
        public var time: Date
        /// The radius within which the device is with a probability of 68 %; nil where that is not known.
        public var accuracyMetres: Double?
        /// Metres above the ellipsoid; nil where that is not known.
        public var altitudeMetres: Double?
        /// How fast the device moved; nil where that is not known.
        public var speedMetresPerSecond: Double?
        /// The direction in which the device moved, clockwise from north; nil where that is not known.
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

    /// How the device stands to a region near it.
    public struct Region: Hashable, Sendable, Identifiable {
        /// Which region.
        public var id: RegionName
        /// What a person reads.
        public var title: String
        /// Whether people are safe inside of it.
        public var isMuster: Bool
        /// How the device stands to it.
        public var standing: Standing
        /// How probable it is that the device is inside, per cent; nil in doubt, and under the raw policy.
        public var insidePercent: Int?
        /// Since when it stands so.
        public var since: Date
    }

    /// How a device stands to a region.
    public enum Standing: Hashable, Sendable {
        /// It is inside; the boundary counts as inside.
        case inside
        /// It is outside.
        case outside
        /// Nobody can say.
        case unknown
    }

    /// A boundary that the device crossed, or a stay that has become long.
    public struct Crossing: Hashable, Sendable {
        /// What happened.
        public var kind: Kind
        /// Which region.
        public var region: RegionName
        /// When: the time of the location that decided it.
        public var time: Date
        /// How probable it then was that the device was inside, per cent; nil under the raw policy.
        public var insidePercent: Int?

        /// What can happen between a device and a region.
        public enum Kind: Hashable, Sendable {
            /// The device entered it.
            case entered
            /// The device left it.
            case left
            /// The device has been inside for as long as the region's dwell time.
            case stayed
            /// The device crossed it between two locations, neither of which is inside.
            case passed
        }
    }

    /// Whether the person is safe, as far as this device can tell. An SOS and what others declare are the server's.
    public struct Safety: Hashable, Sendable {
        /// Whether the person is safe.
        public var state: State
        /// Since when.
        public var since: Date
        /// The muster region in which the person is safe; nil where they are not.
        public var region: RegionName?

        /// Whether a person is safe.
        public enum State: Hashable, Sendable {
            /// Inside a muster region.
            case safe
            /// Outside all muster regions.
            case unsafe
            /// The device does not know where it is, or no regions.
            case unknown
        }
    }

    /// A muster region, and how far it is.
    public struct MusterRegion: Hashable, Sendable, Identifiable {
        /// Which region.
        public var id: RegionName
        /// What a person reads.
        public var title: String
        /// Metres in a straight line; 0 inside.
        public var distanceMetres: Double
    }

    /// Who is signed in.
    public enum Account: Hashable, Sendable {
        /// Nobody.
        case signedOut
        /// A sign-in is under way. While the server cannot answer, the text says why.
        case signingIn(user: String, waitingFor: String?)
        /// This person.
        case signedIn(user: String)
        /// This person, whose key and password the server no longer accepts. Recording goes on; nothing is sent until
        /// `signInAgain`.
        case signInNeeded(user: String, reason: String)
    }

    /// What happens while a source is tracked.
    public enum Event: Hashable, Sendable {
        /// Who is signed in: at the beginning, and when that changes.
        case account(Account)
        /// Whether the source delivers locations: the person withdrew the permission, say, or gave it again.
        case availability(LocationAvailability)
        /// A location is stored on this device.
        case recorded(Location)
        /// The device crossed a boundary.
        case crossed(Crossing)
        /// An incident of the team was started; nil: it ended.
        case incident(Incident?)
        /// During an incident: whether the person is safe.
        case safety(Safety)
        /// The server has everything that was recorded; so many documents were new to it.
        case sent(count: Int)
        /// Something did not succeed and is tried again. What was recorded stays on this device.
        case failed(MusterError)
        /// The server decided otherwise than this device where the device is, and the server counts.
        case corrected(inside: [RegionName], outside: [RegionName])
    }
}

// MARK: From the types of the pieces

extension Instant {
    init(_ date: Date) { self.init(seconds: date.timeIntervalSince1970) }

    var date: Date { Date(timeIntervalSince1970: seconds) }
}

extension Muster.Location {
    init(_ fix: Position) {
        self.init(
            latitude: fix.coordinate.latitude, longitude: fix.coordinate.longitude, time: fix.sampleTime.date,
            accuracyMetres: fix.accuracy?.value, altitudeMetres: fix.altitude?.value, speedMetresPerSecond: fix.speed,
            headingDegrees: fix.heading)
    }

    /// The location as the pieces take it.
    ///
    /// - Throws: `MusterError.illegalLocation`.
    func fix() throws(MusterError) -> Position {
        // Milliseconds of far more than any calendar: a time beyond cannot be counted.
        guard time.timeIntervalSince1970.isFinite, abs(time.timeIntervalSince1970) < 1e12,
            let coordinate = try? Coordinate(latitude: latitude, longitude: longitude)
        else { throw .illegalLocation }
        let time = Instant(time)
        return Position(
            coordinate: coordinate, sampleTime: time, receivedTime: time, accuracy: accuracyMetres.map { Metres($0) },
            altitude: altitudeMetres.map { Metres($0) }, speed: speedMetresPerSecond, heading: headingDegrees)
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
