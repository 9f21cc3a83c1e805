package import MusterCore
import MusterGeometry

/// Writes positions in a format that other programs read, piece by piece, so that a long history needs little memory.
///
/// Call `begin`, then `append` for every position, then `end`. Call `takeBytes` whenever enough bytes have gathered.
package struct PositionExport {
    /// The formats of an export.
    package enum Form: String, Hashable, Sendable, CaseIterable, MediaForm {
        /// `{"items":[…],"nextCursor":…}`.
        case json
        /// An RFC 7946 FeatureCollection of Points.
        case geojson
        /// GPX 1.1 with a track for each device. Accuracy, speed, heading and battery are extensions in the namespace
        /// `urn:muster:gpx:1`, because GPX 1.1 has no element for them.
        case gpx
        /// RFC 4180 with a header line. A cell that a spreadsheet would take for a formula begins with an apostrophe.
        case csv
        /// A native position object on each line.
        case ndjson

        /// The value of the header `Content-Type`.
        package var contentType: String {
            switch self {
            case .json: "application/json"
            case .geojson: "application/geo+json"
            case .gpx: "application/gpx+xml"
            case .csv: "text/csv; charset=utf-8"
            case .ndjson: "application/x-ndjson"
            }
        }

        /// The format with a media type, whatever its parameters and case; nil when there is none.
        package init?(mediaType: String) {
            guard let form = Self.named(mediaType) else { return nil }
            self = form
        }
    }

    /// The format of this export.
    package let form: Form
    private var writer = JSONWriter()
    /// The device whose GPX track is open.
    private var openTrack: String?

    /// Creates an export that has written nothing yet.
    package init(as form: Form) { self.form = form }

    /// Writes everything before the first position.
    package mutating func begin() {
        switch form {
        case .json:
            writer.beginObject()
            writer.key("items")
            writer.beginArray()
        case .geojson:
            writer.beginObject()
            writer.member("type", "FeatureCollection")
            writer.key("features")
            writer.beginArray()
        case .gpx: writer.text(GPXText.header)
        case .csv: writer.text(CSVText.header)
        case .ndjson: break
        }
    }

    /// Writes a position.
    ///
    /// - Parameters:
    ///   - device: the device, such as `alice/phone`. For GPX the positions of a device must follow each other.
    ///   - reporter: the name of the user who reported it for another user; only the JSON formats include it.
    package mutating func append(_ position: Position, device: String, reporter: String? = nil) {
        switch form {
        case .json: writer.value(position, device: device, reporter: reporter)
        case .geojson: writer.feature(position, device: device, reporter: reporter)
        case .gpx:
            if openTrack != device {
                if openTrack != nil { writer.text(GPXText.endOfTrack) }
                writer.text(GPXText.beginning(ofTrack: device))
                openTrack = device
            }
            writer.text(GPXText.point(position))
        case .csv: writer.text(CSVText.line(position, device: device))
        case .ndjson:
            writer.value(position, device: device, reporter: reporter)
            writer.endLine()
        }
    }

    /// Writes everything after the last position.
    ///
    /// - Parameter nextCursor: where the next page begins; only JSON and GeoJSON include it.
    package mutating func end(nextCursor: String? = nil) {
        switch form {
        case .json, .geojson:
            writer.endArray()
            if let nextCursor { writer.member("nextCursor", nextCursor) }
            writer.endObject()
        case .gpx:
            if openTrack != nil { writer.text(GPXText.endOfTrack) }
            writer.text(GPXText.footer)
        case .csv, .ndjson: break
        }
    }

    /// Returns the bytes written so far and removes them.
    package mutating func takeBytes() -> [UInt8] { writer.takeBytes() }
}

/// GPX 1.1, https://www.topografix.com/GPX/1/1/gpx.xsd
enum GPXText {
    static let header = """
        <?xml version="1.0" encoding="UTF-8"?>
        <gpx version="1.1" creator="Muster" xmlns="http://www.topografix.com/GPX/1/1" xmlns:muster="urn:muster:gpx:1">

        """
    static let footer = "</gpx>\n"
    static let endOfTrack = "</trkseg></trk>\n"

    static func beginning(ofTrack name: String) -> String { "<trk><name>\(escaped(name))</name><trkseg>\n" }

    static func point(_ position: Position) -> String {
        var text = "<trkpt lat=\"\(JSONWriter.text(position.coordinate.latitude))\""
        text += " lon=\"\(JSONWriter.text(position.coordinate.longitude))\">"
        if let altitude = position.altitude { text += "<ele>\(decimal(altitude.value))</ele>" }
        text += "<time>\(position.sampleTime.rfc3339)</time>"
        let extensions: [(String, Double?)] = [
            ("accuracy", position.accuracy?.value), ("speed", position.speed), ("heading", position.heading),
            ("battery", position.battery),
        ]
        let known = extensions.compactMap { name, value in
            value.map { "<muster:\(name)>\(decimal($0))</muster:\(name)>" }
        }
        if !known.isEmpty { text += "<extensions>\(known.joined())</extensions>" }
        return text + "</trkpt>\n"
    }

    /// Returns XML text that reads back as `text`. Characters that XML cannot hold become U+FFFD.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\t", "\n", "\r": result += "&#\(scalar.value);"
            case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Returns a number as `xsd:decimal`, which has no exponent. A number that would need one is rounded to the tenth
    /// of a micrometre.
    private static func decimal(_ number: Double) -> String {
        let text = JSONWriter.text(number)
        guard text.contains("e") else { return text }
        return JSONWriter.text((number * 1e7).rounded() / 1e7)
    }
}

/// RFC 4180.
enum CSVText {
    static let header =
        "device,sampleTime,receivedTime,latitude,longitude,accuracy,altitude,speed,heading,battery,source,attributes"
        + "\r\n"

    static func line(_ position: Position, device: String) -> String {
        let numbers = [
            position.coordinate.latitude, position.coordinate.longitude, position.accuracy?.value,
            position.altitude?.value, position.speed, position.heading, position.battery,
        ]
        var cells = [cell(device), position.sampleTime.rfc3339, position.receivedTime.rfc3339]
        cells += numbers.map { $0.map(JSONWriter.text) ?? "" }
        cells += [position.source.wireName.description, cell(position.attributes ?? "")]
        return cells.joined(separator: ",") + "\r\n"
    }

    /// Returns a text as a cell: quoted when necessary, and never a formula for a spreadsheet (OWASP, CSV injection).
    static func cell(_ text: String) -> String {
        var text = text
        if let first = text.unicodeScalars.first, "=+-@\t\r\n".unicodeScalars.contains(first) { text = "'" + text }
        guard text.unicodeScalars.contains(where: { "\",\r\n".unicodeScalars.contains($0) }) else { return text }
        var quoted = "\""
        for scalar in text.unicodeScalars {
            if scalar == "\"" { quoted += "\"" }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "\""
    }
}

extension JSONWriter {
    /// Appends text of another format unchanged.
    fileprivate mutating func text(_ text: String) {
        var text = text
        text.withUTF8 { append($0) }
    }
}
