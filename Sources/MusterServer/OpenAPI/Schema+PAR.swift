import MusterCore

/// JSON schemas of the OpenAPI document, for PAR and handovers.
extension Schema {
    /// The sender's id of a request: the same id again changes nothing.
    static let senderID = ("id", declarationID)
    /// The seconds from one PAR to the next; null while only users request it.
    static let parEvery = #"{"type":["number","null"],"minimum":60,"maximum":86400}"#
    private static let grace = number(PARTimer.graceLimits)
    private static let count: [(String, String)] = [("people", since)]
    private static let counted: [(String, String)] = [
        ("crew", crewName), ("visitors", boolean), ("present", since),
    ]

    /// The members of an incident that describe its PAR.
    static let par: [(String, String)] = [
        ("par", reference("PAR")),
        ("parTimer", object([("everySeconds", parEvery), ("graceSeconds", grace)], optional: [("nextTime", time)])),
    ]
    /// The members of a line about PAR.
    static let parNews: [(String, String)] = [
        ("parNumber", since), ("dueTime", time), ("crew", crewName), ("visitors", boolean), ("people", since),
        ("present", since),
        ("crews", list(of: object(count, optional: counted))), ("everySeconds", parEvery), ("graceSeconds", grace),
    ]
    private static let round: [(String, String)] = [
        ("number", since), ("requestedTime", time), ("requestedBy", #"{"type":["string","null"]}"#), ("dueTime", time),
        ("isComplete", boolean), ("crews", list(of: reference("PARCrew"))),
    ]
    private static let roundTimes: [(String, String)] = [
        ("note", text), ("completeTime", time), ("overdueTime", time), ("endedTime", time),
    ]

    /// The schemas of PAR and handovers.
    package static let personnelReports: [(String, String)] = [
        ("NewPAR", object([], optional: [("note", sentence), senderID])),
        ("PARTimer", object([("everySeconds", parEvery)], optional: [("graceSeconds", grace)])),
        (
            "PARReport",
            object(
                [("present", number(PARRound.presentLimits))],
                optional: [
                    ("crew", crewName), ("visitors", boolean), ("number", number(1...Double(PARRound.limit))),
                    ("note", sentence), senderID,
                ])
        ),
        ("Handover", object([("to", name)], optional: [("note", sentence), senderID])),
        (
            "PAR",
            object(
                round + [
                    ("graceSeconds", grace), ("everySeconds", parEvery), ("nextTime", #"{"type":["string","null"]}"#),
                ], optional: roundTimes)
        ),
        ("PARRound", object(round, optional: roundTimes)),
        (
            "PARCrew",
            object(
                count + [("isOverdue", boolean), ("isShort", boolean)],
                optional: counted + [
                    ("reportedTime", time), ("reportedBy", text), ("note", text), ("dueTime", time),
                ])
        ),
    ]
}
