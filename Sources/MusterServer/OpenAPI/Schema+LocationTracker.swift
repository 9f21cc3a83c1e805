/// The schemas of the location-tracker apps' routes.
extension Schema {
    /// The schemas that those routes name.
    static let locationTracker: [(String, String)] = [
        (
            "TrackerAccount",
            object(
                [("username", name), ("password", #"{"type":"string","minLength":8,"maxLength":1024}"#)],
                optional: [("type", words("user")), ("_id", text)], isOpen: true)
        ),
        ("TrackerAccountMade", object([("ok", boolean), ("id", name), ("rev", text)])),
        ("TrackerFault", object([("error", text)])),
        ("TrackerLogin", object([("username", text), ("password", text)], isOpen: true)),
        (
            "TrackerKey",
            object([
                ("ok", boolean), ("api_key", text), ("api_password", text), ("account", text),
                ("location_db_name", text), ("location_db_host", text),
                ("location_db_host_protocol", words("http", "https")),
            ])
        ),
    ]
}
