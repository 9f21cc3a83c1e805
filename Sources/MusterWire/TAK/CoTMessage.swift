package import MusterCore
package import MusterGeometry

/// An event that Muster sends to TAK clients, in XML or as a message of TAK's protocol 1.
package struct CoTMessage: Hashable, Sendable {
    package var uid: String
    package var type: String
    package var how = "m-g"
    /// When the server made the event.
    package var time: Instant
    /// Since when it holds.
    package var start: Instant
    package var stale: Instant
    /// nil where the place is unknown.
    package var coordinate: Coordinate?
    package var height: Double?
    package var error: Double?
    /// The elements of the details, as XML.
    package var detail: CoTElements

    package init(
        uid: String, type: String, time: Instant, start: Instant? = nil, stale: Instant,
        at coordinate: Coordinate? = nil,
        height: Double? = nil, error: Double? = nil, detail: CoTElements = CoTElements()
    ) {
        self.uid = uid
        self.type = type
        self.time = time
        self.start = start ?? time
        self.stale = stale
        self.coordinate = coordinate
        self.height = height
        self.error = error
        self.detail = detail
    }

    /// The event as XML, with a declaration before it as ATAK's own have.
    package var xml: [UInt8] {
        var whole = CoTElements()
        whole.begin(
            "event",
            [
                ("version", "2.0"), ("uid", uid), ("type", type), ("how", how), ("time", time.rfc3339),
                ("start", start.rfc3339), ("stale", stale.rfc3339),
            ])
        whole.add(
            "point",
            [
                ("lat", Self.text(latitude)), ("lon", Self.text(longitude)), ("hae", Self.text(shownHeight)),
                ("ce", Self.text(shownError)), ("le", Self.text(CoTEvent.unknown)),
            ])
        whole.begin("detail", [])
        whole.append(detail)
        whole.end("detail")
        whole.end("event")
        return Array("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".utf8) + Array(whole.text.utf8)
    }

    var latitude: Double { coordinate?.latitude ?? 0 }
    var longitude: Double { coordinate?.longitude ?? 0 }
    var shownHeight: Double { height ?? CoTEvent.unknown }
    var shownError: Double { error ?? CoTEvent.unknown }

    private static func text(_ number: Double) -> String { "\(number)" }
}

/// Elements of XML that are being written. Every name and every value is escaped.
package struct CoTElements: Hashable, Sendable {
    /// The elements as XML.
    package private(set) var text = ""

    package init() {}

    /// Adds an element with attributes and, if wanted, a text.
    package mutating func add(_ name: String, _ attributes: [(String, String)], text content: String = "") {
        if content.isEmpty {
            addTag(name, attributes, end: "/>")
        } else {
            addTag(name, attributes, end: ">")
            text += Self.escaped(content)
            end(name)
        }
    }

    package mutating func begin(_ name: String, _ attributes: [(String, String)]) {
        addTag(name, attributes, end: ">")
    }

    package mutating func end(_ name: String) { text += "</\(name)>" }

    package mutating func append(_ elements: CoTElements) { text += elements.text }

    private mutating func addTag(_ name: String, _ attributes: [(String, String)], end: String) {
        text += "<\(name)"
        for (name, value) in attributes { text += " \(name)=\"\(Self.escaped(value))\"" }
        text += end
    }

    /// A text without the characters that XML does not allow, and with references for those that it gives a meaning.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "&": result += "&amp;"
            case "\"": result += "&quot;"
            case "'": result += "&apos;"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F || scalar.value & 0xFFFE == 0xFFFE: result += " "
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
