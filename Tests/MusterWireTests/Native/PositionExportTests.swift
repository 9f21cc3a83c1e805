import MusterCore
import MusterGeometry
import Testing

@testable import MusterWire

struct PositionExportTests {
    private let full = Position(
        coordinate: Coordinate(validLatitude: 37.389916, longitude: -122.0838382),
        sampleTime: Instant(milliseconds: 1_795_240_800_000), receivedTime: Instant(milliseconds: 1_795_240_900_123),
        accuracy: 8.5, altitude: -3, speed: 1.5, heading: 90, battery: 87, source: .ownTracks,
        attributes: #"{"tid":"ab"}"#)
    private let bare = Position(
        coordinate: Coordinate(validLatitude: -1, longitude: 0), sampleTime: Instant(milliseconds: 0),
        receivedTime: Instant(milliseconds: 1))

    private func export(
        as form: PositionExport.Form, _ positions: [(Position, String)], nextCursor: String? = nil
    ) -> String {
        var export = PositionExport(as: form)
        export.begin()
        var bytes = export.takeBytes()
        for (position, device) in positions {
            export.append(position, device: device)
            bytes += export.takeBytes()
        }
        export.end(nextCursor: nextCursor)
        return (bytes + export.takeBytes()).text
    }

    private let fullObject =
        #"{"device":"alice/phone","latitude":37.389916,"longitude":-122.0838382,"#
        + #""sampleTime":"2026-11-21T06:00:00.000Z","receivedTime":"2026-11-21T06:01:40.123Z","accuracy":8.5,"#
        + #""altitude":-3,"speed":1.5,"heading":90,"battery":87,"source":"owntracks","attributes":{"tid":"ab"}}"#
    private let bareObject =
        #"{"device":"b","latitude":-1,"longitude":0,"sampleTime":"1970-01-01T00:00:00.000Z","#
        + #""receivedTime":"1970-01-01T00:00:00.001Z","source":"native"}"#

    @Test func `JSON is a page of position objects`() {
        #expect(
            export(as: .json, [(full, "alice/phone"), (bare, "b")], nextCursor: "c\"")
                == #"{"items":[\#(fullObject),\#(bareObject)],"nextCursor":"c\""}"#)
        #expect(export(as: .json, []) == #"{"items":[]}"#)
    }

    @Test func `lines are position objects`() {
        #expect(export(as: .ndjson, [(full, "alice/phone"), (bare, "b")]) == "\(fullObject)\n\(bareObject)\n")
        #expect(export(as: .ndjson, []) == "")
    }

    @Test func `exported lines are read again`() throws {
        let lines = export(as: .ndjson, [(full, "alice/phone"), (bare, "b")])
        let read = try PositionDecoder.decode(
            lines.bytes, as: .lines, receivedAt: full.receivedTime, source: .ownTracks)
        #expect(read.deviceNames == ["alice/phone", "b"])
        #expect(read.items.first?.position == full)
    }

    @Test func `GeoJSON puts longitude first`() {
        let properties = fullObject.replacing(#""latitude":37.389916,"longitude":-122.0838382,"#, with: "")
        #expect(
            export(as: .geojson, [(full, "alice/phone")], nextCursor: "n")
                == #"{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"Point","#
                + #""coordinates":[-122.0838382,37.389916,-3]},"properties":\#(properties)}],"nextCursor":"n"}"#)
        #expect(export(as: .geojson, []) == #"{"type":"FeatureCollection","features":[]}"#)
    }

    @Test func `GPX has a track for each device`() {
        #expect(
            export(as: .gpx, [(full, "a<&\"\u{1}"), (bare, "b"), (bare, "b")]) == """
                <?xml version="1.0" encoding="UTF-8"?>
                <gpx version="1.1" creator="Muster" xmlns="http://www.topografix.com/GPX/1/1" \
                xmlns:muster="urn:muster:gpx:1">
                <trk><name>a&lt;&amp;&quot;\u{FFFD}</name><trkseg>
                <trkpt lat="37.389916" lon="-122.0838382"><ele>-3</ele><time>2026-11-21T06:00:00.000Z</time>\
                <extensions><muster:accuracy>8.5</muster:accuracy><muster:speed>1.5</muster:speed>\
                <muster:heading>90</muster:heading><muster:battery>87</muster:battery></extensions></trkpt>
                </trkseg></trk>
                <trk><name>b</name><trkseg>
                <trkpt lat="-1" lon="0"><time>1970-01-01T00:00:00.000Z</time></trkpt>
                <trkpt lat="-1" lon="0"><time>1970-01-01T00:00:00.000Z</time></trkpt>
                </trkseg></trk>
                </gpx>

                """)
        #expect(export(as: .gpx, []).hasSuffix("gpx:1\">\n</gpx>\n"))
    }

    @Test func `CSV quotes text and lets no formula through`() {
        #expect(
            export(as: .csv, [(full, "=cmd|' /C calc'!A0"), (bare, "b")])
                == "device,sampleTime,receivedTime,latitude,longitude,accuracy,altitude,speed,heading,battery,source,"
                + "attributes\r\n"
                + "'=cmd|' /C calc'!A0,2026-11-21T06:00:00.000Z,2026-11-21T06:01:40.123Z,37.389916,-122.0838382,8.5,"
                + "-3,1.5,90,87,owntracks,\"{\"\"tid\"\":\"\"ab\"\"}\"\r\n"
                + "b,1970-01-01T00:00:00.000Z,1970-01-01T00:00:00.001Z,-1,0,,,,,,native,\r\n")
        for text in ["=1", "+1", "-1", "@x", "\tx", "\rx", "\r\nx"] {
            #expect(CSVText.cell(text).drop { $0 == "\"" }.hasPrefix("'"))
        }
        #expect(CSVText.cell("a\"\u{301}b") == "\"a\"\"\u{301}b\"")
        #expect(CSVText.cell("a,b\r\n") == "\"a,b\r\n\"")
    }

    @Test func `forms are found by their media type`() {
        #expect(PositionExport.Form(mediaType: "Application/GPX+xml") == .gpx)
        #expect(PositionExport.Form(mediaType: "text/csv; header=present") == .csv)
        #expect(PositionExport.Form(mediaType: "text/html") == nil)
        #expect(PositionExport.Form(rawValue: "geojson") == .geojson)
    }
}
