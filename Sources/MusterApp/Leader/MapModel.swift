import Foundation
import MusterGeometry
import MusterKit
public import Observation

/// What a map shows: the own place, people, regions and the way. Old places and those that are not believed are drawn
/// apart; people who stand close together are one mark with a number.
@MainActor @Observable public final class MapModel {
    private let follower: TeamFollower
    private let phone: PhoneState
    private let way: WayModel
    private let wording: Wording
    @ObservationIgnored private var made: (version: Int, areas: [Area])?

    /// A place this inaccurate tells the part of a town at best, metres.
    static let roughMetres = 500.0
    /// The age of a place, seconds, from which on it is old.
    static let oldSeconds = 300.0
    /// The number of points by which a circle is drawn.
    private static let circlePoints = 48
    /// The most marks of a map.
    static let markLimit = 500

    init(_ follower: TeamFollower, _ phone: PhoneState, _ way: WayModel, _ wording: Wording) {
        (self.follower, self.phone, self.way, self.wording) = (follower, phone, way, wording)
    }

    /// A place on the map, degrees.
    public struct Place: Hashable, Sendable, Codable {
        /// Degrees, north positive.
        public var latitude: Double
        /// Degrees, east positive.
        public var longitude: Double

        /// A place on WGS 84.
        public init(latitude: Double, longitude: Double) {
            self.latitude = latitude
            self.longitude = longitude
        }
    }

    /// One person, or several who stand close together.
    public struct Mark: Hashable, Sendable, Identifiable {
        /// Stays the same while the same people are meant.
        public var id: String
        /// Where it stands.
        public var place: Place
        /// The state by which mark and colour are chosen; of several people that whom a leader must see first.
        public var state: ShownState
        /// The user's name, for one person; nil for several.
        public var user: String?
        /// The number of people.
        public var count: Int
        /// The name, or "5 people, 1 SOS".
        public var title: String
        /// Whether the place is old, so that it is drawn faintly.
        public var isOld: Bool
        /// Whether the place is one that the server does not believe, or a rough one: drawn apart.
        public var isWild: Bool
        /// The radius that holds the place with 68 %, metres; nil for several people, and where it is not known.
        public var accuracyMetres: Double?
        /// All of it, for VoiceOver.
        public var spoken: String
    }

    /// A region.
    public struct Area: Hashable, Sendable, Identifiable {
        /// `collection/id`.
        public var id: String
        /// The collection that it is in.
        public var collection: String
        /// Its id in the collection.
        public var region: String
        /// What it is called.
        public var name: String
        /// Whether people are safe in it.
        public var isMuster: Bool
        /// Its outlines, each with its holes; a circle as a ring of 48 points.
        public var outlines: [Outline]
        /// Where its name stands.
        public var middle: Place
    }

    /// A closed outline.
    public struct Outline: Hashable, Sendable {
        /// The ring, the first point once more at its end.
        public var exterior: [Place]
        /// The rings of the holes, each closed.
        public var holes: [[Place]]
    }

    /// A part of the map.
    public struct Box: Hashable, Sendable {
        /// Degrees, the southern edge.
        public var south: Double
        /// Degrees, the western edge.
        public var west: Double
        /// Degrees, the northern edge.
        public var north: Double
        /// Degrees, the eastern edge.
        public var east: Double

        /// A box; where `west` is greater than `east` it goes across the antimeridian.
        public init(south: Double, west: Double, north: Double, east: Double) {
            (self.south, self.west, self.north, self.east) = (south, west, north, east)
        }

        func contains(_ place: Person.Place) -> Bool {
            guard (south...max(south, north)).contains(place.latitude) else { return false }
            return west <= east
                ? (west...east).contains(place.longitude) : place.longitude >= west || place.longitude <= east
        }
    }

    /// What the map is, for VoiceOver.
    public var label: String { wording.words.text(.mapLabel) }
    /// Where the phone is; nil if it does not know.
    public var own: Place? {
        phone.location.map { Place(latitude: $0.latitude, longitude: $0.longitude) }
    }
    /// The radius that holds the own place with 68 %, metres; nil if unknown.
    public var ownAccuracyMetres: Double? { phone.location?.accuracyMetres }
    /// The line to the assembly point; empty without a way.
    public var wayLine: [Place] {
        guard let own, let target = way.target else { return [] }
        return [own, Place(latitude: target.latitude, longitude: target.longitude)]
    }

    /// The regions of the team.
    public var areas: [Area] {
        let version = way.areasVersion
        if let made, made.version == version { return made.areas }
        let areas = way.areas.compactMap { Self.area(of: $0) }
        made = (version, areas)
        return areas
    }

