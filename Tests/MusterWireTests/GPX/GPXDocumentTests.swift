import MusterCore
import MusterGeometry
import Testing

@testable import MusterWire

struct GPXDocumentTests {
    private func fault(_ text: String, limits: GPXDocument.Limits = .init()) -> String? {
        do {
            _ = try GPXDocument(parsing: text.bytes, limits: limits)
            return nil
        } catch {
            return error.description
        }
    }

    private func track(_ points: String) -> String {
        "<gpx version='1.1'><trk><trkseg>\n\(points)</trkseg></trk></gpx>"
    }

    @Test func `a point is read with all that is known of it`() throws {
        let document = try GPXDocument(
            parsing: track(
                """
                <trkpt lat=" 47.25 " lon="-8.5"><ele>417.5</ele><time> 2026-11-21T06:00:00Z\n</time><hdop>1.2</hdop>\
                <name>a &amp; <![CDATA[<b>]]></name><extensions><t:TrackPointExtension><t:speed>1.5</t:speed>\
                <t:course>90</t:course></t:TrackPointExtension><m:accuracy>4</m:accuracy></extensions></trkpt>
                <trkpt lat="0" lon="0"><ele/><time></time></trkpt>
                """
            ).bytes)
        var expected = GPXDocument.Point(coordinate: Coordinate(validLatitude: 47.25, longitude: -8.5))
        expected.elevation = 417.5
        expected.time = Instant(milliseconds: 1_795_240_800_000)
        expected.dilution = 1.2
        expected.speed = 1.5
        expected.course = 90
        expected.accuracy = 4
        expected.name = "a & <b>"
        let bare = GPXDocument.Point(coordinate: Coordinate(validLatitude: 0, longitude: 0))
        #expect(document.tracks.map(\.segments) == [[[expected, bare]]])
    }

    @Test func `a fault in GPX is reported with its line`() {
        #expect(fault("<kml/>") == "line 1: the root element is kml, not gpx")
        #expect(fault(track("<trkpt lat='1'/>")) == "line 2: a point needs the attribute lon")
        #expect(fault(track("<trkpt lat='91' lon='0'/>")) == "line 2: lat 91.0 is off the globe")
        #expect(fault(track("<trkpt lat='0' lon='-180.5'/>")) == "line 2: lon -180.5 is off the globe")
        for text in ["", "nan", "inf", "0x1", "1,5", "1e999", "1 2"] {
            #expect(
                fault(track("<trkpt lat='\(text)' lon='0'/>")) == "line 2: lat must be a number, is \"\(text)\"")
        }
        #expect(
            fault(track("\n<trkpt lat='0' lon='0'><ele>high</ele></trkpt>"))
                == "line 3: ele must be a number, is \"high\"")
        #expect(
            fault(track("<trkpt lat='0' lon='0'><time>noon</time></trkpt>"))?.hasPrefix("line 2: time must be") == true)
        #expect(fault("<gpx><trk></gpx>") == "line 1: expected </trk>, found </gpx>")
        #expect(fault("<!DOCTYPE gpx><gpx/>") == "line 1: a document type is refused")
    }

    @Test func `files are bounded`() {
        var limits = GPXDocument.Limits()
        limits.points = 1
        limits.groups = 2
        limits.textBytes = 3
        #expect(fault(track("<trkpt lat='0' lon='0'/>"), limits: limits) == nil)
        #expect(
            fault(track("<trkpt lat='0' lon='0'/><trkpt lat='0' lon='0'/>"), limits: limits)
                == "line 2: more than 1 points")
        #expect(
            fault("<gpx><rte/><rte/><rte/></gpx>", limits: limits) == "line 1: more than 2 tracks, segments and routes")
        #expect(
            fault("<gpx><rte><name>abcd</name></rte></gpx>", limits: limits) == "line 1: a text is longer than 3 bytes")
        limits.bytes = 5
        #expect(fault("<gpx/> ", limits: limits) == "line 1: the file is larger than 5 bytes")
    }

    @Test func `a history that was exported is read again`() throws {
        let position = Position(
            coordinate: Coordinate(validLatitude: 47.25, longitude: 8.5),
            sampleTime: Instant(milliseconds: 1_795_240_800_123),
            receivedTime: Instant(milliseconds: 0), accuracy: 4.5, altitude: -0.0000001, speed: 1.5, heading: 90)
        var export = PositionExport(as: .gpx)
        export.begin()
        export.append(position, device: "a<b>")
        export.end()
        let document = try GPXDocument(parsing: export.takeBytes())
        let track = try #require(document.tracks.first)
        #expect(track.name == "a<b>")
        let point = try #require(track.segments.first?.first)
        #expect(point.coordinate == position.coordinate && point.time == position.sampleTime)
        #expect(point.elevation == position.altitude && point.accuracy == position.accuracy)
        #expect(point.speed == 1.5 && point.course == 90)
    }
}
