import MusterCore
import MusterWire
import Testing

/// The pattern language, example by example.
@Suite struct EventPatternTests {
    static let instance = """
        {"version": "0", "id": "ddddd4-aaaa-7777-4444-345dd43cc333", "source": "aws.ec2", "account": "012345679012",
         "detail-type": "EC2 Instance State-change Notification", "time": "2017-10-02T16:24:49Z",
         "region": "us-east-1",
         "resources": ["arn:aws:ec2:us-east-1:123456789012:instance/i-000000aaaaaa00000"],
         "detail": {"c-count": 5, "d-count": 3, "x-limit": 301.8, "source-ip": "10.0.0.33", "state": "running"}}
        """

    private func check(_ pattern: String, _ event: String, _ expected: Bool, line: Int = #line) throws {
        let pattern = try EventPattern(parsing: pattern)
        let event = EventValue(try JSONValue(parsing: event.bytes))
        let location = SourceLocation(fileID: #fileID, filePath: #filePath, line: line, column: 1)
        #expect(pattern.matches(event) == expected, sourceLocation: location)
        var index = PatternIndex()
        index.put(pattern, as: 7)
        var found: [Int32] = []
        index.matches(event, into: &found)
        #expect(found == (expected ? [7] : []), "the index", sourceLocation: location)
    }

    /// The event `{"x": value}` against the pattern `{"x": list}`.
    private func check(list: String, _ value: String, _ expected: Bool, line: Int = #line) throws {
        try check("{\"x\": \(list)}", "{\"x\": \(value)}", expected, line: line)
    }

    @Test(arguments: [
        (
            """
            {"detail-type": ["EC2 Instance State-change Notification"],
             "resources": ["arn:aws:ec2:us-east-1:123456789012:instance/i-000000aaaaaa00000"],
             "detail": {"state": ["initializing", "running"]}}
            """, true
        ),
        (#"{"time": [{"prefix": "2017-10-02"}]}"#, true),
        (#"{"source": [{"suffix": "ec2"}]}"#, true),
        (#"{"source": [{"equals-ignore-case": "AWS.EC2"}]}"#, true),
        (#"{"source": [{"equals-ignore-case": "EC2"}]}"#, false),
        (#"{"source": [{"wildcard": "a*.e*2"}]}"#, true),
        (#"{"detail": {"state": [{"anything-but": "initializing"}]}}"#, true),
        (#"{"detail": {"x-limit": [{"anything-but": 123}]}}"#, true),
        (#"{"detail": {"state": [{"anything-but": ["stopped", "overloaded"]}]}}"#, true),
        (#"{"detail": {"state": [{"anything-but": ["stopped", "running"]}]}}"#, false),
        (#"{"detail": {"x-limit": [{"anything-but": [100, 200, 300]}]}}"#, true),
        (#"{"detail": {"state": [{"anything-but": {"prefix": "init"}}]}}"#, true),
        (
            """
            {"detail": {"c-count": [{"numeric": [">", 0, "<=", 5]}], "d-count": [{"numeric": ["<", 10]}],
             "x-limit": [{"numeric": ["=", 3.018e2]}]}}
            """, true
        ),
        (#"{"detail": {"source-ip": [{"cidr": "10.0.0.0/24"}]}}"#, true),
        (#"{"detail": {"source-ip": [{"cidr": "10.0.1.0/24"}]}}"#, false),
        (#"{"detail": {"c-count": [{"exists": true}]}}"#, true),
        (#"{"detail": {"c-count": [{"exists": false}]}}"#, false),
        (#"{"detail": {"instance": [{"exists": false}]}}"#, true),
        (
            """
            {"time": [{"prefix": "2017-10-02"}], "detail": {"state": [{"anything-but": "initializing"}],
             "c-count": [{"numeric": [">", 0, "<=", 5]}], "d-count": [{"numeric": ["<", 10]}],
             "x-limit": [{"anything-but": [100, 200, 300]}], "source-ip": [{"cidr": "10.0.0.0/8"}]}}
            """, true
        ),
    ])
    func `the documented examples about one event hold`(pattern: String, expected: Bool) throws {
        try check(pattern, Self.instance, expected)
    }

    @Test func `exact values are compared byte by byte and numbers by value`() throws {
        try check(list: #"["a", 1, true, null, ""]"#, "null", true)
        try check(list: #"["a", 1, true, null]"#, "true", true)
        try check(list: #"["a", 1, true, null]"#, "false", false)
        try check(list: "[300]", "3.0e2", true)
        try check(list: "[9007199254740993]", "9007199254740992", false)
        try check(list: "[300]", #""300""#, false)
        try check(list: #"["\u00e9"]"#, #""e\u0301""#, false)
        try check(list: #"["1", "2", "3", "4", "5", "6", "7", "8", "9", "10"]"#, #""10""#, true)
        try check(list: #"[""]"#, #""""#, true)
    }

    @Test func `prefixes and suffixes ask for text, with or without case`() throws {
        try check(list: #"[{"prefix": "us-"}]"#, #""us-east-1""#, true)
        try check(list: #"[{"prefix": "us-"}]"#, #""US-east-1""#, false)
        try check(list: #"[{"prefix": "1"}]"#, "1", false)
        try check(list: #"[{"prefix": {"equals-ignore-case": "eventb"}}]"#, #""EventBridge""#, true)
        try check(list: #"[{"suffix": {"equals-ignore-case": "tBridge"}}]"#, #""EVENTBRIDGE""#, true)
        try check(list: #"[{"suffix": ".png"}]"#, #""map.png""#, true)
        try check(list: #"[{"suffix": ".png"}]"#, #""png""#, false)
        try check(list: #"[{"prefix": ""}]"#, #""anything""#, true)
        let long = String(repeating: "a", count: 40)
        try check(list: #"[{"prefix": "\#(long)b"}]"#, #""\#(long)bc""#, true)
        try check(list: #"[{"prefix": "\#(long)b"}]"#, #""\#(long)c""#, false)
    }

    @Test func `anything but excludes what it names and nothing else`() throws {
        try check(list: #"[{"anything-but": {"suffix": ".png"}}]"#, #""a.jpg""#, true)
        try check(list: #"[{"anything-but": {"suffix": [".png", ".jpg"]}}]"#, #""a.jpg""#, false)
        try check(list: #"[{"anything-but": {"prefix": ["a", "b"]}}]"#, #""c""#, true)
        try check(list: #"[{"anything-but": {"equals-ignore-case": "initializing"}}]"#, #""INITIALIZING""#, false)
        try check(list: #"[{"anything-but": {"equals-ignore-case": ["a", "b"]}}]"#, #""C""#, true)
        try check(list: #"[{"anything-but": {"wildcard": "*/lib/*"}}]"#, #""/usr/lib/x""#, false)
        try check(list: #"[{"anything-but": {"wildcard": ["*/lib/*", "*/bin/*"]}}]"#, #""/usr/etc/x""#, true)
        try check(list: #"[{"anything-but": "a"}]"#, "5", true)
        try check(list: #"[{"anything-but": "a"}]"#, #"["a", "b"]"#, true)
        try check(list: #"[{"anything-but": "a"}]"#, #"["a"]"#, false)
        try check(#"{"x": [{"anything-but": "a"}]}"#, "{}", false)
    }

    @Test(arguments: [
        (#"["=", 5]"#, "5.0", true), (#"["<", 5]"#, "5", false), (#"["<=", 5]"#, "5", true),
        (#"[">", 5]"#, "5.0000001", true), (#"[">=", 5]"#, "4.9999999", false),
        (#"[">", 0, "<=", 5]"#, "5", true), (#"[">", 0, "<=", 5]"#, "0", false), (#"[">=", 0, "<", 5]"#, "-0.0", true),
        (#"["<", 5]"#, #""4""#, false), (#"[">", 9007199254740992]"#, "9007199254740993", true),
        (#"["<", 1e300]"#, "9223372036854775807", true), (#"[">", -1e300]"#, "-9223372036854775808", true),
    ])
    func `numbers are compared exactly`(terms: String, value: String, expected: Bool) throws {
        try check(list: "[{\"numeric\": \(terms)}]", value, expected)
    }

    @Test(arguments: [
        ("dir/*.png", "dir/a.png", true), ("dir/*.png", "dir/.png", true), ("dir/*.png", "dir.png", false),
        ("*", "", true), ("a*a", "a", false), ("a*b*c", "a-b-b-c", true), ("a*b*c", "acb", false),
        (#"EventBus\\*"#, "EventBus*", true), (#"EventBus\\*"#, "EventBusX", false),
        (#"a\\\\*"#, #"a\\b"#, true), ("*aab*", "aaaab", true), ("*abab*", "abaabab", true), ("plain", "plain", true),
        ("plain", "plainer", false),
    ])
    func `a wildcard stands for any text`(wildcard: String, value: String, expected: Bool) throws {
        try check(list: "[{\"wildcard\": \"\(wildcard)\"}]", "\"\(value)\"", expected)
    }

    @Test func `long texts of one letter do not slow a wildcard down`() throws {
        let pattern = String(repeating: "a", count: 2_000)
        let value = String(repeating: "a", count: 200_000)
        try check(list: #"[{"wildcard": "*\#(pattern)b*"}]"#, "\"\(value)\"", false)
    }

    @Test(arguments: [
        ("10.0.0.0/24", "10.0.0.255", true), ("10.0.0.0/24", "10.0.1.0", false), ("0.0.0.0/0", "255.1.2.3", true),
        ("10.0.0.7/32", "10.0.0.7", true), ("10.0.0.7/32", "10.0.0.8", false), ("10.0.0.0/8", "10.0.0", false),
        ("10.0.0.0/8", "10.0.0.01", false), ("10.0.0.0/8", "10.0.0.256", false), ("10.0.0.0/8", "ten", false),
        ("2001:db8::/32", "2001:db8:1::1", true), ("2001:db8::/32", "2001:db9::1", false),
        ("2001:DB8:0:0:0:0:0:1/128", "2001:db8::1", true), ("::/0", "10.0.0.1", false), ("::/0", "::", true),
        ("2001:db8:0:2::/63", "2001:db8:0:3:ffff::1", true), ("2001:db8:0:2::/63", "2001:db8:0:4::", false),
        ("2001:db8:0:2::/64", "2001:db8:0:2:ffff::1", true), ("2001:db8:0:2::/64", "2001:db8:0:3::", false),
        ("2001:db8::8000:0:0:0/65", "2001:db8::ffff:0:0:1", true), ("2001:db8::8000:0:0:0/65", "2001:db8::1", false),
        ("1::2/127", "1::3", true), ("1::2/127", "1::4", false), ("1::2/127", "2::2", false),
        ("::ffff:0:0/96", "::ffff:10.0.0.1", true), ("fe80::/10", "fe80::1::2", false), ("::/0", "1:2:3", false),
        ("::/0", "1:2:3:4:5:6:7:8", true), ("::/0", "1:2:3:4:5:6:7::8", false), ("::/0", "1:2:3:4:5:6:7:+8", false),
    ])
    func `a block holds its addresses`(block: String, address: String, expected: Bool) throws {
        try check(list: "[{\"cidr\": \"\(block)\"}]", "\"\(address)\"", expected)
    }

    @Test func `exists asks for a scalar, wherever it stands`() throws {
        try check(list: #"[{"exists": true}]"#, "null", true)
        try check(list: #"[{"exists": true}]"#, #"{"y": 1}"#, false)
        try check(list: #"[{"exists": false}]"#, #"{"y": 1}"#, true)
        try check(list: #"[{"exists": true}]"#, "[]", false)
        try check(list: #"[{"exists": false}]"#, "[[]]", true)
        try check(#"{"a": {"b": [{"exists": false}]}}"#, #"{"c": 1}"#, true)
        try check(#"{"a": {"b": [{"exists": false}]}}"#, #"{"a": [{"c": 1}, {"b": 2}]}"#, false)
        try check(list: #"["x", {"exists": false}]"#, #""x""#, true)
        try check(list: #"["x", {"exists": false}]"#, #""y""#, false)
        try check(#"{"x": ["x", {"exists": false}], "y": [1]}"#, #"{"y": 1}"#, true)
    }

    @Test func `one matching element of an array is enough, and one object must match the whole pattern`() throws {
        try check(list: #"["b"]"#, #"["a", ["b"]]"#, true)
        try check(list: #"["b"]"#, #"["a"]"#, false)
        let pair = #"{"x": {"a": [1], "b": [2]}}"#
        try check(pair, #"{"x": [{"a": 1, "b": 2}]}"#, true)
        try check(pair, #"{"x": [{"a": 1, "b": 3}, {"a": 3, "b": 2}]}"#, false)
        try check(pair, #"{"x": [[{"a": [0, 1], "b": 2}]]}"#, true)
        try check(pair, #"{"x": "a"}"#, false)
    }

    @Test(arguments: [
        (#"{"source": "aws.cloudwatch", "metricName": "ReadLatency"}"#, true),
        (#"{"source": "aws.cloudwatch", "scope": "Service"}"#, true),
        (#"{"source": "aws.cloudwatch", "metricType": "MetricType", "namespace": "AWS/EC2"}"#, false),
        (#"{"source": "aws.cloudwatch", "metricType": "MetricType", "namespace": "AWS/ES", "spaceId": 1000}"#, true),
        (#"{"source": "aws.ec2", "scope": "Service"}"#, false),
    ])
    func `alternatives nest`(event: String, expected: Bool) throws {
        let pattern = """
            {"source": ["aws.cloudwatch"],
             "$or": [{"metricName": ["CPUUtilization", "ReadLatency"]},
                     {"metricType": ["MetricType"], "namespace": ["AWS/EC2", "AWS/ES"],
                      "$or": [{"metricId": [1234]}, {"spaceId": [1000]}]},
                     {"scope": ["Service"]}]}
            """
        try check(pattern, event, expected)
    }
}
