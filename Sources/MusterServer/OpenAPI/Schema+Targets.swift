import MusterHTTP

/// The schemas of targets and deliveries.
extension Schema {
    private static let kind = words("webhook", "slack", "log", "sms")
    private static let url = #"{"type":"string","minLength":1,"maxLength":\#(HTTPAddress.limitBytes)}"#
    private static let headers =
        #"{"type":"object","maxProperties":\#(TargetSettings.fieldLimit),"additionalProperties":{"type":"string"}}"#
    private static let secret = #"{"type":"string","pattern":"^whsec_[A-Za-z0-9+/]{32,88}={0,2}$"}"#
    /// The number of a delivery or a dead letter.
    static let letterNumber = #"{"type":"integer","minimum":1,"maximum":\#(Query.largestSequence)}"#

    private static let target: [(String, String)] = [
        ("name", name), ("kind", kind), ("enabled", boolean), ("byHand", boolean), ("createdAt", time),
        ("updatedAt", time),
    ]
    private static let texts: [(String, String)] = [
        ("gateway", words("twilio", "kannel", "form")),
        ("from", #"{"type":"string","maxLength":\#(TextSettings.senderLimitBytes)}"#),
        ("to", #"{"type":"array","minItems":1,"maxItems":\#(TextSettings.recipientLimit),"items":{"type":"string"}}"#),
        ("perMinute", whole(TextSettings.perMinuteRange)), ("perDay", whole(TextSettings.perDayRange)),
        ("lifetimeMinutes", whole(TextSettings.lifetimeRange)),
    ]
    private static func whole(_ range: ClosedRange<Int>) -> String {
        #"{"type":"integer","minimum":\#(range.lowerBound),"maximum":\#(range.upperBound)}"#
    }
    private static let settings: [(String, String)] =
        [("server", text), ("headers", list(of: text)), ("secretsInUse", integer)] + texts + [("takenToday", integer)]
    private static let letter: [(String, String)] = [
        ("number", letterNumber), ("rule", text), ("event", text), ("createdAt", time), ("diedAt", time),
        ("attempts", integer), ("reason", text),
    ]

    /// The schemas that routes of targets and deliveries name.
    package static let targets: [(String, String)] = [
        (
            "NewTarget",
            object(
                [("name", name), ("kind", kind)],
                optional: [("url", url), ("headers", headers), ("secret", secret), ("byHand", boolean)] + texts)
        ),
        (
            "TargetPatch",
            object(
                [], optional: [("enabled", boolean), ("byHand", boolean), ("url", url), ("headers", headers)] + texts)
        ),
        ("Target", object(target, optional: settings)),
        ("MadeTarget", object(target, optional: settings + [("secret", secret)])),
        ("TargetPage", page(of: "Target")),
        ("NewSecret", object([("secret", secret), ("formerGoodUntil", time)])),
        ("TargetRun", object([("count", integer), ("through", integer)])),
        ("TargetDeliveries", object([("pending", integer), ("deadLetters", integer)])),
        ("SentEvent", object([("event", #"{"type":"string","format":"uuid"}"#)])),
        (
            "Deliveries",
            object([
                ("pending", integer), ("underWay", integer),
                (
                    "targets",
                    list(
                        of: object([
                            ("target", name), ("enabled", boolean), ("byHand", boolean), ("pending", integer),
                            ("failing", boolean), ("deadLetters", integer),
                        ]))
                ),
                (
                    "failures",
                    list(
                        of: object(
                            [
                                ("event", text), ("rule", text), ("at", time), ("attempts", integer),
                                ("reason", text),
                            ], optional: [("target", name)]))
                ),
            ])
        ),
        (
            "WaitingDelivery",
            object(
                [
                    ("number", letterNumber), ("rule", text), ("event", text), ("createdAt", time),
                    ("attempts", integer), ("nextAttemptAt", time),
                ], optional: [("reason", text)])
        ),
        ("WaitingDeliveryPage", page(of: "WaitingDelivery")),
        (
            "DeadLetter",
            object(letter, optional: [("target", name), ("contentType", text), ("body", #"{"type":"string"}"#)])
        ),
        ("DeadLetterPage", page(of: "DeadLetter")),
        ("LetterCount", object([("count", integer)])),
    ]
}
