import MusterCore
import MusterWire

/// JSON schemas of the OpenAPI document, for attendance.
extension Schema {
    private static let attendanceNote = #"{"type":"string","maxLength":500}"#
    private static let ownRole = #"{"type":"string","minLength":1,"maxLength":128}"#
    private static let minimum =
        #"{"type":"integer","minimum":1,"maximum":\#(AttendanceRule.countLimits.upperBound)}"#
    private static let clock = #"{"type":"string","pattern":"^([01][0-9]|2[0-4]):[0-5][0-9]$"}"#
    private static let days = list(
        of: #"{"enum":["\#(WeeklySchedule.dayNames.joined(separator: #"",""#))"]}"#)
    private static let schedule = object([
        ("zone", text), ("windows", list(of: object([("days", days), ("from", clock), ("to", clock)]))),
    ])
    private static let demand: [(String, String)] = [
        ("minimum", minimum), ("afterSeconds", number(AttendanceRule.afterLimits)), ("schedule", schedule),
        ("graceSeconds", number(AttendanceRule.graceLimits)),
    ]
    private static let regionOfRule = object([
        ("collection", text), ("id", text), ("name", text), ("muster", boolean),
    ])
    private static let people = list(of: text)

    /// The schemas of attendance rules.
    package static let attendance: [(String, String)] = [
        (
            "NewAttendanceRule",
            object(
                [("collection", name), ("region", text)],
                optional: demand + [
                    ("opensIncident", boolean), ("role", ownRole), ("person", name), ("note", attendanceNote),
                ])
        ),
        (
            "AttendanceRule",
            object(
                [("name", name), ("team", name), ("region", regionOfRule)] + [
                    ("opensIncident", boolean),
                    ("setBy", text), ("setAt", time), ("present", since), ("absent", since),
                    ("unknown", since), ("presentPeople", people), ("absentPeople", people),
                    ("unknownPeople", people),
                ],
                optional: demand + [
                    ("role", ownRole), ("person", text), ("note", attendanceNote), ("lackingSince", time),
                    ("told", boolean),
                    ("certain", boolean), ("windowStart", time), ("windowEnd", time), ("awaited", people),
                ])
        ),
        ("AttendanceRules", object([("items", list(of: reference("AttendanceRule")))])),
    ]
}
