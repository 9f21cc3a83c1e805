import MusterCore
import MusterGeometry

/// Reads the elements of a CAP document. It knows elements by their names without a prefix, and skips those that it
/// does not know, such as signatures.
struct CAPReader {
    private var xml: XMLReader
    /// The names of the open elements, the outermost first.
    private var open: [String] = []
    private var text = ""
    /// The texts of the elements directly in the alert.
    private var head: [String: String] = [:]
    private var infos: [CAPAlert.Info] = []
    private var shapes = 0
    private var positions = 0
    private var leftOut = 0
    /// Whether the `info` element that began last is beyond the limit. All in it is skipped.
    private var isBeyondInfos = false
    /// Whether the `area` element that began last is beyond the limit. All in it is skipped.
    private var isBeyondAreas = false

    /// - Parameter xml: a reader that has just begun the element `alert`.
    init(_ xml: XMLReader) {
        self.xml = xml
        open = ["alert"]
    }

    mutating func read() throws(CAPError) -> CAPAlert {
        do throws(XMLError) {
            while try step() {}
        } catch {
            throw .xml(error)
        }
        return try alert()
    }

    /// Reads one event.
    ///
    /// - Returns: whether there are more.
    private mutating func step() throws(XMLError) -> Bool {
        switch try xml.next() {
        case .start:
            open.append(xml.localName)
            text = ""
            begin()
        case .end:
            end()
            open.removeLast()
        case .text: if isLeaf { text += try xml.text() }
        case .finished: return false
        }
        return true
    }

    /// Whether the innermost element is one whose text counts. The texts of a document are together no longer than it.
    private var isLeaf: Bool {
        switch open.count {
        case 2: open[1] != "info"
        case 3: open[1] == "info" && open[2] != "area" && !isBeyondInfos
        case 4: open[1] == "info" && open[2] == "area" && !isBeyondInfos && !isBeyondAreas
        default: false
        }
    }

    private mutating func begin() {
        if open.count == 2, open[1] == "info" {
            isBeyondInfos = infos.count >= CAPAlert.infoLimit
            if isBeyondInfos { leftOut += 1 } else { infos.append(CAPAlert.Info()) }
        }
        if open.count == 3, open[1] == "info", open[2] == "area", !isBeyondInfos, !infos.isEmpty {
            let info = infos.count - 1
            isBeyondAreas = infos[info].areas.count >= CAPAlert.shapeLimit
            if isBeyondAreas { leftOut += 1 } else { infos[info].areas.append(CAPAlert.Area()) }
        }
    }

    private mutating func end() {
        guard isLeaf, let name = open.last else { return }
        switch open.count {
        case 2: if head[name] == nil { head[name] = text.trimmed }
        case 3: if !infos.isEmpty { Self.set(name, text, of: &infos[infos.count - 1]) }
        default: endOfArea(name)
        }
        text = ""
    }

    private static func set(_ name: String, _ text: String, of info: inout CAPAlert.Info) {
        switch name {
        case "language": if !text.trimmed.isEmpty { info.language = text.plain(limit: 40) }
        case "event": info.event = text.plain(limit: 200)
        case "headline": info.headline = text.plain(limit: 200)
        case "senderName": info.senderName = text.plain(limit: 200)
        case "description": info.description = text.plain(limit: 3_000, keepsLines: true)
        case "instruction": info.instruction = text.plain(limit: 2_000, keepsLines: true)
        case "urgency":
            info.urgency = text.plain(limit: 20).lowercased()
            if info.urgency == "past" { info.isAllClear = true }
        case "certainty": info.certainty = text.plain(limit: 20).lowercased()
        case "responseType": if text.trimmed == "AllClear" { info.isAllClear = true }
        case "severity": info.severity = CAPAlert.Severity(rawValue: text.trimmed) ?? .unknown
        case "onset": info.onset = try? Instant(rfc3339: text.trimmed)
        case "expires": info.expires = try? Instant(rfc3339: text.trimmed)
        default: break
        }
    }

    // MARK: Areas

    private mutating func endOfArea(_ name: String) {
        guard let info = infos.indices.last, let area = infos[info].areas.indices.last else { return }
        switch name {
        case "areaDesc": infos[info].areas[area].description = text.plain(limit: 300)
        case "polygon": add(Self.polygon(text), to: info, area)
        case "circle": add(Self.circle(text), to: info, area)
        default: break
        }
    }

    private mutating func add(_ outline: CAPAlert.Outline?, to info: Int, _ area: Int) {
        guard let outline else {
            infos[info].areas[area].unreadable += 1
            return
        }
        var size = 1
        if case .polygon(let ring) = outline { size = ring.count }
        guard shapes < CAPAlert.shapeLimit, positions + size <= CAPAlert.positionLimit else {
            leftOut += 1
            return
        }
        shapes += 1
        positions += size
        infos[info].areas[area].shapes.append(outline)
    }

