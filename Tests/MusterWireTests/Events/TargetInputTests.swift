import MusterCore
import MusterWire
import Testing

/// What targets are given of events.
@Suite struct TargetInputTests {
    private static let event = Event(
        id: "0", source: "aws.geo", detailType: "Location Geofence Event", account: "000000000000",
        time: Instant(milliseconds: 1_605_051_817_531), region: "us-east-1", resources: ["a", "b"],
        detail: .object([
            .init("DeviceId", .string("ana \"the fox\"")), .init("Position", .array([.number(-123.5), .integer(49)])),
            .init("list", .array([.object([.init("n", .integer(1))]), .object([.init("n", .integer(2))])])),
        ]))

    private func body(_ input: RuleTarget.Input) throws -> TargetInput.Body {
        let rule = RuleReference(name: "r", arn: "arn:r", receivedTime: Instant(milliseconds: 0))
        return try TargetInput(input).body(of: Self.event, envelope: Self.event.envelope, rule: rule)
    }

    private func check(_ input: RuleTarget.Input, _ expected: String, isJSON: Bool = true) throws {
        let body = try body(input)
        #expect(body.bytes.text == expected)
        #expect(body.isJSON == isJSON)
    }

    @Test func `the event itself is the envelope, its time in whole seconds`() throws {
        try check(
            .event,
            #"{"version":"0","id":"0","detail-type":"Location Geofence Event","source":"aws.geo","#
                + #""account":"000000000000","time":"2020-11-10T23:43:37Z","region":"us-east-1","resources":["a","b"],"#
                + #""detail":{"DeviceId":"ana \"the fox\"","Position":[-123.5,49],"list":[{"n":1},{"n":2}]}}"#)
    }

    @Test func `a constant and a part of the event`() throws {
        try check(.constant(#"{"a": 1}"#), #"{"a": 1}"#)
        try check(.path("$.detail.Position[1]"), "49")
        try check(.path("$.detail-type"), "\"Location Geofence Event\"")
        try check(.path("$.detail.list[*].n"), "[1,2]")
        try check(.path("$.detail.nothing"), "null")
        try check(.path("$.resources[5]"), "null")
    }

    @Test func `a template of JSON puts values as JSON and, within strings, as text`() throws {
        let paths = ["who": "$.detail.DeviceId", "where": "$.detail.Position", "none": "$.detail.none"]
        try check(
            .template(
                #"{"who": <who>, "at": <where>, "text": "<who> at <where> \"<none>\"", "none": <none>}"#, paths: paths),
            #"{"who": "ana \"the fox\"", "at": [-123.5,49], "#
                + #""text": "ana \"the fox\" at [-123.5,49] \"\"", "none": null}"#)
        try check(.template("\"<who> < 3\"", paths: paths), #""ana \"the fox\" < 3""#)
    }

    @Test func `any other template gives plain text`() throws {
        try check(
            .template("<who> by <aws.events.rule-name>", paths: ["who": "$.detail.DeviceId"]),
            "ana \"the fox\" by r", isJSON: false)
    }

    @Test func `some variables are always there`() throws {
        try check(
            .template(
                #"{"r": <aws.events.rule-arn>, "t": <aws.events.event.ingestion-time>, "e": <aws.events.event>}"#,
                paths: [:]),
            #"{"r": "arn:r", "t": "1970-01-01T00:00:00.000Z", "e": {"version":"0","id":"0","#
                + #""detail-type":"Location Geofence Event","source":"aws.geo","account":"000000000000","#
                + #""time":"2020-11-10T23:43:37Z","region":"us-east-1","resources":["a","b"]}}"#)
        let whole = try body(.template("[<aws.events.event.json>]", paths: [:]))
        #expect(whole.bytes.text == "[" + Self.event.envelope.json.text + "]")
    }

    @Test(
        arguments: [
            (.constant("{"), .constantIsNoJSON), (.path("detail"), .noPath("detail")),
            (.path("$.a[x]"), .noPath("$.a[x]")),
            (.template("<a>", paths: [:]), .unknownVariable("a")),
            (.template("x", paths: ["aws.a": "$"]), .reservedVariable("aws.a")),
            (.template("x", paths: ["a b": "$"]), .noVariable("a b")),
            (.template("x", paths: ["a": "$$"]), .noPath("$$")),
            (.template(#"{"a": <a>"#, paths: ["a": "$"]), .templateIsNoJSON),
        ] as [(RuleTarget.Input, InputError)])
    func `an input template that cannot be filled in is refused`(input: RuleTarget.Input, fault: InputError) {
        #expect(throws: fault) { try TargetInput(input) }
    }

    @Test func `the id of an event is a UUID of its change alone`() {
        let origin = EventOrigin(
            account: "1", region: "r", store: "6f1d3c1e-9a57-4c2e-8a0b-0123456789ab")
        let noon = Instant(milliseconds: 1_800_000_000_000)
        let ids = (1...100).map { origin.id(of: LogSequence($0), at: noon) }
        #expect(Set(ids).count == 100)
        #expect(ids[0] == origin.id(of: LogSequence(1), at: noon))
        #expect(ids[0] != origin.id(of: LogSequence(1), at: noon.advanced(bySeconds: 1)))
        let form = /[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/
        for id in ids { #expect(id.wholeMatch(of: form) != nil) }
    }
}
