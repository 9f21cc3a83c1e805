public import Foundation
import MusterGeometry
import MusterKit
public import Observation

/// The way to the assembly points of the person's team: distance, direction and an arrow, without a network.
///
/// It judges by this phone alone: only the server says whether somebody is safe.
@MainActor @Observable public final class WayModel {
    private let phone: PhoneState
    private let muster: Muster
    private let wording: Wording
    /// The point that the person chose; nil for the nearest.
    private var chosen: Point.ID?
    /// The regions with their areas, read when they change.
    private(set) var areas: [RegionWatch.Area] = []
    /// Grows when the regions have changed.
    private(set) var areasVersion = -1
    /// The ways from the newest place, made anew when it moves.
    private var ways: [Way] = []

    /// How many points are listed.
    static let listLimit = 8
    /// The age of a position, seconds, from which on it is old.
    static let oldSeconds = 60.0
    /// The error of a compass, degrees, from which on it is called rough.
    static let roughDegrees = 20.0
    /// The radius that holds a position with 95 %, by that which holds it with 68 %.
    static let radius95 = 1.62

    init(_ phone: PhoneState, _ muster: Muster, _ wording: Wording) {
        (self.phone, self.muster, self.wording) = (phone, muster, wording)
    }

    /// An assembly point, and how far it is.
    public struct Point: Hashable, Sendable, Identifiable {
        /// `collection/id`.
        public var id: String
        /// What it is called.
        public var name: String
        /// Metres to its boundary, 0 inside; nil while the phone does not know where it is.
        public var distanceMetres: Double?
        /// "400 m, straight line", or that one is there.
        public var distanceText: String
        /// The direction to its boundary, or from inside to its middle, degrees clockwise from north.
        public var bearingDegrees: Double?
        /// "north-east", and where to turn.
        public var directionText: String
        /// Whether the person is inside surely, inside perhaps, near, or away. A view chooses a mark by it.
        public var standing: Standing
        /// How the person stands to it in one sentence; empty if the distance says it.
        public var standingText: String
        /// Its place for a map.
        public var latitude: Double
        /// Degrees, east positive.
        public var longitude: Double
    }

    /// How this phone sees the person to stand to an assembly point.
    public enum Standing: String, Codable, Sendable {
        case inside
        /// Inside, but not surely.
        case edge
        /// Outside, but not surely.
        case near
        case away
        /// A beacon decides, and the position says nothing.
        case byBeacon
        case unknown
    }

    /// The title of the part.
    public var title: String { words.text(.wayTitle) }
    /// The assembly points, the nearest first, eight at most.
    public var points: [Point] { ways.map { point($0) } }
    /// The point that the arrow leads to: the chosen one, or else the nearest.
    public var target: Point? { (ways.first { $0.id == chosen } ?? ways.first).map { point($0) } }
    /// The angle by which the arrow is turned clockwise from the phone's upper edge, degrees; nil without a way.
    public var arrowDegrees: Double? {
        target?.bearingDegrees.map { Self.wrapped($0 - (heading?.degrees ?? 0)) }
    }
    /// By what the arrow turns, and how it becomes better.
    public var headingText: String {
        guard let heading else { return words.text(.wayByNorth) }
        guard heading.isByCompass else { return words.text(.wayByWalk) }
        return heading.accuracyDegrees > Self.roughDegrees
            ? words.text(.wayRoughCompass, ["degrees": String(Int(heading.accuracyDegrees.rounded()))])
            : words.text(.wayByCompass)
    }
    /// How exactly the place is known; empty without one.
    public var accuracyText: String {
        guard let location = phone.location else { return "" }
        guard let accuracy = location.accuracyMetres, accuracy > 0 else { return words.text(.wayNoAccuracy) }
        return words.text(.wayAccuracy, ["length": wording.length(max(1, accuracy * Self.radius95))])
    }
    /// That the place is old; nil for a present one.
    public var oldText: String? {
        guard let location = phone.location, isOld else { return nil }
        let time = location.time.addingTimeInterval(wording.serverAheadSeconds)
        return words.text(.wayOld, ["time": wording.clock(time), "age": wording.age(of: time)])
    }
    /// Why no way is shown; nil if one is.
    public var nothingText: String? {
        if muster.regionsVersion == 0 { return words.text(.wayNotHeard) }
        if ways.isEmpty { return words.text(.wayNoPoints) }
        guard phone.location == nil else { return nil }
        switch phone.availability {
        case .denied, .deniedForAllApps, .restricted: return words.text(.wayDenied)
        case .available, .reducedAccuracy, .noPosition:
            return words.text(phone.isTracking ? .wayLooks : .wayNoFix)
        }
    }
    /// The title of the list.
    public var othersTitle: String { words.text(.wayOthers) }
    /// The title of the button that shows the nearest again.
    public var nearestTitle: String { words.text(.wayNearest) }
    /// Whether the person chose another point than the nearest.
    public var isChosen: Bool { chosen != nil && chosen != ways.first?.id }

    /// The 20 regions nearest to the phone as circles that wake the app, the nearest first: as many as the system
    /// watches. A polygon counts as the circle around it, and none is smaller than 100 m, which the system can tell.
    /// Nil while the place or the regions are not known, as at the start of an app: what the system watches stays.
    var wakingCircles: [WakingCircle]? {
        muster.regionsVersion == 0 ? nil : Self.wakingCircles(of: areas, near: phone.location)
    }

    /// Leads to a point, until `showNearest`.
    public func choose(_ id: Point.ID) { chosen = id }
    /// Leads to the nearest point again.
    public func showNearest() { chosen = nil }

