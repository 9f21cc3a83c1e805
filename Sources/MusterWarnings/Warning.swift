import Crypto
import MusterCoding
import MusterCore
import MusterGeometry
import MusterServer
import MusterWire

/// What is shown of an alert: its regions.
struct Warning: Hashable, Sendable {
    let key: CAPAlert.Key
    /// The end of all that the alert says, also of what the settings leave out.
    let expires: Instant
    private(set) var regions: [WarningRegion] = []
    /// Whether it is of the kind that is wanted, and none of its areas has a shape.
    private(set) var isWithoutArea = false
    private(set) var refusedShapes = 0
    private(set) var leftOutShapes = 0
    /// The last reason for which a shape was refused or left out.
    private(set) var reason: String?
    /// What its regions hold.
    private(set) var size = Size()

    /// What regions hold in memory.
    struct Size: Hashable, Sendable {
        var regions = 0
        var positions = 0
        /// The bytes of names and properties.
        var textBytes = 0

        func isWithin(_ limit: Size) -> Bool {
            regions <= limit.regions && positions <= limit.positions && textBytes <= limit.textBytes
        }

        static func += (sum: inout Size, other: Size) {
            sum.regions += other.regions
            sum.positions += other.positions
            sum.textBytes += other.textBytes
        }

        static func -= (rest: inout Size, other: Size) {
            rest.regions -= other.regions
            rest.positions -= other.positions
            rest.textBytes -= other.textBytes
        }
    }

    /// The largest number of regions of one warning.
    static let regionLimit = 100
    /// The largest number of positions of one warning.
    static let positionLimit = 20_000
    /// Seconds after `sent` at which an alert ends that does not say when.
    static let defaultSeconds = 86_400.0
    /// No alert is shown longer than this after `sent`, in seconds: 30 days.
    static let longestSeconds = 2_592_000.0
    /// The widest region, in degrees of latitude and of longitude: no warning is of half the Earth.
    static let widestDegrees = (latitude: 45.0, longitude: 90.0)

    /// Makes what is shown of an alert by these settings.
    ///
    /// - Complexity: O(n log n) for n positions.
    init(_ alert: CAPAlert, of source: WarningSourceID, _ settings: Configuration.Warnings) {
        key = alert.key
        let ends = alert.infos.map { Self.end(of: $0, sent: alert.key.sent) }
        expires = ends.max() ?? alert.key.sent
        leftOutShapes = alert.leftOutShapes
        let infos = Self.infos(of: alert, in: settings.language).filter { info in
            !info.isAllClear && settings.minimum.map { info.severity >= $0 } ?? true
        }
        var positions = 0
        for info in infos {
            let end = Self.end(of: info, sent: alert.key.sent)
            for area in info.areas {
                refusedShapes += area.unreadable
                if area.unreadable > 0 { reason = "a polygon or circle cannot be read" }
                for outline in area.shapes {
                    guard let shape = shape(of: outline, in: settings.area) else { continue }
                    positions += shape.positionCount
                    guard regions.count < Self.regionLimit, positions <= Self.positionLimit else {
                        leftOutShapes += 1
                        reason = "a warning has more than \(Self.regionLimit) areas or \(Self.positionLimit) positions"
                        continue
                    }
                    regions.append(
                        WarningRegion(
                            number: regions.count + 1, of: alert.key, source, info, area, shape: shape, expires: end))
                }
            }
        }
        let isDrawn = infos.contains { $0.areas.contains { !$0.shapes.isEmpty || $0.unreadable > 0 } }
        isWithoutArea = !infos.isEmpty && !isDrawn && alert.leftOutShapes == 0
        WarningRegion.number(&regions)
        for region in regions {
            size += Size(
                regions: 1, positions: region.shape.positionCount,
                textBytes: region.name.utf8.count + region.properties.utf8.count)
        }
    }

    /// Forgets the regions, and counts them as left out. The warning itself stays known.
    mutating func leaveOutRegions(_ reason: String) {
        leftOutShapes += regions.count
        regions = []
        size = Size()
        self.reason = reason
    }

    /// All that an alert says in one language: the wanted one if it has it, else the first.
    private static func infos(of alert: CAPAlert, in wanted: String?) -> [CAPAlert.Info] {
        func matches(_ info: CAPAlert.Info, _ language: String) -> Bool {
            let (one, other) = (info.language.lowercased(), language.lowercased())
            return one == other || one.hasPrefix(other + "-")
        }
        let found = wanted.map { language in alert.infos.filter { matches($0, language) } } ?? []
        guard found.isEmpty, let first = alert.infos.first else { return found }
        return alert.infos.filter { $0.language.lowercased() == first.language.lowercased() }
    }

    private static func end(of info: CAPAlert.Info, sent: Instant) -> Instant {
        min(info.expires ?? sent.advanced(bySeconds: defaultSeconds), sent.advanced(bySeconds: longestSeconds))
    }

