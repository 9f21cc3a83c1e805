import MusterCore
import MusterGeometry
import Testing

@testable import MusterWire

/// Payloads: the tests of Traccar's `OsmAndProtocolDecoder`, and what Traccar Client (`ProtocolFormatter.kt` for
/// Android, `preferences.dart` of newer versions) and GPSLogger (`CustomUrlManager`) make.
struct OsmAndReportTests {
    private let now = Instant(milliseconds: 1_795_240_900_000)

    private func report(_ form: String) -> TrackerReport {
        OsmAndReport.report(FormFields(form), receivedAt: now)
    }

    private func position(_ form: String) throws -> Position { try #require(report(form).positions.first) }

    private func json(_ body: String) throws -> TrackerReport {
        try Array(body.utf8).withUnsafeBytes { bytes in try OsmAndReport.report(parsing: bytes, receivedAt: now) }
    }

    // MARK: Fields

    @Test func `Traccar Client for Android reports in knots`() throws {
        let position = try position(
            "id=123456&timestamp=1795240800&lat=43.5665&lon=-6.058&speed=10.0&bearing=271.5&altitude=417.0"
                + "&accuracy=4.5&batt=83.0")
        #expect(position.coordinate == Coordinate(validLatitude: 43.5665, longitude: -6.058))
        #expect(position.sampleTime == Instant(milliseconds: 1_795_240_800_000))
        #expect(position.receivedTime == now)
        #expect(abs((position.speed ?? 0) - 5.144_444) < 1e-6)
        #expect(position.heading == 271.5)
        #expect(position.altitude == Metres(417))
        #expect(position.accuracy == Metres(4.5))
        #expect(position.battery == 83)
        #expect(position.source == .osmAnd)
        #expect(position.attributes == nil)
    }

    @Test func `GPSLogger reports in metres a second, by names of its own`() throws {
        let position = try position(
            "lat=43.5665&lon=-6.058&timestamp=1795240800&acc=12.0&alt=31.0&spd=1.5&dir=360.0&batt=55.0&charge=true")
        #expect(position.speed == 1.5)
        #expect(position.heading == 0)
        #expect(position.accuracy == Metres(12))
        #expect(position.altitude == Metres(31))
        #expect(position.attributes == #"{"charge":true}"#)
    }

    /// A time, and its milliseconds since 1970.
    static let times: [(text: String, milliseconds: Int64)] = [
        ("1377177267", 1_377_177_267_000), ("1442068686579", 1_442_068_686_579),
        ("1377177267.5", 1_377_177_267_500), ("2016-01-27T18%3A55%3A47Z", 1_453_920_947_000),
        ("2014-06-04+09%3A10%3A11", 1_401_873_011_000), ("2014-06-04T09:10:11", 1_401_873_011_000),
        ("2014-06-04T11:10:11%2B02:00", 1_401_873_011_000), ("2014-06-04T11:10:11+02:00", 1_401_873_011_000),
        ("2014-06-04T02:10:11.250-0700", 1_401_873_011_250), ("-1", -1000), ("0", 0),
    ]

    @Test(arguments: times.indices) func `times are read as apps write them`(_ index: Int) throws {
        let (text, milliseconds) = Self.times[index]
        #expect(try position("lat=60&lon=30&timestamp=\(text)").sampleTime.milliseconds == milliseconds, "\(text)")
    }

    @Test(arguments: ["nan", "inf", "1e300", "yesterday", "2014-13-04T09:10:11Z", "12:00", "1,377,177,267", "--1"])
    func `a report whose time cannot be read is no position, and says why`(_ text: String) {
        let report = report("lat=60&lon=30&timestamp=\(text)")
        #expect(report.positions.isEmpty)
        #expect(report.fault == "timestamp: is no time.")
    }

    @Test func `a report without a time counts as measured now`() throws {
        #expect(try position("lat=60&lon=30").sampleTime == now)
        #expect(try position("lat=60&lon=30&timestamp=").sampleTime == now)
        #expect(try position("location=60.0,30.0&deviceid=1").coordinate.longitude == 30)
    }

    @Test(arguments: [
        "", "id=1", "lat=60", "lon=30", "lat=&lon=30", "lat=60&lon=", "lat=nan&lon=30", "lat=60&lon=inf",
        "lat=90.001&lon=30", "lat=60&lon=-180.001", "lat=1e999&lon=30", "lat=60&lat=61&lon=30",
        "lat=60&lon=30&lon=31", "lat=6,0,1&lon=30", "lat=1.234,5&lon=30", "lat=0x10&lon=30", "lat=%FF&lon=30",
        "location=60", "location=60,30,10",
    ])
    func `a report without a place is no position, and says why without the value`(_ form: String) {
        let report = report(form)
        #expect(report.positions.isEmpty)
        #expect(report.faultCount == 1)
        #expect(report.fault?.hasPrefix("lat: ") == true || report.fault?.hasPrefix("lon: ") == true)
    }

    @Test func `coordinates may have a comma as the decimal sign, and other numbers may not`() throws {
        let position = try position("lat=43,5665&lon=-6,058&accuracy=4,5&altitude=1,417&speed=2,5&batt=83,5")
        #expect(position.coordinate == Coordinate(validLatitude: 43.5665, longitude: -6.058))
        #expect(position.accuracy == nil && position.altitude == nil && position.speed == nil)
        #expect(position.battery == nil)
    }

    @Test(arguments: ["", "nan", "inf", "-1e400", "x", "1e9999", "--5", "-1e9"])
    func `a number that is none, or out of range, is unknown and costs nothing else`(_ text: String) throws {
        let position = try position(
            "lat=60&lon=30&accuracy=\(text)&altitude=\(text)&speed=\(text)&bearing=\(text)&batt=\(text)&hdop=\(text)")
        #expect(position.accuracy == nil && position.altitude == nil && position.speed == nil)
        #expect(position.heading == nil && position.battery == nil)
    }

    @Test func `a field that has two values is unknown, and one that is repeated is not`() throws {
        #expect(try position("lat=60&lon=30&batt=5&batt=6").battery == nil)
        #expect(try position("lat=60&lat=60&lon=30&batt=5&batt=5").battery == 5)
        #expect(report("lat=60&lon=30&timestamp=1&timestamp=2").fault == "timestamp: is no time.")
    }

    @Test func `a dilution of precision is an accuracy, unless there is one`() throws {
        #expect(try position("lat=60&lon=30&hdop=1.2").accuracy == Metres(6))
        #expect(try position("lat=60&lon=30&hdop=1.2&accuracy=9").accuracy == Metres(9))
        #expect(try position("lat=60&lon=30&hdop=0.0").accuracy == nil)
    }

    @Test func `an SOS is a call, also where the report has no place`() {
        let forms = ["lat=60&lon=30&timestamp=1&alarm=sos", "timestamp=1&alarm=SOS", "timestamp=1&alarm=x&alarm=sos"]
        for form in forms {
            #expect(report(form).calls.map(\.sampleTime) == [Instant(milliseconds: 1000)], "\(form)")
        }
        #expect(report("alarm=sos").calls == [.init()])
        #expect(report("lat=60&lon=30&alarm=sos").calls.first?.coordinate?.latitude == 60)
        #expect(report("lat=60&lon=30&alarm=lowBattery").calls.isEmpty)
    }

    @Test func `a fix that the tracker itself calls invalid is no position, and no fault`() {
        #expect(report("lat=60&lon=30&valid=0") == TrackerReport())
        #expect(report("lat=60&lon=30&valid=true").positions.count == 1)
    }

    @Test func `a form beyond the limits is not read`() {
        // What makes a form too long is left out, and the place before it is not.
        let long = "x=" + String(repeating: "x", count: FormFields.limitBytes)
        #expect(report("lat=60&\(long)&lon=30").positions.count == 1)
        #expect(report(String(repeating: "a=1&", count: FormFields.limit) + "lat=60&lon=30").positions.isEmpty)
    }

    // MARK: JSON

    /// From Traccar's tests.
    static let emulated = #"""
        {"location":{"timestamp":"2025-06-15T13:45:12.862Z","coords":{"latitude":37.4219983,"longitude":-122.084,
        "accuracy":5,"speed":0,"heading":-1,"altitude":5},"is_moving":false,"odometer":0,"event":"motionchange",
        "battery":{"level":1,"is_charging":false},"activity":{"type":"still"},"extras":{},
        "_":"&id=48241179&lat=37.4219983&lon=-122.084&timestamp=2025-06-15T13:45:12.862Z&"},"device_id":"48241179"}
        """#
    static let simulated = #"""
        {"location":{"extras":{},"mock":true,"coords":{"speed_accuracy":-1,"speed":-1,"longitude":-122.406417,
        "ellipsoidal_altitude":0,"floor":null,"heading_accuracy":-1,"latitude":37.785834000000001,"accuracy":5,
        "altitude_accuracy":-1,"altitude":0,"heading":-1},"is_moving":false,"age":188,"odometer":0,
        "uuid":"2FB04C65-99CF-42AB-8DD3-EBCB4B108BF8","event":"motionchange","battery":{"level":-1,
        "is_charging":false},"activity":{"type":"unknown","confidence":100},"timestamp":"2025-05-09T04:11:30.579Z"},
        "device_id":"658765"}
        """#
    static let moving = #"""
        {"location":{"event":"motionchange","is_moving":false,"uuid":"0e9a2473-a9a7-4c00-997b-fb97d2154e75",
        "timestamp":"2021-07-21T08:06:34.444Z","odometer":0,"coords":{"latitude":-6.1148096,"longitude":106.6837015,
        "accuracy":3.8,"speed":18.67,"speed_accuracy":0.26,"heading":63,"heading_accuracy":0.28,"altitude":35.7,
        "altitude_accuracy":3.8},"activity":{"type":"still","confidence":100},"battery":{"is_charging":false,
        "level":0.79},"extras":{}},"device_id":"8737767034"}
        """#

    @Test func `newer Traccar Clients report JSON, in metres a second`() throws {
        let position = try #require(json(Self.moving).positions.first)
        #expect(position.coordinate == Coordinate(validLatitude: -6.1148096, longitude: 106.6837015))
        #expect(position.speed == 18.67 && position.heading == 63 && position.altitude == Metres(35.7))
        #expect(position.accuracy == Metres(3.8) && position.battery == 79)
        #expect(position.sampleTime.milliseconds == 1_626_854_794_444)
        #expect(position.attributes == #"{"charge":false}"#)
    }

    @Test func `what such an app does not know is −1, and unknown`() throws {
        let position = try #require(json(Self.simulated).positions.first)
        #expect(position.speed == nil && position.heading == nil && position.battery == nil)
        #expect(position.altitude == nil)
        #expect(position.attributes == #"{"charge":false,"mock":true}"#)
        #expect(try json(Self.emulated).positions.first?.battery == 100)
    }

    @Test func `reports may be many, in either way that the app's library has`() throws {
        #expect(try json("[\(Self.emulated),\(Self.moving)]").positions.count == 2)
        let one = #"{"timestamp":"2025-06-15T13:45:12Z","coords":{"latitude":1,"longitude":2}}"#
        #expect(try json(#"{"location":[\#(one),\#(one)],"device_id":"1"}"#).positions.count == 2)
        #expect(try json("[]") == TrackerReport())
    }

    @Test func `a faulty report does not affect the others`() throws {
        let report = try json(#"[\#(Self.emulated),{"location":{}},17,null,{"location":{"coords":{"latitude":91}}}]"#)
        #expect(report.positions.count == 1)
        #expect(report.faultCount == 4)
        #expect(report.fault == "/1/location/coords: has no latitude and longitude.")
    }

    @Test func `a batch of more than a thousand is refused as a whole`() throws {
        let many = "[" + Array(repeating: Self.moving, count: 1001).joined(separator: ",") + "]"
        #expect(throws: JSONError.self) { try json(many) }
        let more = "[" + Array(repeating: "0", count: 10_000).joined(separator: ",") + "]"
        #expect(throws: JSONError.self) { try json(more) }
        let most = "[" + Array(repeating: Self.moving, count: 1000).joined(separator: ",") + "]"
        #expect(try json(most).positions.count == 1000)
    }

    @Test(arguments: ["", "7", "\"x\"", "{\"location\":", "lat=1"])
    func `what is no report in JSON is an error`(_ body: String) {
        #expect(throws: JSONError.self) { try json(body) }
    }

    @Test func `the panic button of the app is a call`() throws {
        let body = Self.moving.replacing(#""extras":{}"#, with: #""extras":{"alarm":"sos"}"#)
        #expect(try json(body).calls.map(\.coordinate?.latitude) == [-6.1148096])
    }

    @Test func `the id is where the app has it`() throws {
        #expect(try JSONValue(parsing: Array(Self.moving.utf8)).trackerID == "8737767034")
        #expect(try JSONValue(parsing: Array("[\(Self.moving)]".utf8)).trackerID == "8737767034")
        #expect(JSONValue.array([]).trackerID == nil && JSONValue.null.trackerID == nil)
    }
}
