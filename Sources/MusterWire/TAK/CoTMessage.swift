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
    package var detail: XMLElements

    package init(
        uid: String, type: String, time: Instant, start: Instant? = nil, stale: Instant,
        at coordinate: Coordinate? = nil,
        height: Double? = nil, error: Double? = nil, detail: XMLElements = XMLElements()
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
        var whole = XMLElements()
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
