/// The schemas of when devices were heard and located, their estimated positions, and the offset of their clocks.
extension Schema {
    /// The optional members of a device, or of a person's newest device.
    package static let whereabouts: [(String, String)] = [
        ("heard", time), ("located", reference("Located")), ("estimate", reference("Estimate")),
        ("checking", reference("Checking")), ("clock", reference("Clock")),
    ]

    private static let coordinate = [("latitude", number(-90...90)), ("longitude", number(-180...180))]

    package static let located: [(String, String)] = [
        (
            "Located",
            object(
                coordinate + [("sampleTime", time)],
                optional: [
                    ("accuracy", number(0...100_000_000)), ("deviceTime", time), ("battery", number(0...100)),
                ])
        ),
        (
            "ServerClock",
            object([
                ("suspect", boolean), ("aheadSeconds", #"{"type":"integer"}"#), ("devices", since), ("heard", since),
            ])
        ),
        ("Estimate", object(coordinate + [("deviation", number(0...100_000_000))])),
        (
            "Checking",
            object([("since", time)] + coordinate + [("regions", #"{"type":"array","items":{"type":"object"}}"#)])
        ),
        (
            "Clock",
            object(
                [
                    ("aheadSeconds", #"{"type":"integer"}"#), ("receivedTime", time),
                    ("corrected", #"{"type":"boolean"}"#),
                ], optional: [("device", text)])
        ),
    ]
}
