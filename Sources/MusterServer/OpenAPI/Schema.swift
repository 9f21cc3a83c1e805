import MusterCore

/// The JSON Schemas (2020-12) of the API, as OpenAPI 3.1 shows them.
package enum Schema {
    /// The number of items on a page.
    package static let limit = #"{"type":"integer","minimum":1,"maximum":1000,"default":100}"#
    /// The cursor of a page.
    package static let cursor = #"{"type":"string","maxLength":200}"#
    package static let time = #"{"type":"string","format":"date-time"}"#
    /// A sequence number of the log.
    package static let since = #"{"type":"integer","minimum":0,"maximum":\#(Query.largestSequence),"default":0}"#
    /// The format of an export.
    package static let exportForm = #"{"type":"string","enum":["json","geojson","gpx","csv","ndjson"]}"#
    package static let noteKind =
        #"{"type":"string","enum":["waypoint","card","steps","status","lwt","clock","properties"]}"#
    package static let name = #"{"type":"string","pattern":"\#(EntityName.pattern)","minLength":1,"maxLength":64}"#

    /// The schema of a path parameter.
    static func pathPart(_ name: String) -> String {
        switch name {
        case "zoom", "column", "row": #"{"type":"integer","minimum":0,"maximum":1073741823}"#
        case "region": #"{"type":"string","minLength":1,"maxLength":100}"#
        case "crew": crewName
        case "incident": #"{"type":"integer","minimum":1,"maximum":2147483647}"#
        case "person": #"{"type":"integer","minimum":-2147483648,"maximum":2147483647}"#
        case "letter": letterNumber
        case "db", "document", "attachment": #"{"type":"string","minLength":1}"#
        case "dataset": #"{"type":"string","pattern":"^[A-Za-z0-9_.:-]{1,128}$"}"#
        case "link": #"{"type":"string","pattern":"^[A-Za-z0-9_-]{16,24}$"}"#
        case "key": #"{"type":"string","pattern":"^[A-Za-z0-9_-]{16,20}$"}"#
        default: Self.name
        }
    }

    /// All schemas that routes name.
    package static let named: [(String, String)] =
        requests + users + answers + places + safety + personnelReports + rules + targets + locationTracker + located
        + datasets + push + beacons + signals + ranges + attendance + proximityRules + maps + links + regionFiles
        + replay + graphQL + deviceCredentials + warnings

    private static let filter =
        #"{"type":"string","enum":["\#(PositionFilter.allCases.map(\.rawValue).joined(separator: #"",""#))"]}"#
    private static let trackerSettings = [("filter", filter), ("collections", names), ("worksAtZero", boolean)]
    private static let policy =
        #"{"type":"string","enum":["\#(CrossingPolicy.allCases.map(\.rawValue).joined(separator: #"",""#))"]}"#
    private static let keyKind = words("token", "aws")
    private static let silence = #"{"type":"number","minimum":10,"maximum":604800}"#
    static let password = #"{"type":"string","minLength":8,"maxLength":1024}"#
    package static let text = #"{"type":"string","maxLength":4096}"#
    private static let names = #"{"type":"array","maxItems":1000,"items":\#(name)}"#

    /// An object schema with required and optional members; unless it is open, other members are not allowed.
    package static func object(
        _ members: [(String, String)], optional: [(String, String)] = [], isOpen: Bool = false
    ) -> String {
        let properties = (members + optional).map { #""\#($0.0)":\#($0.1)"# }.joined(separator: ",")
        let required = members.map { #""\#($0.0)""# }.joined(separator: ",")
        let rest = #""required":[\#(required)],"additionalProperties":\#(isOpen)"#
        return #"{"type":"object","properties":{\#(properties)},\#(rest)}"#
    }

    static func oneOf(_ schemas: String...) -> String { #"{"oneOf":[\#(schemas.joined(separator: ","))]}"# }

    package static func words(_ words: String...) -> String {
        #"{"enum":["\#(words.joined(separator: #"",""#))"]}"#
    }

    package static let integer = #"{"type":"integer"}"#
    package static let boolean = #"{"type":"boolean"}"#

    package static func reference(_ schema: String) -> String { "{\"$ref\":\"#/components/schemas/\(schema)\"}" }

    package static func list(of schema: String) -> String { #"{"type":"array","items":\#(schema)}"# }

    package static func page(of schema: String) -> String {
        object([("items", list(of: reference(schema)))], optional: [("nextCursor", cursor)])
    }

    private static let requests: [(String, String)] = [
        (
            "SignIn",
            oneOf(object([("name", text), ("password", text)]), object([("code", text)]))
        ),
        ("Refresh", object([("refreshToken", text)])),
        (
            "NewPassword",
            object(
                [("password", password)], optional: [("currentPassword", text), ("keep", list(of: endedCredentials))])
        ),
        ("NewTeam", object([("name", name)], optional: [("silenceSeconds", silence)] + incidentSettings)),
        ("TeamPatch", object([], optional: [("silenceSeconds", silence)] + incidentSettings)),
        ("NewDevice", object([("name", name)], optional: [("beacon", beacon)])),
        ("Recipient", object([("to", text)])),
        ("EncryptionKey", object([("key", #"{"type":"string","minLength":1,"maxLength":32}"#)])),
        ("NewCollection", object([("name", name)], optional: [("policy", policy)])),
        ("CollectionPatch", object([], optional: [("policy", policy)])),
        ("NewTracker", object([("name", name)], optional: trackerSettings)),
        ("TrackerPatch", object([], optional: trackerSettings)),
        (
            "NewKey",
            object(
                [("label", #"{"type":"string","maxLength":200}"#)],
                optional: [
                    ("user", name), ("kind", keyKind),
                    ("lastsSeconds", #"{"type":"number","minimum":1,"maximum":129600}"#),
                ])
        ),
        (
            "Report",
            oneOf(
                reference("NewPosition"), #"{"type":"array","maxItems":1000,"items":\#(reference("NewPosition"))}"#)
        ),
        ("ReportLines", #"{"type":"string","description":"A position object on each line, at most 1,000."}"#),
        ("OwnTracksMessage", #"{"type":["object","array"]}"#),
        ("TrackerPost", #"{"type":["object","array"]}"#),
        ("OverlandPost", #"{"type":"object"}"#),
        (
            "TextPost",
            object(
                [], optional: ["from", "text", "id", "time", "From", "Body", "MessageSid"].map { ($0, text) },
                isOpen: true)
        ),
        ("TextBody", text),
    ]

    private static let answers: [(String, String)] = [
        ("CouchError", object([("error", text), ("reason", text)], isOpen: true)),
        (
            "Problem",
            object(
                [("type", text), ("title", text), ("status", integer)],
                optional: [("detail", text), ("errors", list(of: reference("Fault"))), ("errorCount", integer)])
        ),
        (
            "Fault",
            object(
                [("pointer", text), ("detail", text)],
                optional: [
                    ("feature", integer), ("coordinate", reference("Coordinate")), ("line", integer), ("column", text),
                ])
        ),
        (
            "Session",
            object([
                ("accessToken", text), ("tokenType", #"{"const":"Bearer"}"#), ("expiresIn", integer),
                ("refreshToken", text), ("user", reference("User")),
            ])
        ),
        ("WhoAmI", object([("user", reference("User"))], optional: [("device", text)])),
        ("Team", object([("name", name), ("tracker", name), ("silenceSeconds", silence)] + incidentSettings)),
        ("TeamPage", page(of: "Team")),
        (
            "Device",
            object(
                [("id", text), ("user", name), ("name", name)],
                optional: [
                    ("alias", text), ("beacon", beacon), ("agreesToRanges", boolean),
                    ("position", reference("Position")),
                ] + whereabouts)
        ),
        ("DevicePage", page(of: "Device")),
        (
            "Collection",
            object([("name", name), ("policy", policy), ("regions", integer), ("mayChange", boolean)])
        ),
        ("CollectionPage", page(of: "Collection")),
        ("Tracker", object([("name", name)] + trackerSettings)),
        ("TrackerPage", page(of: "Tracker")),
        (
            "Key",
            object(
                [("id", text), ("label", text), ("createdAt", time), ("kind", keyKind)],
                optional: [("user", name), ("expiresAt", time)])
        ),
        (
            "MadeKey",
            object(
                [("id", text), ("label", text), ("createdAt", time), ("kind", keyKind)],
                optional: [
                    ("user", name), ("expiresAt", time), ("key", text), ("accessKeyId", text),
                    ("secretAccessKey", text), ("sessionToken", text),
                ])
        ),
        (
            "CognitoSettings",
            object([
                ("region", text), ("userPoolId", text), ("clientId", text), ("identityPoolId", text),
                ("identityId", text),
            ])
        ),
        (
            "CodePage",
            object([
                (
                    "items",
                    list(
                        of: object([
                            ("purpose", words("sign-up", "password")), ("user", name), ("code", text),
                            ("expiresAt", time),
                            ("wasSent", boolean),
                        ]))
                )
            ])
        ),
        ("KeyPage", object([("items", list(of: reference("Key")))])),
        (
            "Health",
            object(
                [("status", words("ok", "degraded", "damaged")), ("at", time)],
                optional: [
                    ("damaged", integer), ("sequence", since), ("serverClock", #"{"type":"object"}"#),
                    ("storage", reference("StorageHealth")),
                    ("certificate", object([("endsAt", time), ("ending", boolean)])),
                    (
                        "pushFaults",
                        list(of: object([("platform", text), ("reason", text), ("advice", text), ("since", time)]))
                    ),
                    ("warningFaults", list(of: object([("team", name), ("host", text), ("detail", text)]))),
                ])
        ),
        (
            "StorageHealth",
            object(
                [("writable", boolean), ("low", boolean), ("message", text)],
                optional: [("since", time), ("freeBytes", integer), ("reason", text)])
        ),
        ("AppAssociation", object([("applinks", #"{"type":"object"}"#), ("webcredentials", #"{"type":"object"}"#)])),
        ("KeySet", object([("keys", list(of: #"{"type":"object"}"#))])),
        (
            "Receipt",
            object(["accepted", "late", "repeated", "filtered", "sequence"].map { ($0, since) })
        ),
        (
            "ChangePage",
            object([("items", list(of: reference("Change"))), ("lastSequence", since), ("more", boolean)])
        ),
        (
            "Change",
            object(
                [
                    ("sequence", since), ("at", time),
                    (
                        "type",
                        words(
                            "position", "sighting", "note", "signal", "range", "crossing", "presence", "belief",
                            "safety",
                            "declaration", "reminder", "checkInTimer", "attendance", "proximity", "incident", "roll",
                            "region", "directory", "posted", "document", "dataset", "action")
                    ),
                ], isOpen: true)
        ),
        ("OwnTracksReply", #"{"type":["array","object"]}"#),
        ("OverlandReceipt", #"{"type":"object","required":["result"],"properties":{"result":{"const":"ok"}}}"#),
        (
            "ULoggerReceipt",
            #"{"type":"object","required":["error"],"#
                + #""properties":{"error":{"const":false},"trackid":{"type":"integer"}}}"#
        ),
        (
            "AmazonError",
            object(
                [("__type", text), ("message", text)],
                optional: [
                    ("reason", text), ("fieldList", list(of: object([("name", text), ("message", text)]))),
                ])
        ),
        ("Object", #"{"type":"object"}"#),
        ("Text", #"{"type":"string"}"#),
    ]

    private static let endedCredentials =
        #"{"enum":[\#(EndedCredentials.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ","))]}"#

    package static func number(_ range: ClosedRange<Double>) -> String {
        #"{"type":"number","minimum":\#(range.lowerBound),"maximum":\#(range.upperBound)}"#
    }

    private static let fix: [(String, String)] = [
        ("latitude", number(-90...90)), ("longitude", number(-180...180)), ("sampleTime", time),
    ]
    private static let measurements: [(String, String)] = [
        ("accuracy", number(0...1e8)), ("altitude", number(-1e7...1e7)), ("speed", number(0...1e6)),
        ("heading", number(0...360)), ("battery", number(0...100)), ("attributes", #"{"type":"object"}"#),
    ]

    private static let places: [(String, String)] = [
        (
            "NewPosition",
            object(
                fix,
                optional: [
                    ("device", #"{"type":"string","maxLength":129}"#), ("accuracyPercent", #"{"enum":[68,95]}"#),
                ]
                    + measurements, isOpen: true)
        ),
        (
            "Position",
            object(
                fix + [("receivedTime", time), ("source", text)],
                optional: [("device", text), ("late", boolean), ("reportedBy", name)] + measurements)
        ),
        (
            "LatestPositions",
            object(
                [
                    ("sequence", since), ("items", list(of: reference("Position"))),
                    ("clocks", list(of: reference("Clock"))),
                ], optional: [("nextCursor", cursor)])
        ),
        ("HistoryPage", page(of: "Position")),
        (
            "Sighting",
            object(
                [
                    ("uuid", #"{"type":"string","format":"uuid"}"#), ("major", integer), ("minor", integer),
                    ("sampleTime", time), ("receivedTime", time),
                    ("proximity", words("unknown", "immediate", "near", "far")),
                ], optional: [("distance", number(0...1e8)), ("signalStrength", number(-200...50))])
        ),
        ("SightingPage", page(of: "Sighting")),
        (
            "RefusedReport",
            object(
                [
                    ("number", integer), ("receivedTime", time), ("topic", text), ("reason", text), ("bytes", integer),
                ], optional: [("user", text), ("device", text), ("body", text)])
        ),
        ("RefusedReportPage", page(of: "RefusedReport")),
        (
            "Note",
            object(
                [("kind", noteKind), ("receivedTime", time), ("body", #"{"type":"object"}"#)],
                optional: [("key", text), ("sampleTime", time)])
        ),
        ("NotePage", page(of: "Note")),
        (
            "Presences",
            object(
                [("sequence", since), ("items", list(of: reference("Presence")))], optional: [("nextCursor", cursor)])
        ),
        (
            "Presence",
            object(
                [
                    ("device", text), ("user", name), ("region", #"{"type":"object"}"#),
                    ("standing", words("inside", "outside", "unknown")), ("since", time), ("sampleTime", time),
                ],
                optional: [
                    ("probability", number(0...1)), ("doubt", words("checking", "poorAccuracy", "stale")),
                    ("proximity", proximity), ("distance", number(0...1e6)),
                ])
        ),
        ("Coordinate", #"{"type":"array","minItems":2,"items":{"type":"number"}}"#),
        (
            "Feature",
            object(
                [("type", words("Feature")), ("geometry", oneOf(reference("Geometry"), #"{"type":"null"}"#))],
                optional: [
                    ("id", #"{"type":["string","number"]}"#), ("properties", #"{"type":["object","null"]}"#),
                    ("musterByRule", boolean), ("musterRules", list(of: name)),
                ],
                isOpen: true)
        ),
        (
            "FeatureCollection",
            object(
                [("type", words("FeatureCollection")), ("features", list(of: reference("AnyFeature")))],
                optional: [("nextCursor", cursor)], isOpen: true)
        ),
        ("AnyFeature", object([("type", words("Feature")), ("geometry", object([], isOpen: true))], isOpen: true)),
        ("FeatureOrCollection", oneOf(reference("Feature"), reference("FeatureCollection"))),
        (
            "Geometry",
            object(
                [("type", words("Polygon", "MultiPolygon", "Point")), ("coordinates", #"{"type":"array"}"#)],
                isOpen: true)
        ),
    ]
}
