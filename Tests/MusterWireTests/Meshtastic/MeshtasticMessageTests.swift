import MusterCore
import MusterGeometry
import Testing

@testable import MusterWire

/// What Meshtastic radios publish as JSON, in the form in which the firmware's `MeshPacketSerializer` writes it.
struct MeshtasticMessageTests {
    private let now = Instant(milliseconds: 1_764_000_000_000)

    private func read(_ json: String) throws -> MeshtasticMessage {
        try MeshtasticMessage(parsing: Array(json.utf8), receivedAt: now)
    }

    /// A packet of the radio `!849ace3c` that the radio `!da657310` heard.
    private func packet(_ type: String, _ payload: String) -> String {
        """
        {"channel":0,"from":2224737852,"hop_start":3,"hops_away":0,"id":362355262,"payload":\(payload),"rssi":-28,\
        "sender":"!da657310","snr":6.25,"timestamp":1763999990,"to":4294967295,"type":"\(type)"}
        """
    }

    private func position(_ payload: String) throws -> Position? {
        guard case .position(let position, of: let radio) = try read(packet("position", payload)) else { return nil }
        #expect(radio.text == "!849ace3c")
        return position
    }

    @Test func `the topics of radios are known, whatever levels their owner chose`() {
        for name in [
            "msh/2/json/LongFast/!da657310", "msh/EU_868/2/json/LongFast/!da657310",
            "msh/US/CA/Motherlode/2/json/x/!da657310", "msh/US/2/2/json/x/!da657310",
        ] {
            #expect(MeshtasticTopic(name) == .json, "\(name)")
        }
        for name in [
            "msh/EU_868/2/e/LongFast/!da657310", "msh/2/c/LongFast/!da657310", "msh/EU_868/2/stat/!da657310",
            "msh/EU_868/2/map/",
        ] {
            #expect(MeshtasticTopic(name) == .other, "\(name)")
        }
        for name in [
            "msh/EU_868/2/json/LongFast", "msh/EU_868/2/json/a/b/c", "msh/EU_868/3/json/LongFast/!da657310", "msh/2/e",
            "msh/2", "msh", "", "home/2/json/a/b", "/msh/2/json/a/b",
        ] {
            #expect(MeshtasticTopic(name) == nil, "\(name)")
        }
    }

