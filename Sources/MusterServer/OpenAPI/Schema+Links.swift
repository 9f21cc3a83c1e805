import MusterCore
import MusterWire

/// The schemas of links.
extension Schema {
    private static let linkKind = words(Link.Kind.allCases.map(\.rawValue))
    private static let linkMembers: [(String, String)] = [
        ("link", text), ("kind", linkKind), ("createdTime", time), ("createdBy", text), ("expiresTime", time),
        ("note", text),
    ]
    private static let linkSubjects: [(String, String)] = [
        ("user", text), ("incident", integer), ("team", text), ("state", words("safe", "unaccounted")),
        ("kml", boolean),
    ]
    private static let stateMembers: [(String, String)] = [("state", state), ("source", source)]

    package static let links: [(String, String)] = [
        (
            "NewLink",
            object(
                [("kind", linkKind), ("expiresSeconds", number(Identity.linkSeconds))],
                optional: [
                    ("user", text), ("incident", #"{"type":"integer","minimum":1,"maximum":2147483647}"#),
                    ("team", text), ("state", words("safe", "unaccounted")), ("kml", boolean),
                    ("note", #"{"type":"string","maxLength":200}"#),
                ])
        ),
        ("GivenLink", object(linkMembers + [("url", text)], optional: linkSubjects + [("kmlURL", text)])),
        ("Link", object(linkMembers, optional: linkSubjects)),
        ("LinkPage", page(of: "Link")),
        (
            "Shared",
            object(
                [("kind", linkKind), ("expiresTime", time), ("asOf", time), ("serverTime", time)],
                optional: [
                    ("team", text), ("user", text), ("displayName", displayName), ("person", reference("SharedPerson")),
                    ("incident", oneOf(reference("SharedIncident"), #"{"type":"null"}"#)),
                ])
        ),
        (
            "SharedPerson",
            object(
                [("name", text), ("showsSafety", boolean)] + stateMembers,
                optional: [
                    ("displayName", displayName), ("since", time), ("doubt", text), ("lastHeard", time),
                    (
                        "position",
                        object(
                            [("latitude", number(-90...90)), ("longitude", number(-180...180)), ("sampleTime", time)],
                            optional: [("accuracy", number(0...1e8))])
                    ),
                ])
        ),
        (
            "SharedIncident",
            object(
                [("number", integer), ("kind", words("real", "drill"))],
                optional: [
                    ("note", text), ("startedTime", time), ("closedTime", time), ("counts", rollCounts),
                    ("roll", list(of: reference("SharedRollPerson"))), ("regions", reference("FeatureCollection")),
                ])
        ),
        (
            "SharedRollPerson",
            object(
                [("name", text)] + stateMembers + [("accounted", boolean), ("checking", boolean)],
                optional: [("displayName", displayName), ("crew", text), ("since", time), ("doubt", text)])
        ),
        (
            "SharedVisitor",
            object(
                [
                    ("id", #"{"type":"string","minLength":1,"maxLength":100}"#),
                    ("name", #"{"type":"string","minLength":1,"maxLength":200}"#),
                ], optional: [("note", #"{"type":"string","maxLength":500}"#)])
        ),
        ("SharedVisit", object([("name", text), ("time", time)])),
        ("SharedPassword", object([("password", #"{"type":"string","minLength":8,"writeOnly":true}"#)])),
    ]
}
