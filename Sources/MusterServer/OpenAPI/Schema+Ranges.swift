import MusterCore
import MusterWire

/// The schemas of measured ranges.
extension Schema {
    private static let tag = #"{"type":"string","pattern":"^[0-9A-Fa-f]{32}$"}"#
    static let rangeSource =
        #"{"enum":["\#(PeerRange.Source.allCases.map(\.wireName.description).joined(separator: #"",""#))"]}"#
    private static let distance: [(String, String)] = [
        ("metres", number(PeerRange.metresLimits)),
        ("deviationMetres", #"{"type":"number","exclusiveMinimum":0,"maximum":\#(PeerRange.deviationLimit)}"#),
        ("source", rangeSource),
    ]

    package static let ranges: [(String, String)] = [
        ("NewRangeTag", object([("secret", #"{"type":"string","pattern":"^[0-9A-Fa-f]{64}$","writeOnly":true}"#)])),
        ("NewRange", object([("peer", tag), ("sampleTime", time)] + distance, optional: [("device", text)])),
        (
            "RangeReport",
            oneOf(
                reference("NewRange"),
                #"{"type":"array","maxItems":\#(RangeDecoder.limit),"items":\#(reference("NewRange"))}"#)
        ),
        (
            "RangeReceipt",
            object(["accepted", "late", "repeated", "unregistered", "sequence"].map { ($0, since) })
        ),
        ("Range", object([("peer", text), ("sampleTime", time), ("receivedTime", time)] + distance)),
        ("RangePage", page(of: "Range")),
    ]
}