    @Test func `a position has the time of its fix, and members with ambiguous units stay attributes`() throws {
        let position = try #require(
            try position(
                """
                {"PDOP":182,"altitude":41,"ground_speed":4,"ground_track":16000000,"latitude_i":435665001,\
                "longitude_i":-60580003,"precision_bits":32,"sats_in_view":9,"time":1763999980}
                """))
        #expect(position.coordinate == Coordinate(validLatitude: 43.566_500_1, longitude: -6.058_000_3))
        #expect(position.sampleTime == Instant(milliseconds: 1_763_999_980_000) && position.receivedTime == now)
        #expect(position.accuracy.map { ($0.value * 10).rounded() } == 91)
        #expect(position.altitude == 41 && position.speed == nil && position.heading == nil)
        #expect(position.source == .meshtastic)
        #expect(
            position.attributes
                == #"{"ground_speed":4,"ground_track":16000000,"sats_in_view":9,"PDOP":182,"precision_bits":32}"#)
    }

    @Test func `the older of the fix time and the sending time counts`() throws {
        let both = try position(
            #"{"latitude_i":435665001,"longitude_i":1,"time":1763999980,"timestamp":1763990000}"#)
        #expect(both?.sampleTime == Instant(milliseconds: 1_763_990_000_000))
        let fix = try position(#"{"latitude_i":435665001,"longitude_i":1,"timestamp":1763990000}"#)
        #expect(fix?.sampleTime == Instant(milliseconds: 1_763_990_000_000))
    }

    @Test func `an unknown place, or one without a time, is not a position`() throws {
        for payload in [
            #"{"latitude_i":0,"longitude_i":0,"time":1763999980}"#, #"{"time":1763999980}"#, "{}",
            #"{"latitude_i":435665001,"time":1763999980}"#,
        ] {
            #expect(try read(packet("position", payload)) == .unlocated, "\(payload)")
        }
        for payload in [
            #"{"latitude_i":435665001,"longitude_i":-60580003}"#,
            #"{"latitude_i":435665001,"longitude_i":-60580003,"time":0}"#,
            #"{"latitude_i":435665001,"longitude_i":-60580003,"time":-5,"timestamp":99999999999}"#,
        ] {
            #expect(try read(packet("position", payload)) == .untimed, "\(payload)")
        }
        // One of the two numbers may be 0: there are people on the equator.
        #expect(try position(#"{"latitude_i":0,"longitude_i":-60580003,"time":1763999980}"#) != nil)
    }

    /// Cuts a number as the firmware does.
    private func cut(_ value: Int32, bits: Int) -> Int32 {
        guard bits < 32 else { return value }
        let kept = UInt32(bitPattern: value) & (UInt32.max << UInt32(32 - bits))
        return Int32(bitPattern: kept &+ (1 << UInt32(31 - bits)))
    }

    @Test func `the accuracy of a truncated place covers the radio's true place`() throws {
        let places: [(Int32, Int32)] = [
            (435_665_001, -60_580_003), (-338_688_123, 1_512_093_456), (1, 1_799_999_999), (899_999_999, 17),
            (-1, -1),
        ]
        for bits in Int64(1)...32 {
            for (latitude, longitude) in places {
                let (sentLatitude, sentLongitude) = (cut(latitude, bits: Int(bits)), cut(longitude, bits: Int(bits)))
                guard let sent = MeshtasticPlace(latitude: Int64(sentLatitude), longitude: Int64(sentLongitude)) else {
                    continue
                }
                let truth = Coordinate(validLatitude: Double(latitude) / 1e7, longitude: Double(longitude) / 1e7)
                let accuracy = sent.accuracy(precisionBits: bits, dilutionHundredths: 100)
                #expect(sent.coordinate.distance(to: truth) <= accuracy, "\(bits) bits at \(truth)")
            }
        }
        // The half of a cell's diagonal, and five metres.
        let sent = try #require(
            MeshtasticPlace(latitude: Int64(cut(1, bits: 13)), longitude: Int64(cut(1, bits: 13))))
        let side = 52.4288 / 1000 * 111_195
        #expect(abs(sent.accuracy(precisionBits: 13, dilutionHundredths: 100).value - side / 2 * 1.4142) < 0.01 * side)
    }

    @Test func `a place at the edge of its cell may be off by all of it`() throws {
        let middle = try #require(
            MeshtasticPlace(latitude: Int64(cut(435_665_001, bits: 16)), longitude: Int64(cut(60_580_003, bits: 16))))
        let edge = try #require(
            MeshtasticPlace(
                latitude: Int64(cut(435_665_001, bits: 16)) - 1 << 15,
                longitude: Int64(cut(60_580_003, bits: 16)) - 1 << 15))
        let (near, far) = (
            middle.accuracy(precisionBits: 16, dilutionHundredths: 100).value,
            edge.accuracy(precisionBits: 16, dilutionHundredths: 100).value
        )
        #expect(abs((far - 5) / (near - 5) - 2) < 0.01)
    }

    @Test func `a radio that names no precision is taken to be as coarse as the apps allow`() throws {
        for bits in ["", #","precision_bits":0"#, #","precision_bits":33"#, #","precision_bits":"32""#] {
            let position = try position(#"{"latitude_i":435665001,"longitude_i":-60580003,"time":1763999980\#(bits)}"#)
            #expect(position?.accuracy.map { (30_000...70_000).contains($0.value) } == true, "\(bits)")
        }
        // A radio that names no dilution has a common one.
        let plain = try position(#"{"latitude_i":1,"longitude_i":1,"time":1763999980,"precision_bits":32}"#)
        #expect(plain?.accuracy == 10)
    }

    @Test func `a radio's telemetry about itself is its status note`() throws {
        let device =
            #"{"air_util_tx":0.35,"battery_level":87,"channel_utilization":4.2,"uptime_seconds":86400,"x":"y"}"#
        guard case .status(let note, of: let radio) = try read(packet("telemetry", device)) else {
            Issue.record("no status")
            return
        }
        #expect(radio.text == "!849ace3c" && note.name == DeviceNote.Name(.status) && note.receivedTime == now)
        #expect(
            note.body == #"{"battery_level":87,"channel_utilization":4.2,"air_util_tx":0.35,"uptime_seconds":86400}"#)
        #expect(try read(packet("telemetry", #"{"temperature":21.5,"relative_humidity":40}"#)) == .other)
        #expect(try read(packet("telemetry", #"{"battery_level":"full"}"#)) == .other)
    }

    @Test func `other packets are recognized and ignored`() throws {
        #expect(
            try read(packet("nodeinfo", #"{"hardware":43,"id":"!849ace3c","longname":"A","shortname":"a"}"#)) == .other)
        #expect(try read(packet("text", #"{"text":"hello"}"#)) == .other)
        #expect(try read(packet("sendposition", "{}")) == .other)
        let encrypted = """
            {"bytes":"c7fa","channel":8,"from":2224737852,"id":1,"size":2,"time_ms":5,"timestamp":1763999990,\
            "to":4294967295,"want_ack":false}
            """
        #expect(try read(encrypted) == .encrypted)
        for text in [
            "[]", "7", "{}", #"{"from":-1,"type":"position"}"#, #"{"from":0,"type":"text"}"#,
            #"{"from":4294967295,"type":"text"}"#, #"{"from":"849ace3c","type":"text"}"#,
            #"{"from":4294967296,"type":"text"}"#, #"{"from":-2147483649,"type":"text"}"#,
            #"{"from":1,"type":"position"}"#, #"{"from":1,"type":"position","payload":[]}"#,
            #"{"from":1,"type":"telemetry","payload":3}"#, #"{"from":1,"payload":{}}"#,
            #"{"from":1,"type":"position","payload":{"latitude_i":900000001,"longitude_i":0,"time":1}}"#,
            #"{"from":1,"type":"position","payload":{"latitude_i":1.5,"longitude_i":0,"time":1}}"#,
        ] {
            #expect(try read(text) == .malformed, "\(text)")
        }
        #expect(throws: JSONError.self) { try read("{") }
    }

    @Test func `a radio is the same whether its number has a sign, is text, or is its id`() throws {
        // 2224737852 and -2070229444 are the same 32 bits.
        for from in [
            "2224737852", "-2070229444", #""2224737852""#, #""-2070229444""#, #""!849ace3c""#, #""!849ACE3C""#,
        ] {
            let json = """
                {"channel":0,"from":\(from),"id":1,"payload":{"latitude_i":435665001,"longitude_i":-60580003,\
                "time":1763999980},"sender":"!da657310","timestamp":1763999990,"to":-1,"type":"position"}
                """
            guard case .position(_, of: let radio) = try read(json) else {
                Issue.record("no position: \(from)")
                continue
            }
            #expect(radio.text == "!849ace3c", "\(from)")
        }
    }

    @Test func `a clock that was never set gives no time`() throws {
        for times in [#""time":0,"timestamp":0"#, #""time":5,"timestamp":0"#, #""time":86400"#] {
            let payload = "{\"latitude_i\":435665001,\"longitude_i\":-60580003,\(times)}"
            #expect(try read(packet("position", payload)) == .untimed, "\(times)")
        }
        let found = try position(#"{"latitude_i":435665001,"longitude_i":1,"time":5,"timestamp":1763990000}"#)
        #expect(found?.sampleTime == Instant(milliseconds: 1_763_990_000_000))
    }

    @Test func `members that nobody needs do not cost a packet`() throws {
        let padded = packet("nodeinfo", "{\"longname\":\"\0\0\0\",\"shortname\":\"\u{1}\"}")
        #expect(try read(padded) == .other)
        #expect(try read(packet("nodeinfo", #"{"longname":"\u0000\u0000","shortname":"\u0000"}"#)) == .other)
        for member in [#""PDOP":nan"#, #""altitude":-inf"#, #""ground_speed":1e999"#, #""altitude":"#, #""x":"\q""#] {
            let payload = "{\(member),\"latitude_i\":435665001,,\"longitude_i\":-60580003,\"time\":1763999980,}"
            let found = try position(payload)
            #expect(found?.coordinate == Coordinate(validLatitude: 43.566_500_1, longitude: -6.058_000_3), "\(member)")
            #expect(found?.altitude == nil, "\(member)")
        }
        guard case .status(let note, _) = try read(packet("telemetry", #"{"battery_level":87,"voltage":nan}"#)) else {
            Issue.record("no status")
            return
        }
        #expect(note.body == #"{"battery_level":87}"#)
    }

    @Test func `the id of a radio is a beacon's text`() throws {
        let radio = try #require(Beacon("!849ACE3C"))
        #expect(radio == Beacon(meshtasticRadio: 2_224_737_852) && radio.text == "!849ace3c")
        #expect(Beacon("4D657368-7461-7374-6963-0000849ACE3C:0:0") == radio)
        for text in ["!00000000", "!ffffffff", "!849ace3", "!849ace3c0", "849ace3c", "!849ace3g", "!"] {
            #expect(Beacon(text) == nil, "\(text)")
        }
        // A neighbour in the numbers is no radio.
        let other = try #require(Beacon("4D657368-7461-7374-6963-0001849ACE3C:0:0"))
        #expect(other.text == "4D657368-7461-7374-6963-0001849ACE3C:0:0")
    }
}
