/// JSON schemas of the OpenAPI document, for rules and targets.
extension Schema {
    /// The schemas of rules: patterns, and the targets and inputs of matching events.
    package static let rules: [(String, String)] = [
        ("EventPattern", #"{"type":["object","string"],"maxLength":4096}"#),
        (
            "TargetInput",
            object(
                [],
                optional: [
                    ("constant", "{}"), ("path", text), ("template", #"{"type":"string","maxLength":8192}"#),
                    ("paths", #"{"type":"object","additionalProperties":{"type":"string"}}"#),
                ])
        ),
        (
            "RuleTarget",
            object([("target", name)], optional: [("id", name), ("input", reference("TargetInput"))])
        ),
        (
            "NewRule",
            object(
                [("name", name), ("pattern", reference("EventPattern"))],
                optional: [("description", text), ("enabled", boolean), ("targets", ruleTargets)])
        ),
        (
            "RulePatch",
            object(
                [],
                optional: [
                    ("pattern", reference("EventPattern")), ("description", text), ("enabled", boolean),
                    ("targets", ruleTargets),
                ])
        ),
        (
            "Rule",
            object(
                [
                    ("name", name), ("arn", text), ("description", text), ("pattern", #"{"type":"object"}"#),
                    ("enabled", boolean), ("targets", ruleTargets), ("createdAt", time), ("updatedAt", time),
                ], optional: [("madeBy", text)])
        ),
        ("RulePage", page(of: "Rule")),
        (
            "PatternTest",
            object(
                [("pattern", reference("EventPattern"))],
                optional: [
                    ("event", "{}"), ("recent", #"{"type":"integer","minimum":1,"maximum":1000}"#),
                    ("regions", #"{"const":true}"#),
                ])
        ),
        (
            "PatternTestResult",
            object(
                [],
                optional: [
                    ("matches", boolean), ("matched", list(of: #"{"type":"object"}"#)), ("examined", integer),
                    ("isComplete", boolean),
                    (
                        "regions",
                        list(of: object([("collection", name), ("id", text), ("name", text)]))
                    ), ("regionCount", integer),
                ])
        ),
    ]
    private static let ruleTargets = #"{"type":"array","maxItems":5,"items":\#(reference("RuleTarget"))}"#
}
