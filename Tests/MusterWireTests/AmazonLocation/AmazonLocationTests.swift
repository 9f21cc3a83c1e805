import MusterCore
import MusterGeometry
import Testing

@testable import MusterWire

@Suite struct AmazonLocationTests {
    private func read<Value>(
        _ json: String, _ body: (AmazonMembers, inout AmazonFaults) throws -> Value
    ) throws -> (value: Value, faults: [String]) {
        var faults = AmazonFaults()
        let bytes = Array(json.utf8)
        let members = try bytes.withUnsafeBytes { try AmazonMembers(parsing: $0, noting: &faults) }
        let value = try body(members, &faults)
        return (value, faults.fields.map { "\($0.name): \($0.message)" })
    }

    private let update = #"{"DeviceId":"d-1","SampleTime":"2026-11-21T10:00:00.250Z","Position":[13.4,52.5]"#

    @Test func `an update becomes a position, and an accuracy of 0 is unknown`() throws {
        let json =
            #"{"Updates":[\#(update),"Accuracy":{"Horizontal":7},"PositionProperties":{"k":"v"}},"#
            + #"\#(update),"Accuracy":{"Horizontal":0}}]}"#
        let (updates, faults) = try read(json) { AmazonPositionUpdate.list("Updates", of: $0, &$1) }
        #expect(faults.isEmpty)
        let received = try Instant(rfc3339: "2026-11-21T10:00:01Z")
        let first = try #require(updates[0].position(receivedAt: received))
        #expect(first.coordinate == (try Coordinate(latitude: 52.5, longitude: 13.4)))
        #expect(first.accuracy == 7 && first.attributes == #"{"k":"v"}"# && first.source == .amazonLocation)
        #expect(first.sampleTime.rfc3339 == "2026-11-21T10:00:00.250Z" && first.receivedTime == received)
        #expect(try #require(updates[1].position(receivedAt: received)).accuracy == nil)
    }

    @Test func `everything wrong in a batch is named at its place`() throws {
        let json =
            #"{"Updates":[\#(update)},{"DeviceId":"a b","SampleTime":"today","Position":[1]},"#
            + #"{"Accuracy":{"Horizontal":-1}},7]}"#
        let (updates, faults) = try read(json) { AmazonPositionUpdate.list("Updates", of: $0, &$1) }
        #expect(updates.count == 1)
        #expect(
            faults.map { String($0.prefix { $0 != ":" }) } == [
                "Updates.3", "Updates.1.DeviceId", "Updates.1.SampleTime", "Updates.1.Position", "Updates.2.DeviceId",
                "Updates.2.SampleTime", "Updates.2.Position", "Updates.2.Accuracy.Horizontal", "Updates.3.DeviceId",
                "Updates.3.SampleTime", "Updates.3.Position",
            ])
        #expect(faults[4] == "Updates.2.DeviceId: Member must not be null")
    }

    @Test(arguments: [
        ("a.b-c_9", true, true), ("д-1", false, true), ("日本", false, true), ("", false, false),
        ("a b", false, false), ("a@b", false, false), (String(repeating: "x", count: 100), true, true),
        (String(repeating: "x", count: 101), false, false),
    ])
    func `names are ASCII words, ids also letters of any script`(_ text: String, isName: Bool, isID: Bool) {
        #expect(AmazonText.resourceName.allows(text) == isName)
        #expect(AmazonText.id.allows(text) == isID)
    }

    @Test func `a resource name is read for any region and account and for nothing else`() {
        let collection = AmazonResource.collection("a-b.c")
        #expect(AmazonResource(arn: "arn:aws:geo:eu-west-2:123456789012:geofence-collection/a-b.c") == collection)
        #expect(AmazonResource(arn: "arn:aws-cn:geo:cn-north-1::tracker/t") == .tracker("t"))
        let written = collection.arn(region: "us-east-1", account: "000000000000")
        #expect(written == "arn:aws:geo:us-east-1:000000000000:geofence-collection/a-b.c")
        for bad in [
            "", "arn:aws:s3:::bucket", "arn:aws:geo:r:1:place-index/x", "arn:aws:geo:r:1:tracker/",
            "arn:aws:geo:r:1:tracker", "arn:aws:geo:R:1:tracker/x", "arn:gcp:geo:r:1:tracker/x", "tracker/x",
        ] {
            #expect(AmazonResource(arn: bad) == nil, "\(bad)")
        }
    }

    @Test func `only native properties that Amazon allows are shown`() {
        let text = #"{"name":"Gate","muster":true,"a long key of 21 chars":"x","empty":"","n":5,"k":"v","l":"w"}"#
        let fitting = AmazonProperties.fitting(text, most: 3, valueLimit: 4)
        #expect(fitting.map(\.key) == ["name", "k", "l"])
        #expect(AmazonProperties.fitting(nil, most: 3, valueLimit: 4).isEmpty)
        #expect(AmazonProperties.fitting("no JSON", most: 3, valueLimit: 4).isEmpty)
    }

    @Test func `a forecast is asked in one system of units`() throws {
        let state = #""DeviceState":{"Position":[1,2],"Speed":36},"TimeHorizonMinutes":10"#
        let (request, _) = try read("{\(state)}") { try AmazonForecastRequest($0, &$1) }
        #expect(request.reachMetres == 6000 && request.units == .metric && request.limit == 20)
        let (miles, _) = try read(#"{\#(state),"SpeedUnit":"MilesPerHour"}"#) { try AmazonForecastRequest($0, &$1) }
        #expect(miles.units == .imperial && abs((miles.reachMetres ?? 0) - 9656.064) < 1e-6)
        #expect(throws: AmazonFaults.self) {
            try self.read(#"{\#(state),"SpeedUnit":"MilesPerHour","DistanceUnit":"Kilometers"}"#) {
                try AmazonForecastRequest($0, &$1)
            }
        }
    }
}
