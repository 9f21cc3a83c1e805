import MusterWire

/// The schemas of beacons and their sightings.
extension Schema {
    static let beacon = #"{"type":"string","minLength":12,"maxLength":60}"#
    static let proximity = words("unknown", "immediate", "near", "far")
    private static let sixteenBits = #"{"type":"integer","minimum":0,"maximum":65535}"#
    private static let uuid =
        #"{"type":"string","pattern":"^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$|^[0-9A-Fa-f]{32}$"}"#
    private static let heard: [(String, String)] = [
        ("distance", number(0...100_000)), ("signalStrength", number(-200...50)), ("proximity", proximity),
    ]

    package static let beacons: [(String, String)] = [
        (
            "SightingReport",
            object(
                [],
                optional: [
                    ("device", text), ("listenedUntil", time),
                    (
                        "sightings",
                        #"{"type":"array","maxItems":\#(SightingDecoder.limit),"items":\#(reference("HeardBeacon"))}"#
                    ),
                ])
        ),
        (
            "HeardBeacon",
            oneOf(
                object(
                    [("uuid", uuid), ("sampleTime", time)],
                    optional: [("major", sixteenBits), ("minor", sixteenBits)] + heard),
                object([("address", #"{"type":"string"}"#), ("sampleTime", time)], optional: heard),
                object([("advertisement", #"{"type":"string"}"#), ("sampleTime", time)], optional: heard))
        ),
        ("RuuviPost", #"{"type":"object"}"#),
        (
            "RuuviReceipt",
            object(["stored", "strangers", "unknown", "malformed", "wrongTime"].map { ($0, integer) })
        ),
    ]
}
