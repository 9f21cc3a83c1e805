import MusterCore
import MusterGeometry
import Testing

@testable import MusterWire

/// The reading of alerts: as services publish them, malformed, and beyond the limits.
@Suite struct CAPAlertTests {
    private func alert(_ text: String) throws -> CAPAlert {
        let document = try Array(text.utf8).withUnsafeBytes { try WarningDocument(parsing: $0) }
        guard case .alert(let alert) = document else { throw CAPError.otherRoot("feed") }
        return alert
    }

    private func fault(_ text: String) -> CAPError? {
        #expect(throws: CAPError.self) { _ = try alert(text) }
    }

    /// A gale as a service of Europe warns of it: twice, in its own language and in English.
    private static let gale = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <alert xmlns="urn:oasis:names:tc:emergency:cap:1.2">
            <identifier>2.49.0.0.724.0.ES.20261201060000.610201</identifier>
            <sender>https://meteo.example/avisos</sender>
            <sent>2026-12-01T06:00:00+01:00</sent>
            <status>Actual</status>
            <msgType>Update</msgType>
            <scope>Public</scope>
            <code>1.0</code>
            <references>https://meteo.example/avisos,2.49.0.0.724.0.ES.20261130180000.610201,2026-11-30T18:00:00-00:00
                broken https://meteo.example/avisos,2.49.0.0.724.0.ES.20261129180000.610201,2026-11-29T18:00:00+01:00
            </references>
            <info>
                <language>es-ES</language>
                <category>Met</category>
                <event>Aviso de viento de nivel naranja</event>
                <responseType>Monitor</responseType>
                <urgency>Future</urgency>
                <severity>Severe</severity>
                <certainty>Likely</certainty>
                <effective>2026-12-01T06:00:00+01:00</effective>
                <onset>2026-12-01T12:00:00+01:00</onset>
                <expires>2026-12-01T23:59:59+01:00</expires>
                <senderName>Servicio de Meteorología</senderName>
                <headline>Aviso de viento &lt;naranja&gt;.
                    Costa&#9;occidental</headline>
                <description>Rachas de 100 km/h.
        Probabilidad: 70 %</description>
                <instruction><![CDATA[Quédese <b>dentro</b>.]]></instruction>
                <parameter><valueName>awareness_level</valueName><value>3; orange; Severe</value></parameter>
                <area>
                    <areaDesc>Costa occidental</areaDesc>
                    <polygon>43.7,-6.5 43.7,-5.5
                        43.4,-5.5 43.4,-6.5 43.7,-6.5</polygon>
                    <polygon>43.3,-6.5 43.3,-6.4 43.2,-6.4</polygon>
                    <polygon>43.3,-6.5 north 43.2,-6.4</polygon>
                    <circle>43.5,-6.0 12.5</circle>
                    <geocode><valueName>EMMA_ID</valueName><value>ES331</value></geocode>
                </area>
            </info>
            <info>
                <language>en-GB</language>
                <event>Orange wind warning</event>
                <urgency>Future</urgency><severity>Severe</severity><certainty>Likely</certainty>
                <area><areaDesc>West coast</areaDesc></area>
            </info>
        </alert>
        """

    @Test func `an alert is read with its languages, areas and references`() throws {
        let alert = try alert(Self.gale)
        let sender = "https://meteo.example/avisos"
        #expect(alert.key.identifier == "2.49.0.0.724.0.ES.20261201060000.610201")
        #expect(alert.key.sender == sender)
        #expect(alert.key.sent == (try Instant(rfc3339: "2026-12-01T05:00:00Z")))
        #expect(alert.kind == .update && alert.isActual && alert.isPublic)
        #expect(
            alert.references == [
                CAPAlert.Key(
                    sender: sender, identifier: "2.49.0.0.724.0.ES.20261130180000.610201",
                    sent: try Instant(rfc3339: "2026-11-30T18:00:00Z")),
                CAPAlert.Key(
                    sender: sender, identifier: "2.49.0.0.724.0.ES.20261129180000.610201",
                    sent: try Instant(rfc3339: "2026-11-29T17:00:00Z")),
            ])
        #expect(alert.infos.map(\.language) == ["es-ES", "en-GB"])
        let info = try #require(alert.infos.first)
        #expect(info.headline == "Aviso de viento <naranja>. Costa occidental")
        #expect(info.description == "Rachas de 100 km/h.\nProbabilidad: 70 %")
        #expect(info.instruction == "Quédese <b>dentro</b>.")
        #expect(info.severity == .severe && info.urgency == "future" && !info.isAllClear)
        #expect(info.onset == (try Instant(rfc3339: "2026-12-01T11:00:00Z")))
        #expect(info.expires == (try Instant(rfc3339: "2026-12-01T22:59:59Z")))
        let area = try #require(info.areas.first)
        #expect(area.description == "Costa occidental" && area.unreadable == 1)
        #expect(area.shapes.count == 3)
        let shapes = try area.shapes.map { try $0.shape() }
        #expect(shapes[0].boundingBox == BoundingBox(south: 43.4, west: -6.5, north: 43.7, east: -5.5))
        #expect(
            shapes[2] == .circle(Circle(centre: Coordinate(validLatitude: 43.5, longitude: -6), radius: 12_500)))
        #expect(alert.infos[1].areas.map(\.shapes) == [[]])
    }

    private static func minimal(_ change: (String, String) = ("", "")) -> String {
        """
        <alert><identifier>i</identifier><sender>s</sender><sent>2026-12-01T06:00:00Z</sent><status>Actual</status>
        <msgType>Alert</msgType><scope>Public</scope><info><event>Flood</event></info></alert>
        """.replacing(change.0, with: change.1)
    }

    @Test func `what is not meant, or not for all, is told apart`() throws {
        for status in ["Exercise", "System", "Test", "Draft", "actual"] {
            #expect(try !alert(Self.minimal(("Actual", status))).isActual)
        }
        #expect(try !alert(Self.minimal(("Public", "Restricted"))).isPublic)
        #expect(try alert(Self.minimal(("<scope>Public</scope>", ""))).isPublic)
        #expect(try alert(Self.minimal()).infos.map(\.language) == ["en-US"])
        #expect(try alert(Self.minimal()).infos.map(\.severity) == [.unknown])
        let past = Self.minimal(("</event>", "</event><urgency>Past</urgency>"))
        #expect(try alert(past).infos.map(\.isAllClear) == [true])
    }

    @Test func `a faulty document is refused in words`() {
        #expect(fault("<html/>")?.description == "the root element is html, not alert, feed or rss")
        #expect(fault("<alert/>")?.description == "the alert has no msgType")
        #expect(fault(Self.minimal(("<sender>s</sender>", "")))?.description == "the alert has no sender")
        #expect(fault(Self.minimal(("2026-12-01", "yesterday")))?.description == "the alert's sent cannot be read")
        #expect(fault(Self.minimal((">Alert<", ">Warn<")))?.description == "the alert's msgType cannot be read")
        let long = String(repeating: "x", count: 301)
        #expect(fault(Self.minimal((">i<", ">\(long)<")))?.description == "the alert's identifier cannot be read")
        #expect(fault("<alert><identifier>")?.description == "line 1: the text ends too early")
        #expect(fault("")?.description == "line 1: there is no element")
    }

    @Test func `a bomb of entities is refused before anything is expanded`() {
        let bomb = """
            <!DOCTYPE alert [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
            <alert><identifier>&b;</identifier></alert>
            """
        #expect(fault(bomb)?.description == "line 1: a document type is refused")
        #expect(fault(Self.minimal(("Flood", "&b;")))?.description == "line 2: there is no entity &b;")
        let deep = String(repeating: "<a>", count: 100)
        #expect(fault(Self.minimal(("Flood", deep)))?.description == "line 2: nested deeper than 32 elements")
    }

    @Test func `shapes and texts beyond the limits are counted and cut`() throws {
        let many = String(repeating: "<polygon>1,1 1,2 2,2</polygon>", count: 100_000)
        let flood = Self.minimal(("</event>", "</event><area>\(many)</area>"))
        let crowded = try alert(flood)
        #expect(crowded.infos.first?.areas.first?.shapes.count == CAPAlert.shapeLimit)
        #expect(crowded.leftOutShapes == 100_000 - CAPAlert.shapeLimit)
        let ring = String(repeating: "1,1 1,2 2,2 ", count: 40_000)
        let detailed = try alert(Self.minimal(("</event>", "</event><area><polygon>\(ring)</polygon></area>")))
        #expect(detailed.leftOutShapes == 1)
        let headline = String(repeating: "long\u{85}\u{7F} ", count: 1_000)
        let wordy = try alert(Self.minimal(("</event>", "</event><headline>\(headline)</headline>")))
        #expect(wordy.infos.first?.headline.unicodeScalars.count == 199)
        #expect(wordy.infos.first?.headline.hasPrefix("long long") == true)
        let infos = String(repeating: "<info></info>", count: 1_000)
        let late = "<info><event>Late</event><area><polygon>1,1 1,2 2,2</polygon></area></info>"
        let long = try alert(Self.minimal(("<info>", infos + late + "<info>")))
        #expect(long.infos.count == CAPAlert.infoLimit && long.leftOutShapes == 1_002 - CAPAlert.infoLimit)
        #expect(long.infos.allSatisfy { $0.event.isEmpty && $0.areas.isEmpty })
        let areas = String(repeating: "<area><areaDesc>Coast</areaDesc></area>", count: CAPAlert.shapeLimit)
        let far = "<area><areaDesc>Inland</areaDesc><polygon>1,1 1,2 2,2</polygon></area>"
        let wide = try #require(try alert(Self.minimal(("</event>", "</event>" + areas + far))).infos.first)
        #expect(wide.areas.count == CAPAlert.shapeLimit)
        #expect(wide.areas.allSatisfy { $0.description == "Coast" && $0.shapes.isEmpty })
    }

    @Test func `a shape that no region can have is refused in words`() throws {
        func detail(_ area: String) throws -> String? {
            let alert = try alert(Self.minimal(("</event>", "</event><area>\(area)</area>")))
            let outline = try #require(alert.infos.first?.areas.first?.shapes.first)
            return #expect(throws: ShapeError.self) { _ = try outline.shape() }?.detail
        }
        #expect(try detail("<polygon>91,0 91,1 92,1</polygon>") == "the position is off the globe")
        #expect(
            try detail("<polygon>0,0 1,1 0,1 1,0 0,0</polygon>")?.hasPrefix("the ring crosses or touches itself")
                == true)
        #expect(
            try detail("<circle>1,1 0</circle>") == "must be more than 0 and at most 100000 metres, is 0")
    }
}