    /// The nearest point for a widget; nil if none is known.
    public var snapshot: WaySnapshot? {
        target.map {
            WaySnapshot(
                name: $0.name, distanceText: $0.distanceText, directionText: $0.directionText,
                latitude: $0.latitude, longitude: $0.longitude, asOf: phone.location?.time)
        }
    }

    /// Measures anew: the place or the regions may have changed.
    func update() {
        let now = muster.regionsVersion
        if now != areasVersion {
            areasVersion = now
            areas = muster.areas()
        }
        ways = Self.ways(to: areas, from: phone.location)
    }

    /// Shows regions that no server said, for a preview.
    func show(_ areas: [RegionWatch.Area], at location: Muster.Location) {
        phone.location = location
        (self.areas, areasVersion) = (areas, areasVersion + 1)
        ways = Self.ways(to: areas, from: location)
    }

    // MARK: Pieces

    /// The way to one assembly point.
    struct Way: Hashable {
        var id: String
        var name: String
        var isByBeacon: Bool
        var middle: Coordinate
        /// Metres to the boundary, negative inside; nil while the phone does not know where it is.
        var metres: Double?
        var bearingDegrees: Double?
    }

    private var words: Words { wording.words }
    private var isOld: Bool {
        phone.location.map { wording.phoneNow.timeIntervalSince($0.time) > Self.oldSeconds } ?? false
    }
    private var heading: (degrees: Double, accuracyDegrees: Double, isByCompass: Bool)? {
        if let heading = phone.heading { return (heading.degrees, heading.accuracyDegrees, true) }
        guard !isOld, let course = phone.location?.headingDegrees, phone.location?.speedMetresPerSecond ?? 0 > 0.7
        else { return nil }
        return (course, 0, false)
    }

    private func point(_ way: Way) -> Point {
        let standing = standing(of: way)
        let distance = way.metres.map { max(0, $0) }
        var direction = ""
        if let bearing = way.bearingDegrees, standing != .inside {
            let turn = heading.map { Self.turn(bearing - $0.degrees, words) }
            direction = words.listed([Self.wind(bearing, words), turn ?? ""])
        }
        return Point(
            id: way.id, name: wording.legible(way.name), distanceMetres: distance,
            distanceText: distance.map {
                $0 == 0 ? words.text(.wayHere) : words.text(.wayStraight, ["length": wording.length($0)])
            } ?? "", bearingDegrees: way.bearingDegrees, directionText: direction, standing: standing,
            standingText: text(of: standing, way), latitude: way.middle.latitude, longitude: way.middle.longitude)
    }

    private func standing(of way: Way) -> Standing {
        guard let metres = way.metres else { return .unknown }
        let sure = phone.location?.accuracyMetres.map { $0 * Self.radius95 } ?? .infinity
        if metres > 0 { return metres > sure ? .away : .near }
        if way.isByBeacon { return .byBeacon }
        // MusterKit's engine must believe it, too.
        let isBelieved = phone.regions.contains {
            "\($0.id.collection)/\($0.id.id)" == way.id && $0.standing == .inside
        }
        return -metres > sure && isBelieved ? .inside : .edge
    }

    private func text(of standing: Standing, _ way: Way) -> String {
        let place: KeyValuePairs = ["place": wording.legible(way.name)]
        return switch standing {
        case .inside: words.text(isOld ? .wayWasInside : .wayInside, place)
        case .edge: words.text(isOld ? .wayWasAtEdge : .wayAtEdge, place)
        case .near: words.text(.wayNear, place)
        case .byBeacon: words.text(.wayByBeacon, place)
        case .away, .unknown: ""
        }
    }

    static func wind(_ degrees: Double, _ words: Words) -> String {
        let winds: [Word] = [
            .windNorth, .windNorthEast, .windEast, .windSouthEast, .windSouth, .windSouthWest, .windWest,
            .windNorthWest,
        ]
        return words.text(winds[eighth(degrees)])
    }

    private static func turn(_ degrees: Double, _ words: Words) -> String {
        let turns: [Word] = [
            .wayTurnAhead, .wayTurnAheadRight, .wayTurnRight, .wayTurnBehindRight, .wayTurnBehind, .wayTurnBehindLeft,
            .wayTurnLeft, .wayTurnAheadLeft,
        ]
        return words.text(turns[eighth(degrees)])
    }

    private static func eighth(_ degrees: Double) -> Int { Int((wrapped(degrees) / 45).rounded()) % 8 }

    static func wrapped(_ degrees: Double) -> Double {
        let rest = degrees.truncatingRemainder(dividingBy: 360)
        return rest < 0 ? rest + 360 : rest
    }
}

/// A circle whose crossing wakes the app.
public struct WakingCircle: Hashable, Sendable, Identifiable {
    /// `collection/id` of the region.
    public var id: String
    /// Its centre, degrees.
    public var latitude: Double
    /// Degrees, east positive.
    public var longitude: Double
    /// At least 100 m.
    public var radiusMetres: Double

    /// The name of the system's condition: another one where the region was moved or redrawn.
    public var conditionName: String {
        let geometry = [latitude, longitude].map { String(format: "%.5f", $0) } + [String(Int(radiusMetres))]
        return "\(id) \(geometry.joined(separator: " "))"
    }
}

/// The way to the nearest assembly point as a widget shows it.
public struct WaySnapshot: Codable, Hashable, Sendable {
    /// What the point is called.
    public var name: String
    /// How far it is, from where the phone was.
    public var distanceText: String
    /// In which direction.
    public var directionText: String
    /// Its middle, degrees.
    public var latitude: Double
    /// Degrees, east positive.
    public var longitude: Double
    /// When the phone was there; nil if it does not know where it is.
    public var asOf: Date?
}
