import MusterCore
import MusterWire

/// JSON schemas of the OpenAPI document, for safety, incidents and rolls.
extension Schema {
    static let state = words(Safety.State.allCases.map(\.wireName.description))
    static let declarationID = #"{"type":"string","pattern":"^[A-Za-z0-9._-]{1,64}$"}"#
    static let sentence = #"{"type":"string","maxLength":1000}"#
    private static let declarationKind = words(Declaration.Kind.allCases.map(\.wireName.description))
    private static let incidentKind = words("real", "drill")
    private static let object = #"{"type":"object"}"#

    static func words(_ words: [String]) -> String {
        #"{"enum":["\#(words.joined(separator: #"",""#))"]}"#
    }

    /// The format of a report.
    package static let reportForm = words("json", "csv", "html")

    /// The members that describe a person's safety and its source.
    private static let known: [(String, String)] = [
        ("since", time), ("markedBy", text), ("acknowledged", boolean), ("acknowledgedBy", text), ("region", object),
        ("doubt", words("checking", "poorAccuracy", "stale")),
    ]
    static let source = words(
        "silence", "unlocated", "seemsToHaveLeft", "underReview", "region", "position", "ownDeclaration", "marked",
        "checkInTimer")
    private static let timerGraces: [(String, String)] = [
        ("leaderAfterSeconds", number(CheckInTimer.graceLimits)), ("sosAfterSeconds", number(CheckInTimer.graceLimits)),
    ]
    private static let timerNote = #"{"type":"string","maxLength":500}"#
    private static let incidentMembers: [(String, String)] = [
        ("number", integer), ("team", text), ("kind", incidentKind), ("startedAt", time), ("startedBy", text),
        ("open", boolean), ("happened", words(Incident.Turn.allCases.map(\.wireName.description))),
        ("allAccounted", boolean), ("leader", #"{"type":["string","null"]}"#),
    ]
    private static let closing: [(String, String)] = [
        ("note", text), ("closedAt", time),
        ("closedHow", words(Incident.Closing.How.wireNames.map(\.description))), ("closedBy", text),
        ("reason", text), ("takenOverBy", integer), ("allAccountedAt", time), ("reopenedAt", time),
        ("reopenedBy", text), ("reopenReason", text), ("positionsKeptUntil", time), ("displayNames", displayNames),
    ]

    /// A team's settings for its incidents.
    static let incidentSettings: [(String, String)] = [
        ("closesDrills", boolean), ("closesRealIncidents", boolean), ("closesAfterSeconds", number(0...86_400)),
        ("declaredHoldsSeconds", number(60...2_592_000)), ("showsSafetyAlways", boolean),
        ("parEverySeconds", parEvery), ("allowsPause", boolean),
    ]
    private static let rollState = words("safe", "offSite", "needsHelp", "unaccounted")
    private static let act = object(
        [("at", time)], optional: [("by", text), ("note", text), ("reason", text), ("team", text), ("device", text)])
    private static let counts: [(String, String)] = [
        ("people", since), ("accounted", since), ("checking", since), ("unaccounted", since),
    ]
    static let rollCounts = object(counts)
    private static let particulars = [("displayName", displayName), ("crew", crewName), ("phone", phone)]
    private static let rollMembers: [(String, String)] = [
        ("allAccountedTimes", list(of: object([("from", time)], optional: [("until", time)]))),
        ("counts", rollCounts),
        ("crews", list(of: object(counts, optional: [("crew", crewName), ("allAccountedTime", time)]))),
        ("roll", list(of: reference("RollPerson"))),
    ]
    private static let course = [
        ("handover", object([("at", time), ("to", text)], optional: [("by", text), ("from", text)])),
        (
            "closings",
            list(
                of: object(
                    [("closedAt", time)],
                    optional: [
                        ("closedBy", text), ("reason", text), ("counts", rollCounts), ("reopenedAt", time),
                        ("reopenedBy", text), ("reopenReason", text),
                    ]))
        ),
    ]
    private static let coordinates: [(String, String)] = [
        ("latitude", number(-90...90)), ("longitude", number(-180...180)),
    ]

    /// The schemas of people's safety, incidents, and the audit log.
    package static let safety: [(String, String)] = [
        (
            "TeamSafety",
            object(
                [
                    ("team", name), ("sequence", since), ("at", time),
                    (
                        "counts",
                        object(Safety.State.allCases.map { ($0.wireName.description, since) } + [("checking", since)])
                    ),
                    ("members", list(of: reference("Standing"))),
                ], optional: [("serverClock", reference("ServerClock")), ("displayNames", displayNames)])
        ),
        (
            "Standing",
            object(
                [("user", name), ("state", state), ("source", source)],
                optional: known + particulars + [
                    ("device", text), ("position", reference("Position")), ("checkInTimer", reference("CheckInTimer")),
                    ("pause", reference("Pause")),
                ] + whereabouts)
        ),
        (
            "NewCheckInTimer",
            object(
                [("intervalSeconds", number(CheckInTimer.intervalLimits))],
                optional: timerGraces + [("opensIncident", boolean), ("note", timerNote), ("sampleTime", time)])
        ),
        ("NewCheckIn", object([], optional: [("sampleTime", time)])),
        (
            "CheckInTimer",
            object(
                [
                    ("happened", words(CheckInTimer.Turn.allCases.map(\.wireName.description))), ("happenedAt", time),
                    ("lastWord", time), ("intervalSeconds", number(CheckInTimer.intervalLimits)),
                    ("opensIncident", boolean), ("setBy", text),
                ] + timerGraces, optional: [("by", text), ("dueAt", time), ("tellings", integer), ("note", text)])
        ),
        (
            "NewPause",
            object(
                [],
                optional: [
                    ("until", time), ("untilSeconds", number(1...Pause.limitSeconds)), ("note", timerNote),
                ])
        ),
        ("Pause", object([("since", time), ("until", time)], optional: [("note", text)])),
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
                ], optional: [("device", text), ("note", text), ("repeated", boolean)] + coordinates)
        ),
        ("DeclarationPage", page(of: "Declaration")),
        ("NewIncident", object([("kind", incidentKind)], optional: [("note", sentence), senderID])),
        ("IncidentReason", object([("reason", sentence)], optional: [senderID])),
        (
            "NewVisitor",
            object(
                [("name", #"{"type":"string","minLength":1,"maxLength":200}"#)],
                optional: [("state", rollState), ("note", sentence), senderID])
        ),
        ("RollMark", object([("state", rollState)], optional: [("note", sentence), senderID])),
        ("Incident", object(incidentMembers, optional: closing + par)),
        ("ClosedIncident", object(incidentMembers + [("counts", rollCounts)], optional: closing)),
        ("IncidentPage", page(of: "Incident")),
        ("IncidentRoll", object(incidentMembers + rollMembers, optional: closing + par + course)),
        (
            "IncidentReport",
            object(
                incidentMembers + rollMembers + [
                    ("parRounds", list(of: reference("PARRound"))), ("handovers", list(of: reference("RecordLine"))),
                    ("changes", list(of: reference("RecordLine"))),
                ], optional: closing + par + course)
        ),
        (
            "RollPerson",
            object(
                [
                    ("person", integer), ("user", text), ("visitor", boolean), ("left", boolean),
                    ("accounted", boolean), ("checking", boolean), ("state", state), ("source", source),
                ],
                optional: known + particulars + [
                    ("lastSeen", reference("LastSeen")), ("heard", time), ("battery", number(0...100)),
                    ("note", text), ("removed", act), ("moved", act),
                    ("deviceRemoved", act), ("takenOff", act), ("joinedTo", act),
                    ("unconfirmed", object([("kind", words("safe", "offSite")), ("at", time), ("by", text)])),
                    ("callSeenAt", time), ("firstAccountedTime", time),
                    ("mark", object([("state", state), ("at", time), ("by", text)], optional: [("note", text)])),
                    (
                        "said",
                        list(
                            of: object(
                                [("kind", declarationKind), ("at", time), ("note", text)], optional: [("by", text)]))
                    ),
                ])
        ),
        ("NewCallAcknowledgement", object([], optional: [senderID, ("sampleTime", time)])),
        (
            "CallAcknowledgement",
            object([("incident", integer), ("user", text), ("late", boolean)], optional: [("callSeenAt", time)])
        ),
        (
            "RecordLine",
            object(
                [("at", time), ("event", words(IncidentEntry.Event.allCases.map(\.wireName.description)))],
                optional: [("person", integer), ("user", text), ("state", state), ("source", source)] + known + [
                    ("lastSeen", reference("LastSeen")), ("by", text), ("note", text), ("reason", text),
                    ("team", text), ("device", text), ("to", text), ("from", text),
                    ("evidence", list(of: reference("Evidence"))),
                    ("declared", declarationKind), ("declaredTime", time), ("late", boolean),
                    ("firstAccounted", boolean), ("counts", rollCounts),
                ] + parNews)
        ),
        (
            "Evidence",
            object([("person", integer), ("user", text), ("state", state), ("source", source)], optional: known)
        ),
        ("LastSeen", object(coordinates + [("sampleTime", time)])),
        (
            "AuditPage",
            object([("items", list(of: reference("AuditEntry")))], optional: [("nextCursor", cursor)])
        ),
        (
            "AuditEntry",
            object(
                [("author", text), ("change", reference("Change"))],
                optional: [("device", text), ("by", text), ("details", list(of: reference("ChangedField")))])
        ),
        ("ChangedField", object([("field", text)], optional: [("before", "{}"), ("after", "{}")])),
    ]
}