    /// Reads pairs `latitude,longitude` with white space between them; nil where one is none, or where there are fewer
    /// than three. A ring that is open is closed.
    private static func polygon(_ text: String) -> CAPAlert.Outline? {
        var ring: [RawVertex] = []
        for pair in text.split(whereSeparator: \.isSpaceOfXML) {
            guard let vertex = vertex(pair) else { return nil }
            ring.append(vertex)
        }
        guard ring.count >= 3, let first = ring.first else { return nil }
        if ring.last != first { ring.append(first) }
        return .polygon(ring)
    }

    /// Reads `latitude,longitude radius`, the radius in kilometres.
    private static func circle(_ text: String) -> CAPAlert.Outline? {
        let parts = text.split(whereSeparator: \.isSpaceOfXML)
        guard parts.count == 2, let centre = vertex(parts[0]), let kilometres = Double(parts[1]), kilometres.isFinite
        else { return nil }
        return .circle(centre, radiusMetres: kilometres * 1_000)
    }

    private static func vertex(_ pair: Substring) -> RawVertex? {
        let numbers = pair.split(separator: ",", maxSplits: 2, omittingEmptySubsequences: false)
        guard numbers.count == 2, let latitude = Double(numbers[0]), let longitude = Double(numbers[1]),
            latitude.isFinite, longitude.isFinite
        else { return nil }
        return RawVertex(longitude: longitude, latitude: latitude)
    }

    // MARK: The alert

    private func alert() throws(CAPError) -> CAPAlert {
        guard let kind = CAPAlert.Kind(rawValue: try required("msgType")) else { throw .invalid("msgType") }
        guard let sent = try? Instant(rfc3339: try required("sent")) else { throw .invalid("sent") }
        let status = try required("status")
        var alert = CAPAlert(
            key: CAPAlert.Key(sender: try name("sender"), identifier: try name("identifier"), sent: sent), kind: kind,
            isActual: status == "Actual", isPublic: (head["scope"] ?? "Public") == "Public",
            references: Self.references(head["references"] ?? ""), infos: infos)
        alert.leftOutShapes = leftOut
        return alert
    }

    private func required(_ name: String) throws(CAPError) -> String {
        guard let text = head[name], !text.isEmpty else { throw .missing(name) }
        return text
    }

    private func name(_ name: String) throws(CAPError) -> String {
        let text = try required(name)
        guard text.utf8.count <= CAPAlert.keyLimitBytes else { throw .invalid(name) }
        return text
    }

    /// Reads `sender,identifier,sent` with white space between them. What is no such triple is left out.
    private static func references(_ text: String) -> [CAPAlert.Key] {
        var keys: [CAPAlert.Key] = []
        for triple in text.split(whereSeparator: \.isSpaceOfXML) {
            guard keys.count < CAPAlert.referenceLimit else { break }
            // A sender or an identifier should have no comma; a sender that has one is all before the last two.
            let parts = triple.split(separator: ",", omittingEmptySubsequences: false)
            guard parts.count >= 3, let sent = try? Instant(rfc3339: String(parts[parts.count - 1])) else { continue }
            let sender = parts[..<(parts.count - 2)].joined(separator: ",")
            // No alert has longer ones.
            guard max(sender.utf8.count, parts[parts.count - 2].utf8.count) <= CAPAlert.keyLimitBytes else { continue }
            keys.append(CAPAlert.Key(sender: sender, identifier: String(parts[parts.count - 2]), sent: sent))
        }
        return keys
    }
}

extension Character {
    /// Whether it is white space of XML.
    fileprivate var isSpaceOfXML: Bool { self == " " || self == "\n" || self == "\t" || self == "\r" || self == "\r\n" }
}

extension String {
    /// The text for people: without control characters, white space joined, and cut to so many Unicode scalars.
    ///
    /// - Parameter keepsLines: whether line breaks stay.
    func plain(limit: Int, keepsLines: Bool = false) -> String {
        var result = String.UnicodeScalarView()
        var count = 0
        var isSpaceDue = false
        for scalar in unicodeScalars {
            guard count < limit else { break }
            switch scalar {
            case "\n" where keepsLines:
                guard count > 0 else { continue }
                result.append(scalar)
                count += 1
                isSpaceDue = false
            case _ where scalar.value <= 0x20 || (0x7F...0xA0).contains(scalar.value): isSpaceDue = count > 0
            default:
                if isSpaceDue, result.last != "\n" {
                    guard count + 1 < limit else { return String(result) }
                    result.append(" ")
                    count += 1
                }
                isSpaceDue = false
                result.append(scalar)
                count += 1
            }
        }
        while result.last == "\n" { result.removeLast() }
        return String(result)
    }
}
