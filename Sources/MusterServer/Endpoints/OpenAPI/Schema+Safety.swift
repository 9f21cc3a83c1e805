import MusterCore
import MusterWire

extension Schema {
    private static let state = words(Safety.State.allCases.map(\.wireName.description))
    private static let declarationID = #"{"type":"string","pattern":"^[A-Za-z0-9._-]{1,64}$"}"#
    private static let sentence = #"{"type":"string","maxLength":1000}"#
    private static let declarationKind = words(Declaration.Kind.allCases.map(\.wireName.description))
    private static let incidentKind = words("real", "drill")
    private static let object = #"{"type":"object"}"#

    private static func words(_ words: [String]) -> String {
        #"{"enum":["\#(words.joined(separator: #"",""#))"]}"#
    }

    /// The form of a report.
    static let reportForm = words("json", "csv", "html")

    /// How someone is, and how that is known.
    private static let known: [(String, String)] = [
        ("since", time), ("markedBy", text), ("acknowledged", boolean), ("acknowledgedBy", text), ("region", object),
    ]
    private static let source = words("silence", "region", "position", "ownDeclaration", "marked")
    private static let incidentMembers: [(String, String)] = [
        ("number", integer), ("team", text), ("kind", incidentKind), ("startedAt", time), ("startedBy", text),
        ("open", boolean),
    ]
    private static let closing: [(String, String)] = [
        ("note", text), ("closedAt", time), ("closedHow", words("allAccounted", "byHand", "teamGone")),
        ("closedBy", text), ("reason", text),
    ]
    private static let rollMembers: [(String, String)] = [
        ("counts", object([("people", since), ("accounted", since), ("unaccounted", since)])),
        ("roll", list(of: reference("RollPerson"))),
    ]
    private static let coordinates: [(String, String)] = [
        ("latitude", number(-90...90)), ("longitude", number(-180...180)),
    ]

    /// People's safety, incidents, and the audit log.
    static let safety: [(String, String)] = [
        (
            "TeamSafety",
            object([
                ("team", name), ("sequence", since), ("at", time),
                ("counts", object(Safety.State.allCases.map { ($0.wireName.description, since) })),
                ("members", list(of: reference("Standing"))),
            ])
        ),
        (
            "Standing",
            object(
                [("user", name), ("state", state), ("source", source)],
                optional: known + [("device", text), ("position", reference("Position"))])
        ),
        (
            "NewDeclaration",
            object(
                [("kind", declarationKind)],
                optional: [("id", declarationID), ("sampleTime", time), ("note", sentence)] + coordinates)
        ),
        (
            "DeclarationReceipt",
            object([
                ("id", declarationID), ("repeated", boolean), ("late", boolean), ("sequence", since),
                ("safety", reference("Safety")),
            ])
        ),
        ("Safety", object([("state", state), ("source", source)], optional: known)),
        (
            "Declaration",
            object(
                [
                    ("id", declarationID), ("user", text), ("kind", declarationKind), ("author", text),
                    ("sampleTime", time), ("receivedTime", time), ("late", boolean),
                ], optional: [("device", text), ("note", text)] + coordinates)
        ),
        ("DeclarationPage", page(of: "Declaration")),
        ("NewIncident", object([("kind", incidentKind)], optional: [("note", sentence)])),
        ("IncidentClosing", object([("reason", sentence)])),
        ("Incident", object(incidentMembers, optional: closing)),
        ("IncidentPage", page(of: "Incident")),
        ("IncidentRoll", object(incidentMembers + rollMembers, optional: closing + [("allSafeAt", time)])),
        (
            "IncidentReport",
            object(
                incidentMembers + rollMembers + [("changes", list(of: reference("RecordLine")))],
                optional: closing + [("allSafeAt", time)])
        ),
        (
            "RollPerson",
            object(
                [("user", text), ("left", boolean), ("accounted", boolean), ("state", state), ("source", source)],
                optional: known + [("lastSeen", reference("LastSeen"))])
        ),
        (
            "RecordLine",
            object(
                [
                    ("at", time), ("user", text), ("event", words("present", "changed", "joined", "left")),
                    ("state", state), ("source", source),
                ], optional: known + [("lastSeen", reference("LastSeen"))])
        ),
        ("LastSeen", object(coordinates + [("sampleTime", time)])),
        (
            "AuditPage",
            object([("items", list(of: reference("AuditEntry")))], optional: [("nextCursor", cursor)])
        ),
        ("AuditEntry", object([("author", text), ("change", reference("Change"))], optional: [("device", text)])),
    ]
}
