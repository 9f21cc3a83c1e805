/// The schemas of official warnings.
extension Schema {
    static let warnings: [(String, String)] = [
        (
            "WarningFeed",
            object(
                [("team", name), ("host", text), ("failures", integer), ("silent", boolean)]
                    + ["warnings", "regions", "withoutArea", "refusedShapes", "leftOut", "unread"].map {
                        ($0, integer)
                    },
                optional: [("collection", name), ("heardAt", time), ("fault", text), ("reason", text)])
        ),
        ("WarningFeedList", object([("items", list(of: reference("WarningFeed")))])),
    ]
}