    /// The part of the map that holds all people and assembly points; nil if nothing is known.
    public var whole: Box? {
        let places =
            follower.state.people.values.compactMap { person -> Place? in
                guard let place = person.located, place.accuracyMetres ?? 0 < Self.roughMetres else { return nil }
                return Place(latitude: place.latitude, longitude: place.longitude)
            } + areas.filter(\.isMuster).flatMap { $0.outlines.flatMap(\.exterior) } + [own].compactMap(\.self)
        guard let first = places.first else { return nil }
        return places.reduce(
            Box(south: first.latitude, west: first.longitude, north: first.latitude, east: first.longitude)
        ) { box, place in
            Box(
                south: min(box.south, place.latitude), west: min(box.west, place.longitude),
                north: max(box.north, place.latitude), east: max(box.east, place.longitude))
        }
    }

    /// The marks of the people in a part of the map, those last whom a leader must see first, so that they are drawn
    /// above the others.
    ///
    /// - Parameters:
    ///   - box: the part that is seen.
    ///   - columns: how many marks stand side by side at most: people in one such cell are one mark.
    /// - Complexity: O(people).
    public func marks(in box: Box, columns: Int = 16) -> [Mark] {
        let width = box.west <= box.east ? box.east - box.west : box.east - box.west + 360
        let cell = max(width / Double(max(1, columns)), 1e-7)
        var cells: [Cell: [(Person, ShownState)]] = [:]
        for key in follower.state.order.keys {
            guard let person = follower.state.people[key.user], person.roll?.takenOff == nil,
                let place = person.located, box.contains(place)
            else { continue }
            let column = Int((place.longitude / cell).rounded(.down))
            let row = Int((place.latitude / cell).rounded(.down))
            // Who calls for help is a mark of their own.
            let alone = key.state <= .needsHelp ? person.user : nil
            cells[Cell(column: column, row: row, alone: alone), default: []].append((person, key.state))
        }
        let marks = cells.map { cell, people in
            people.count == 1
                ? mark(of: people[0].0, people[0].1) : cluster(of: people, id: "\(cell.column)/\(cell.row)")
        }
        return Array(
            marks.sorted { $0.state == $1.state ? $0.id < $1.id : $0.state > $1.state }.suffix(Self.markLimit))
    }

    private struct Cell: Hashable {
        var column: Int
        var row: Int
        var alone: String?
    }

    // MARK: Pieces

    private func mark(of person: Person, _ state: ShownState) -> Mark {
        // A place that is not believed is drawn where it seems to be, and apart.
        let place = person.wild ?? person.located
        let age = place?.time.map { wording.now.timeIntervalSince($0) } ?? .infinity
        let accuracy = person.wild == nil ? place?.accuracyMetres : nil
        return Mark(
            id: person.user, place: Place(latitude: place?.latitude ?? 0, longitude: place?.longitude ?? 0),
            state: state, user: person.user, count: 1, title: wording.legible(person.called),
            isOld: age > Self.oldSeconds, isWild: person.wild != nil || accuracy ?? 0 >= Self.roughMetres,
            accuracyMetres: accuracy, spoken: RosterModel.row(of: person, state, wording).spoken)
    }

    private func cluster(of people: [(Person, ShownState)], id: String) -> Mark {
        let places = people.compactMap(\.0.located)
        let count = Double(max(1, places.count))
        let worst = people.map(\.1).min() ?? .unknown
        let title = wording.words.text(.mapPeople, count: people.count)
        let word = PersonWords(wording: wording).state(worst)
        let isOld = places.allSatisfy { place in
            place.time.map { wording.now.timeIntervalSince($0) > Self.oldSeconds } ?? true
        }
        return Mark(
            id: id,
            place: Place(
                latitude: places.reduce(0) { $0 + $1.latitude } / count,
                longitude: places.reduce(0) { $0 + $1.longitude } / count),
            state: worst, user: nil, count: people.count, title: title, isOld: isOld, isWild: false,
            accuracyMetres: nil, spoken: wording.words.listed([title, word]))
    }

    private static func area(of region: RegionWatch.Area) -> Area? {
        guard let shape = region.shape else { return nil }
        func place(_ coordinate: Coordinate) -> Place {
            Place(latitude: coordinate.latitude, longitude: coordinate.longitude)
        }
        let outlines: [Outline]
        switch shape {
        case .circle(let circle):
            let ring = (0...circlePoints).map { index in
                let bearing = Degrees(360 * Double(index % circlePoints) / Double(circlePoints))
                return place(circle.centre.destination(bearing: bearing, distance: circle.radius))
            }
            outlines = [Outline(exterior: ring, holes: [])]
        case .polygon(let polygon):
            outlines = [Outline(exterior: polygon.exterior.map(place), holes: polygon.holes.map { $0.map(place) })]
        case .multiPolygon(let polygons):
            outlines = polygons.map {
                Outline(exterior: $0.exterior.map(place), holes: $0.holes.map { $0.map(place) })
            }
        }
        return Area(
            id: "\(region.region.collection)/\(region.region.id)", collection: region.region.collection,
            region: region.region.id, name: region.title, isMuster: region.isMuster, outlines: outlines,
            middle: place(shape.middle))
    }
}
