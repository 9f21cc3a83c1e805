import HTTPTypes
import Hummingbird
import MusterServer
import MusterWire

/// A protocol of tracker apps. The raw value is its path.
enum TrackerApp: String, CaseIterable {
    /// OsmAnd's protocol: Traccar Client, GPSLogger and others.
    case osmAnd = "osmand"
    /// Overland for iPhone and Android.
    case overland
    /// μlogger for Android.
    case uLogger = "ulogger"

    /// The methods by which apps report.
    var methods: [HTTPRequest.Method] {
        switch self {
        case .osmAnd: [.get, .post]
        case .overland, .uLogger: [.post]
        }
    }

    /// The paths to which apps post.
    var paths: [String] {
        let script = self == .uLogger ? "/client/index.php" : ""
        return ["/\(rawValue)\(script)", "/\(rawValue)/{token}\(script)"]
    }

    /// Whether an app that is told 401 asks its user for the right token, and keeps its reports meanwhile.
    var keepsReportsWhenUnauthorized: Bool { self == .uLogger }

    /// The answer that lets the app forget a report.
    var acknowledgement: Response {
        switch self {
        case .osmAnd: Response(status: .ok)
        // Overland keeps its batch on any other body.
        case .overland:
            .json { writer in
                writer.beginObject()
                writer.member("result", "ok")
                writer.endObject()
            }
        // The server keeps no tracks: the app gets the same number for each, which it wants above 0.
        case .uLogger:
            .json { writer in
                writer.beginObject()
                writer.member("error", false)
                writer.member("trackid", 1)
                writer.endObject()
            }
        }
    }

    /// What the OpenAPI document says of the routes.
    var documentation: Route.Documentation {
        switch self {
        case .osmAnd:
            .init(
                "Trackers",
                "Receive the reports of Traccar Client, GPSLogger and other apps that speak OsmAnd's protocol. The "
                    + "fields come in the query or as a form, or the report is JSON.",
                query: Self.osmAndFields.map { .init($0.name, $0.summary, schema: #"{"type":"string"}"#) },
                body: ["application/json": "TrackerPost"],
                answers: [
                    .init(200, "Stored durably."), .init(503, "The app keeps the report and tries again."),
                ])
        case .overland:
            .init(
                "Trackers", "Receive the batches of Overland.",
                query: [
                    .init(
                        "token", "The token of the device, if it is neither in the path nor in `Authorization`.",
                        schema: #"{"type":"string"}"#)
                ], body: ["application/json": "OverlandPost"],
                answers: [
                    .init(200, "Stored durably.", json: "OverlandReceipt"),
                    .init(503, "The app keeps the batch and tries again."),
                ])
        case .uLogger:
            .init(
                "Trackers",
                "Receive the positions of μlogger, as forms: `action` is `auth`, `addtrack` or `addpos`. The password "
                    + "is the token of the device.",
                answers: [
                    .init(200, "Stored durably.", json: "ULoggerReceipt"),
                    .init(503, "The app keeps the position and tries again."),
                ])
        }
    }

    private static let osmAndFields: [(name: String, summary: String)] = [
        ("id", "The token of the device, if it is neither in the path nor in `Authorization`."),
        ("lat", "The latitude in degrees."), ("lon", "The longitude in degrees."),
        ("timestamp", "Seconds or milliseconds since 1970, or ISO 8601. Without it the report counts as made now."),
        ("accuracy", "In metres."), ("altitude", "In metres."), ("speed", "In knots; `spd` is in metres a second."),
        ("bearing", "In degrees."), ("batt", "The battery's charge in per cent."),
        ("alarm", "`sos` declares that the person is in danger."),
    ]
}
