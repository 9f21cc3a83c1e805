import MusterCore
import MusterWire

/// The schemas of signals.
extension Schema {
    private static let word = #"{"type":"string","minLength":1,"maxLength":64,"pattern":"^[A-Za-z0-9._-]+$"}"#
    private static let texts = #"{"type":"object","additionalProperties":{"type":"string"}}"#
    private static let values =
        #"{"type":"object","maxProperties":\#(Signal.valueLimit),"#
        + #""additionalProperties":{"type":["string","number","boolean"]}}"#

    package static let signals: [(String, String)] = [
        (
            "NewSignal",
            object(
                [("name", word)],
                optional: [("device", text), ("id", word), ("sampleTime", time), ("values", values)])
        ),
        (
            "SignalReport",
            oneOf(
                reference("NewSignal"),
                #"{"type":"array","maxItems":\#(SignalDecoder.limit),"items":\#(reference("NewSignal"))}"#)
        ),
        (
            "Signal",
            object(
                [
                    ("sequence", since), ("id", word), ("name", word), ("sampleTime", time), ("receivedTime", time),
                    ("values", texts),
                ], optional: [("reportedBy", name)])
        ),
        ("SignalPage", page(of: "Signal")),
    ]
}
