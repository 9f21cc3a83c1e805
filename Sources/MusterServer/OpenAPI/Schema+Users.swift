import MusterCore

/// JSON schemas of the OpenAPI document, for users and crews.
extension Schema {
    /// The name of a crew.
    static let crewName = #"{"type":"string","minLength":1,"maxLength":\#(Crew.nameLimit)}"#
    /// A telephone number.
    static let phone = #"{"type":"string","pattern":"^[0-9+ ()./-]{3,32}$"}"#

    /// What people call a user.
    static let displayName = #"{"type":"string","minLength":1,"maxLength":\#(User.displayNameLimit)}"#
    /// The display names of the users whom an answer names, by their sign-in names.
    static let displayNames = #"{"type":"object","additionalProperties":\#(displayName)}"#

    private static let role =
        #"{"type":"string","enum":["\#(Role.allCases.map(\.rawValue).joined(separator: #"",""#))"]}"#
    private static let databaseRoles =
        #"{"type":"array","maxItems":64,"uniqueItems":true,"items":{"type":"string","minLength":1,"maxLength":128}}"#
    private static let email = #"{"type":"string","minLength":3,"maxLength":\#(User.emailBytes)}"#

    private static let contacts = [("email", email), ("phone", phone), ("displayName", displayName)]
    /// The members of a request about a user, each of which null removes.
    private static let removable = ([("team", name), ("crew", crewName)] + contacts).map {
        ($0.0, oneOf($0.1, #"{"type":"null"}"#))
    }

    /// The schemas of users, and of the crews that they are in.
    static let users: [(String, String)] = [
        (
            "NewUser",
            object(
                [("name", name), ("role", role)],
                optional: removable + [("password", password), ("databaseRoles", databaseRoles)])
        ),
        ("UserPatch", object([], optional: [("role", role)] + removable + [("databaseRoles", databaseRoles)])),
        (
            "UserTable",
            #"{"type":"string","description":"CSV (RFC 4180) with a header line of name, role, team, crew, email, "#
                + #"phone, displayName."}"#
        ),
        (
            "User",
            object(
                [("name", name), ("role", role)],
                optional: [
                    ("team", name), ("crew", crewName), ("databaseRoles", databaseRoles), ("phoneWarning", text),
                ] + contacts)
        ),
        ("UserImport", object(["users", "teams", "crews", "devices"].map { ($0, integer) })),
        ("UserPage", page(of: "User")),
        (
            "Viewer",
            object(
                [],
                optional: [
                    ("name", name), ("displayName", displayName), ("role", role), ("token", text),
                    ("device", text), ("link", text),
                    ("kind", words(Link.Kind.person.rawValue, Link.Kind.incident.rawValue)), ("incident", integer),
                    ("madeBy", text), ("note", text), ("since", time), ("expires", time),
                ])
        ),
        ("ViewerPage", page(of: "Viewer")),
        ("NewCrew", object([("name", crewName)])),
        ("CrewPatch", object([("name", crewName)])),
        ("Crew", object([("name", crewName), ("team", name), ("people", integer)])),
        ("CrewPage", page(of: "Crew")),
    ]
}
