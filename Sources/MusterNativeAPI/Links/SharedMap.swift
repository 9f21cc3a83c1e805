import MusterCoding
import MusterCore
import MusterGeometry
import MusterServer
import MusterWire

/// What a link shows, as KML: what `SharedContent` has, and nothing else.
///
/// A program that no longer reaches the server keeps the last picture. So every label says in words how a person was
/// and as of when, to the minute; and the end of a link is a document without features.
struct SharedMap {
    private let link: Link
    private let now: Instant

    /// The files for programs of maps.
    enum File: String {
        /// What a person opens: it names the map.
        case networkLink = "link.kml"
        case map = "map.kml"
    }

    /// How often programs read the map again, in seconds.
    static let refreshSeconds = 10

    /// The path of a link's file.
    static func path(of token: String, _ file: File) -> String {
        "\(APIPaths.root)/shared/\(PercentEncoding.encode(token))/\(file.rawValue)"
    }

    init(of link: Link, at now: Instant) {
        self.link = link
        self.now = now
    }

    // MARK: Files

    /// A network link to the map.
    func networkLink(to address: String) -> [UInt8] {
        KMLWriter.networkLink(
            named: "Muster",
            describedBy: [
                "Shows what a link of Muster shows, until \(Self.words(link.expiresAt)).",
                "Whoever has this file has the link: give it to nobody else.",
            ], to: address, everySeconds: Self.refreshSeconds)
    }

    /// The map.
    func document(showing content: SharedContent) -> [UInt8] {
        var writer = KMLWriter()
        let title = "\(title(of: content)), as of \(Self.words(now))"
        writer.begin(
            named: title,
            describedBy: summary(of: content) + [
                "As of \(Self.words(now)). Where this time stands still, the program does not reach the server.",
                "The link ends on \(Self.words(link.expiresAt)).",
            ], styles: ShownState.allCases.map(\.style) + KMLStyle.ofRegions,
            control: KMLControl(leastSeconds: Self.refreshSeconds, name: title, expiresAt: link.expiresAt))
        if let person = content.person { append(person, to: &writer) }
        if let incident = content.incident { append(incident, to: &writer) }
        writer.end()
        return writer.takeBytes()
    }

    /// The map of a token that is not valid, or not valid any more.
    static var ended: [UInt8] {
        let words = "This link of Muster is not valid any more: nothing is shown"
        var writer = KMLWriter()
        writer.begin(
            named: words, describedBy: ["Ask for a new link whoever gave it."], styles: [],
            control: KMLControl(leastSeconds: 60, name: words, message: "\(words)."))
        writer.end()
        return writer.takeBytes()
    }

    // MARK: Parts

    private func title(of content: SharedContent) -> String {
        if let person = content.person { return Self.legible(person.displayName ?? person.name) }
        guard let incident = content.incident?.roll.incident.incident else { return "Muster" }
        let kind = incident.kind == .drill ? "Drill" : "Incident"
        return "\(kind) \(incident.number.rawValue) of \(Self.legible(content.team ?? ""))"
    }

    private func summary(of content: SharedContent) -> [String] {
        guard let roll = content.incident?.roll else { return [] }
        let (incident, counts) = (roll.incident.incident, roll.counts)
        var lines = ["Began on \(Self.words(incident.startedAt))"]
        if let note = incident.note { lines.append(Self.legible(note)) }
        if let closing = incident.closing {
            lines.append("Closed on \(Self.words(closing.at)): this is the roll of then")
        }
        lines.append(
            "\(counts.accounted) of \(counts.people) accounted for, \(counts.checking) checking, "
                + "\(counts.unaccounted) unaccounted")
        return lines
    }