    /// The shape of a region; nil where none is drawn: it is refused, or outside the box.
    private mutating func shape(of outline: CAPAlert.Outline, in area: BoundingBox?) -> Shape? {
        let shape: Shape
        do throws(ShapeError) {
            shape = try outline.shape()
        } catch {
            refusedShapes += 1
            reason = error.detail
            return nil
        }
        let box = shape.boundingBox
        let width = box.crossesAntimeridian ? 360 + box.east - box.west : box.east - box.west
        guard box.north - box.south <= Self.widestDegrees.latitude, width <= Self.widestDegrees.longitude else {
            refusedShapes += 1
            reason =
                "the area is wider than \(Int(Self.widestDegrees.longitude))° or higher than "
                + "\(Int(Self.widestDegrees.latitude))°"
            return nil
        }
        return area.map { $0.touches(box) } ?? true ? shape : nil
    }
}

/// What names a feed in regions: a part of the digest of its URL, which may hold a secret.
struct WarningSourceID: Hashable, Sendable {
    let text: String

    init(url: String) { text = Array(SHA256.hash(data: Array(url.utf8)).prefix(8)).hexadecimal }
}

/// A region of a warning, before it has a number and a collection.
struct WarningRegion: Hashable, Sendable {
    /// The id, which depends on the feed, the alert and the place in it alone.
    let id: String
    private(set) var name: String
    let shape: Shape
    let severity: CAPAlert.Severity
    let expires: Instant
    /// GeoJSON properties: one member `warning`.
    let properties: String

    /// The beginning of the ids.
    static let idPrefix = "cap-"
    /// The longest name, in Unicode scalars, without its number.
    private static let nameLimit = 90

    fileprivate init(
        number: Int, of key: CAPAlert.Key, _ source: WarningSourceID, _ info: CAPAlert.Info, _ area: CAPAlert.Area,
        shape: Shape, expires: Instant
    ) {
        let named = "\(source.text)\n\(key.sender)\n\(key.identifier)\n\(key.sent.milliseconds)"
        let digest = Array(SHA256.hash(data: Array(named.utf8)).prefix(16)).hexadecimal
        id = "\(Self.idPrefix)\(digest)-\(number)"
        let title = [info.headline, info.event, info.senderName].first { !$0.isEmpty } ?? "CAP"
        name = String(String.UnicodeScalarView(title.unicodeScalars.prefix(Self.nameLimit)))
        self.shape = shape
        severity = info.severity
        self.expires = expires
        properties = Self.properties(of: key, source, info, area, expires: expires)
    }

    /// Numbers regions of the same name.
    fileprivate static func number(_ regions: inout [WarningRegion]) {
        let counts = regions.reduce(into: [:]) { $0[$1.name, default: 0] += 1 }
        var numbers: [String: Int] = [:]
        for index in regions.indices {
            let name = regions[index].name
            guard counts[name, default: 0] > 1 else { continue }
            numbers[name, default: 0] += 1
            regions[index].name = "\(name) (\(numbers[name, default: 0]))"
        }
    }

    private static func properties(
        of key: CAPAlert.Key, _ source: WarningSourceID, _ info: CAPAlert.Info, _ area: CAPAlert.Area,
        expires: Instant
    ) -> String {
        let bytes = JSONWriter.object { writer in
            writer.key("warning")
            writer.beginObject()
            writer.member("headline", info.headline.isEmpty ? info.event : info.headline)
            writer.member("event", info.event)
            writer.member("severity", info.severity.word)
            if !info.urgency.isEmpty { writer.member("urgency", info.urgency) }
            if !info.certainty.isEmpty { writer.member("certainty", info.certainty) }
            writer.member("sender", info.senderName.isEmpty ? key.sender : info.senderName)
            if !area.description.isEmpty { writer.member("area", area.description) }
            if let onset = info.onset { writer.member("onset", onset) }
            writer.member("expires", expires)
            writer.member("language", info.language)
            if !info.description.isEmpty { writer.member("description", info.description) }
            if !info.instruction.isEmpty { writer.member("instruction", info.instruction) }
            writer.member("from", key.sender)
            writer.member("identifier", key.identifier)
            writer.member("sent", key.sent)
            writer.member("source", source.text)
            writer.endObject()
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// What a stored region says of the warning that it is of.
struct StoredWarning: Hashable, Sendable {
    let key: CAPAlert.Key
    let source: String
    let expires: Instant

    /// - Returns: nil for a region that is of no warning.
    init?(_ region: Region) {
        guard region.id.hasPrefix(WarningRegion.idPrefix), let properties = region.properties,
            let warning = (try? JSONValue(parsing: Array(properties.utf8)))?["warning"],
            let from = warning["from"]?.string, let identifier = warning["identifier"]?.string,
            let source = warning["source"]?.string,
            let sent = warning["sent"]?.string.flatMap({ try? Instant(rfc3339: $0) }),
            let expires = warning["expires"]?.string.flatMap({ try? Instant(rfc3339: $0) })
        else { return nil }
        key = CAPAlert.Key(sender: from, identifier: identifier, sent: sent)
        self.source = source
        self.expires = expires
    }
}
