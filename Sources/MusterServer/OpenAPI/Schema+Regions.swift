/// The schemas of imports of regions, and of what an edit of a region would change.
extension Schema {
    static let regionFiles: [(String, String)] = [
        (
            "RegionReceipt",
            object(
                [("stored", integer), ("faults", list(of: reference("RegionFault")))],
                optional: [
                    ("regions", integer), ("replaced", integer), ("moreFaults", integer),
                    (
                        "skipped",
                        object(["points", "lines", "links", "others"].map { ($0, integer) })
                    ),
                    ("features", reference("FeatureCollection")), ("moreFeatures", integer),
                ])
        ),
        (
            "RegionFault",
            object(
                [("detail", text)],
                optional: [
                    ("pointer", text), ("line", integer), ("feature", integer), ("region", text),
                    ("coordinates", #"{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2}"#),
                ])
        ),
        (
            "EditOutlook",
            object(
                [
                    (
                        "people",
                        object([
                            ("inside", integer), ("wouldBeInside", integer), ("leaving", integer),
                            ("entering", integer), ("wouldLeave", outlookNames), ("wouldEnter", outlookNames),
                        ])
                    ),
                    ("safety", object([("wouldEndSafe", integer), ("wouldBecomeSafe", integer)])),
                    ("isComplete", boolean),
                ], optional: [("leftOut", integer), ("detail", text)])
        ),
    ]

    static let replay: [(String, String)] = [
        (
            "TeamReplay",
            object(
                [
                    ("from", time), ("to", time), ("people", list(of: text)),
                    ("devices", list(of: object([("user", text), ("device", text)]))), ("start", list(of: row)),
                    (
                        "fixes",
                        object(
                            ["device", "t", "latitude", "longitude", "accuracy"].map { ($0, row) })
                    ), ("states", object([("start", list(of: row)), ("changes", list(of: row))])),
                    ("isComplete", boolean),
                ], optional: [("gaps", list(of: text))])
        )
    ]

    /// Numbers, and the words of a state among them.
    private static let row = #"{"type":"array","items":{"type":["number","string","null"]}}"#

    private static let outlookNames = #"{"type":"array","maxItems":100,"items":\#(name)}"#
}