    /// A person, where they were last, and how far off that may be.
    private func append(_ person: SharedContent.Person, to writer: inout KMLWriter) {
        let shown = ShownState(person.safety.safety, showsSafety: person.showsSafety)
        let name = Self.legible(person.displayName ?? person.name)
        var placemark = placemark(of: name, shown, person.safety.safety, as: "as of \(Self.words(now))")
        placemark.lines.append(person.heard.map { "Last heard on \(Self.words($0))" } ?? "No device was ever heard")
        if let heard = person.heard { placemark.data.append(("lastHeard", heard.rfc3339)) }
        guard let (position, at) = person.located else {
            placemark.lines.append("No place is known")
            return writer.append(placemark)
        }
        let moment = Self.words(at)
        // Whoever looks at the mark must not take an old place for one of now.
        if moment != Self.words(now) { placemark.name += ", place of \(moment)" }
        placemark.time = at
        placemark.geometry = .point(position.coordinate)
        let error = position.accuracy.map { "within \(Self.metres($0))" } ?? "of unknown accuracy"
        placemark.lines.append("Place: \(error), measured on \(moment)")
        if let accuracy = position.accuracy { placemark.data.append(("accuracy", JSONWriter.text(accuracy.value))) }
        writer.append(placemark)
        guard let accuracy = position.accuracy, accuracy.value > 0, accuracy <= Shape.radiusLimit else { return }
        var area = KMLPlacemark("\(name): measured within \(Self.metres(accuracy)) on \(moment)")
        area.time = at
        area.style = shown.rawValue
        area.geometry = .area(.circle(Circle(centre: position.coordinate, radius: accuracy)))
        writer.append(area)
    }

    /// The people of a roll, those to look for first, and the assembly points. The people have no place.
    private func append(_ incident: SharedContent.Incident, to writer: inout KMLWriter) {
        let people = incident.roll.waitedFor
        let groups: [(name: String, people: [NamedRoll.Person])] = [
            ("Unaccounted", people.filter { !$0.isAccounted && !$0.isChecking }),
            ("Checking", people.filter(\.isChecking)), ("Accounted for", people.filter(\.isAccounted)),
        ]
        let moment = incident.roll.incident.incident.closing?.at ?? now
        for group in groups where !group.people.isEmpty {
            writer.beginFolder(named: "\(group.name) (\(group.people.count))")
            for person in group.people {
                let safety = person.safety.safety
                writer.append(
                    placemark(
                        of: Self.legible(person.spokenName), in: person.crew.map(Self.legible),
                        ShownState(safety, showsSafety: true), safety, as: "as of \(Self.words(moment))"))
            }
            writer.endFolder()
        }
        guard !incident.regions.isEmpty else { return }
        writer.beginFolder(named: "Assembly points (\(incident.regions.count))")
        for region in incident.regions {
            var placemark = KMLPlacemark(Self.legible(region.name))
            placemark.style = KMLStyle.muster.id
            placemark.geometry = region.shape.map { .area($0) }
            writer.append(placemark)
        }
        writer.endFolder()
    }

    /// A person with their state: first in the label, because nothing in a name can then change what it says.
    private func placemark(
        of name: String, in crew: String? = nil, _ shown: ShownState, _ safety: Safety, as moment: String
    ) -> KMLPlacemark {
        var placemark = KMLPlacemark(
            "\(shown.words(safety)): \(name)\(crew.map { ", \($0)" } ?? ""), \(moment)")
        placemark.style = shown.rawValue
        placemark.lines = ["\(shown.words(safety))\(Self.evidence(of: safety))"]
        placemark.data = [
            // As it is shown, so that no program that ignores the doubt calls somebody safe.
            ("person", name), ("state", shown.rawValue), ("source", safety.source.wireName.description),
        ]
        if let crew { placemark.data.append(("crew", crew)) }
        if let doubt = safety.doubt { placemark.data.append(("doubt", doubt.wireName.description)) }
        // "Unknown since 1970" means that the server never heard of the person.
        if safety.since > Instant(milliseconds: 0) {
            placemark.lines.append("Since \(Self.words(safety.since))")
            placemark.data.append(("since", safety.since.rfc3339))
        }
        return placemark
    }

    // MARK: Words

    /// By what the state is known, where it is somebody's word.
    private static func evidence(of safety: Safety) -> String {
        switch safety.source {
        case .ownDeclaration where safety.state != .unknown: ", by their own word"
        case .marked where safety.state != .unknown: ", marked by somebody else"
        case .checkInTimer: ", the check-in timer ran out"
        case .underReview: ", the server decides anew"
        default: ""
        }
    }

    /// A length in whole metres, also one that is longer than any integer.
    private static func metres(_ length: Metres) -> String { "\(JSONWriter.text(length.value.rounded(.up))) m" }

    /// A time to the minute, which a map that does not change repeats.
    private static func words(_ moment: Instant) -> String {
        let text = moment.rfc3339
        return "\(text.prefix(10)) \(text.dropFirst(11).prefix(5)) UTC"
    }

    /// A text without the characters that turn the direction of what stands beside it.
    private static func legible(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.isBidiControl ? " " : $0 }))
    }
}
