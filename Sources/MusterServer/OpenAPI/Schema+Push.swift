/// The schemas of push devices.
extension Schema {
    private static let deviceID = #"{"type":"string","minLength":1,"maxLength":64}"#
    private static let platform =
        #"{"type":"string","enum":[\#(PushPlatform.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ","))]}"#
    private static let token = #"{"type":"string","minLength":1,"maxLength":\#(PushAddress.tokenLimitBytes)}"#
    private static let activity =
        #"{"oneOf":[{"type":"string","enum":["start"]},{"type":"integer","minimum":1}],"description":"#
        + #""Of a token of ActivityKit: whether it begins Live Activities, or the incident whose activity it ends."}"#
    private static let url = #"{"type":"string","maxLength":2048}"#
    private static let base64url = #"{"type":"string","pattern":"^[A-Za-z0-9_-]+=*$","maxLength":100}"#

    /// The outcome of a question on one channel.
    private static let locationChannel = object(
        [
            ("channel", #"{"type":"string","enum":[\#(channels.map { "\"\($0)\"" }.joined(separator: ","))]}"#),
            ("at", time),
            ("outcome", #"{"type":"string","enum":["told","delivered","failed","gone","refused"]}"#),
        ], optional: [("device", text), ("reason", text)])
    private static let channels = PushPlatform.allCases.map(\.rawValue) + ["owntracks", "live"]

    /// The schemas that routes of push devices name.
    static let push: [(String, String)] = [
        ("PushKey", object([("key", base64url)])),
        (
            "PushDevice",
            object(
                [
                    ("id", deviceID), ("platform", platform), ("service", text), ("createdAt", time),
                    ("datasets", list(of: #"{"type":"string"}"#)),
                ], optional: [("activity", activity)])
        ),
        ("PushDevicePage", object([("items", list(of: reference("PushDevice")))])),
        (
            "NewPushDevice",
            object(
                [("platform", platform)],
                optional: [
                    ("token", token), ("page", url), ("activity", activity),
                    (
                        "subscription",
                        #"{"type":"object","required":["endpoint","keys"],"properties":{"endpoint":\#(url),"keys":"#
                            + object([("p256dh", base64url), ("auth", base64url)]) + "}}"
                    ),
                ])
        ),
        (
            "LocationRequest",
            object(
                [
                    ("user", name), ("askedAt", time), ("endsAt", time),
                    ("pushDevices", list(of: object([("id", deviceID), ("platform", platform)]))),
                    ("channels", list(of: locationChannel)),
                    ("state", #"{"type":"string","enum":["answered","heard","unheard"]}"#),
                ], optional: [("by", name), ("heardAt", time), ("lastPositionAt", time)])
        ),
        ("PushTest", object([], optional: [("user", name)])),
        (
            "PushTestResults",
            object([
                ("user", name),
                (
                    "devices",
                    list(
                        of: object(
                            [
                                ("id", deviceID), ("platform", platform), ("service", text),
                                (
                                    "outcome",
                                    #"{"type":"string","enum":["delivered","failed","gone","refused"]}"#
                                ),
                            ], optional: [("reason", text)]))
                ),
            ])
        ),
    ]
}
