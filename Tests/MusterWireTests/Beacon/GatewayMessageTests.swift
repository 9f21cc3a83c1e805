import MusterCoding
import MusterCore
import MusterGeometry
import Testing

@testable import MusterWire

/// What gateways publish by MQTT, as their documentation and captures of others have it.
struct GatewayMessageTests {
    private let now = Instant(milliseconds: 1_764_000_000_000)

    private func read(_ json: String, radio: String? = nil) throws -> GatewayMessage {
        try GatewayMessage(parsing: Array(json.utf8), radio: radio, receivedAt: now)
    }

    private func check(
        _ json: String, radio: String? = nil, _ beacons: [String], signal: Double?, metres: Double?,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let message = try read(json, radio: radio)
        #expect(message.sightings.map(\.beacon.text) == beacons, sourceLocation: sourceLocation)
        for sighting in message.sightings {
            #expect(sighting.sampleTime == now && sighting.receivedTime == now, sourceLocation: sourceLocation)
            #expect(sighting.signalStrength == signal, sourceLocation: sourceLocation)
            let distance = sighting.distance.map { ($0.value * 100).rounded() / 100 }
            #expect(distance == metres, sourceLocation: sourceLocation)
        }
    }

    @Test func `the topics of four kinds of gateways are known, and those of their own status`() {
        func topic(_ name: String) -> GatewayTopic? { GatewayTopic(name) }
        #expect(
            topic("home/OpenMQTTGateway/BTtoMQTT/C7FAAD132C00")
                == .heard(gateway: "OpenMQTTGateway", radio: "C7FAAD132C00"))
        #expect(
            topic("home/TheengsGateway/BTtoMQTT/CBB8334C884F")
                == .heard(gateway: "TheengsGateway", radio: "CBB8334C884F"))
        #expect(topic("espresense/devices/iBeacon:x-1-2/office") == .heard(gateway: "office", radio: "iBeacon:x-1-2"))
        #expect(topic("room_presence/kitchen") == .heard(gateway: "kitchen", radio: nil))
        #expect(topic("home/home_presence/OpenMQTTGateway") == .heard(gateway: "OpenMQTTGateway", radio: nil))
        for name in [
            "espresense/rooms/office/telemetry", "espresense/rooms/office/status", "espresense/settings/x/config",
            "home/OpenMQTTGateway/LWT", "home/OpenMQTTGateway/SYStoMQTT", "home/OpenMQTTGateway/433toMQTT/1",
            "homeassistant/sensor/espresense_1/uptime/config",
        ] {
            #expect(topic(name) == .about, "\(name)")
        }
        for name in ["home/a", "espresense/devices/a", "room_presence/a/b", "home//BTtoMQTT/a", "a/b/c/d", "home", ""] {
            #expect(topic(name) == nil, "\(name)")
        }
    }

    @Test func `OpenMQTTGateway's and Theengs's messages are read`() throws {
        try check(
            #"{"id":"c7:fa:ad:13:2c:00","rssi":-68,"distance":2.799256,"servicedata":"drfgdrgdsrgesr"}"#,
            radio: "C7FAAD132C00", ["C7:FA:AD:13:2C:00"], signal: -68, metres: 2.8)
        let iBeacon = """
            {"id":"60:87:57:4C:9B:C2","mac_type":1,"rssi":-78,"distance":7.85288,"brand":"GENERIC","model":"iBeacon",\
            "model_id":"IBEACON","mfid":"4c00","uuid":"1de4b189115e45f6b44e509352269977","major":0,"minor":7,\
            "txpower":-66}
            """
        let name = "1DE4B189-115E-45F6-B44E-509352269977:0:7"
        try check(iBeacon, radio: "6087574C9BC2", [name, "60:87:57:4C:9B:C2"], signal: -78, metres: 7.85)
        // Without a distance, it follows from the strength at 1 m, which is that for an iBeacon alone.
        let far = """
            {"id":"52:10:A8:46:90:AC","rssi":-93,"uuid":"1de4b189115e45f6b44e509352269977","major":0,"minor":7,\
            "txpower":-66}
            """
        try check(far, [name, "52:10:A8:46:90:AC"], signal: -93, metres: 10)
        try check(
            #"{"id":"45:F6:8A:76:86:C5","rssi":-55,"txpower":12}"#, ["45:F6:8A:76:86:C5"], signal: -55, metres: nil)
    }

    @Test func `raw data in a message are decoded like a frame that was heard`() throws {
        let raw = """
            {"id":"CB:B8:33:4C:88:4F","rssi":-59,\
            "manufacturerdata":"4c000215e2c56db5dffb48d2b060d0f5a71096e000010002c5"}
            """
        try check(
            raw, ["E2C56DB5-DFFB-48D2-B060-D0F5A71096E0:1:2", "CB:B8:33:4C:88:4F"], signal: -59, metres: 1)
        let uid = """
            {"id":"CB:B8:33:4C:88:4F","rssi":-59,"servicedatauuid":"0xfeaa",\
            "servicedata":"00ee000102030405060708090a0b0c0d0e0f0000"}
            """
        try check(
            uid, ["00010203-0405-0607-0809-0A0B0C0D0E0F:0:0", "CB:B8:33:4C:88:4F"], signal: -59, metres: 1)
        let ruuvi = try read(#"{"id":"CB:B8:33:4C:88:4F","rssi":-59,"manufacturerdata":"990405"}"#)
        #expect(ruuvi.sightings.count == 1 && ruuvi.unknownCount == 1)
        let torn = try read(#"{"id":"CB:B8:33:4C:88:4F","rssi":-59,"manufacturerdata":"4c0002"}"#)
        #expect(torn.sightings.count == 1 && torn.malformedCount == 1)
    }

    @Test func `ESPresense's messages are read`() throws {
        let captured = """
            {"mac":"dd8800003777","id":"iBeacon:426c7565-4368-6172-6d42-6561636f6e73-3838-4949","rssi@1m":-59,\
            "rssi":-81.10,"rxAdj":0,"rssiVar":7.42,"distance":6.58,"var":4.00,"int":2028}
            """
        let name = "426C7565-4368-6172-6D42-6561636F6E73:3838:4949"
        try check(captured, [name, "DD:88:00:00:37:77"], signal: -81.1, metres: 6.58)
        try check(#"{"rssi":-70,"rssi@1m":-70}"#, radio: "cbb8334c884f", ["CB:B8:33:4C:88:4F"], signal: -70, metres: 1)
        // A strength at 1 m that cannot be is none.
        try check(#"{"rssi":-70,"rssi@1m":58}"#, radio: "cbb8334c884f", ["CB:B8:33:4C:88:4F"], signal: -70, metres: nil)
    }

    @Test func `Home Assistant's mqtt_room is read, and an alias is counted as unknown`() throws {
        try check(
            #"{"id":"CB:B8:33:4C:88:4F","name":"Test Device","distance":5.678}"#, ["CB:B8:33:4C:88:4F"], signal: nil,
            metres: 5.68)
        let alias = try read(#"{"id":"123testid","name":"Test Device","distance":5.678}"#)
        #expect(alias.sightings.isEmpty && alias.unknownCount == 1)
    }

    @Test func `a beacon is the same in each form that gateways write it in`() throws {
        let uuid = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E1"
        let name = "\(uuid):10:1234"
        let short = "e2c56db5dffb48d2b060d0f5a71096e1"
        for id in [
            "iBeacon:\(uuid)-10-1234", "\(uuid.lowercased())-10-1234", "\(short)-10-1234", "\(short)_10_1234",
            "\(uuid):10:1234", "ibeacon:\(short)-10-1234",
        ] {
            try check(#"{"id":"\#(id)","rssi":-42,"distance":0.34}"#, [name], signal: -42, metres: 0.34)
        }
        for numbers in [
            #""major":10,"minor":1234"#, #""major":"10","minor":"1234""#, #""major":"00010","minor":1234.0"#,
        ] {
            let json = #"{"uuid":"\#(short)",\#(numbers),"rssi":"-42","distance":"0.34"}"#
            try check(json, [name], signal: -42, metres: 0.34)
        }
        let happyBubbles = """
            {"hostname":"kitchen","beacon_type":"ibeacon","mac":"cbb8334c884f","rssi":-59,"uuid":"\(short)",\
            "major":"000a","minor":"04d2","tx_power":"c5"}
            """
        try check(happyBubbles, [name, "CB:B8:33:4C:88:4F"], signal: -59, metres: 1)
        for topic in ["happy-bubbles/ble/kitchen/raw/cbb8334c884f", "happy-bubbles/ble/kitchen/ibeacon"] {
            #expect(GatewayTopic(topic) == .heard(gateway: "kitchen", radio: nil))
        }
        #expect(GatewayTopic("happy-bubbles/presence/changes") == .about)
        // An id without all parts of a beacon's is a tag that nobody knows.
        #expect(try read(#"{"id":"\#(short)-10","rssi":-42}"#).unknownCount == 1)
    }

    @Test(arguments: [
        #""tempc":nan"#, #""hum":1e999"#, #""volt":-Infinity"#, #""name":"\u{1}\u{2}\0""#, #""name":"\q""#, #""x":"#,
        #""volt":.5"#, #""n":+05"#, #""":1,,,"y":2"#, #""deep":[[[[[[[[[[1]]]]]]]]]]"#, #""name":"a","name":"b""#,
    ])
    func `a member that nobody needs does not cost a sighting`(member: String) throws {
        let id = #""id":"CB:B8:33:4C:88:4F"#
        for json in [
            "{\(member),\(id)\",\"rssi\":-55}", "{\(id)\",\"rssi\":-55,\(member)}",
            "{\(id)\0\",\(member),\"rssi\":-55,}\0\0",
        ] {
            try check(json, ["CB:B8:33:4C:88:4F"], signal: -55, metres: nil)
        }
    }

    @Test func `raw bytes in a tag's name do not cost a sighting`() throws {
        for name in [[0xFF, 0xFE], [0x00, 0x1B], [0x0A], [0xC3]] as [[UInt8]] {
            let json = Array(#"{"name":""#.utf8) + name + Array(#"","id":"CB:B8:33:4C:88:4F","rssi":-55}"#.utf8)
            let message = try GatewayMessage(parsing: json, radio: nil, receivedAt: now)
            #expect(message.sightings.map(\.beacon.text) == ["CB:B8:33:4C:88:4F"])
        }
    }

    @Test func `a needed member that is unreadable, or written twice, is not guessed`() throws {
        for json in [
            #"{"id":"CB:B8:33:4C:88:4F","rssi":nan}"#, #"{"id":"CB:B8:33:4C:88:4F","rssi":-55,"rssi":-70}"#,
        ] {
            let message = try read(json)
            #expect(message.sightings.isEmpty && message.malformedCount == 1, "\(json)")
        }
        // A name with raw quotes could hold any members: nothing is taken from such a text.
        for json in [
            #"{"name":"my "tag" ","id":"CB:B8:33:4C:88:4F","rssi":-55}"#, #"{"id":"CB:B8:33:4C:88:4F" "rssi":-55}"#,
            #"{"id":"CB:B8:33:4C:88:4F","rssi":-55"#, #"{"rssi":-55} {"rssi":-5}"#, "hello", "", "\0",
        ] {
            #expect(throws: JSONError.self, "\(json)") { try read(json) }
        }
    }

    @Test(arguments: [
        #"{"id":"CB:B8:33:4C:88:4F"}"#, #"{"id":"CB:B8:33:4C:88:4F","rssi":900}"#, "[]", "7", #""x""#,
        #"{"id":"CB:B8:33:4C:88:4F","distance":-1}"#, #"{"hum":"52.6","tempc":"19.2"}"#,
    ])
    func `a message that says nothing about a radio is counted`(json: String) throws {
        let message = try read(json, radio: "CBB8334C884F")
        #expect(message.sightings.isEmpty && message.malformedCount == 1)
    }

    @Test func `numbers out of range make no beacon`() throws {
        for members in [
            #""uuid":"1de4","major":0,"minor":0"#,
            #""uuid":"1de4b189115e45f6b44e509352269977","major":70000,"minor":0"#,
            #""uuid":"1de4b189115e45f6b44e509352269977","major":1.5,"minor":0"#,
            #""id":"iBeacon:426c7565-4368-6172-6d42-6561636f6e73-99999-1""#, #""id":"iBeacon:---""#,
            #""id":"iBeacon:426c75654368-6172-6d42-6561636f6e73-1-1-1""#,
        ] {
            let message = try read("{\(members),\"rssi\":-50}")
            #expect(message.sightings.isEmpty && message.unknownCount == 1, "\(members)")
        }
    }
}

/// BTHome's frames against its documentation, and hostile ones.
struct BTHomeTests {
    private func read(_ hexadecimal: String) throws -> Advertisement {
        try Advertisement(reading: #require(Hexadecimal.decode(hexadecimal.utf8)))
    }

    private func values(_ hexadecimal: String) throws -> [[Int64]] {
        guard case .btHome(let frame) = try read(hexadecimal).frames.first else { return [] }
        return frame.values.map { [Int64($0.object), $0.number] }
    }

    @Test func `the example of BTHome's documentation is read`() throws {
        // 25.06 °C and 50.55 %, and the same with a packet id and the battery.
        #expect(try values("0201060b094449592d73656e736f720a16d2fc4002ca0903bf13") == [[2, 2_506], [3, 5_055]])
        #expect(try values("0b16d2fc40000a01610218fc") == [[0, 10], [1, 97], [2, -1_000]])
        guard case .btHome(let frame) = try read("0b16d2fc44000a01613a01ff").frames.first else {
            Issue.record("no frame")
            return
        }
        #expect(frame.values.map { [Int64($0.object), $0.number] } == [[0, 10], [1, 97], [0x3A, 1]])
        #expect(frame.isTriggered && frame.hasUnknownObjects)
    }

    @Test func `a signed number of each length keeps its sign`() throws {
        #expect(try values("0616d2fc4057ea") == [[0x57, -22]])
        #expect(try values("0716d2fc405aeafe") == [[0x5A, -278]])
        #expect(try values("0916d2fc405bfeffffff") == [[0x5B, -2]])
        #expect(try values("0916d2fc403effffffff") == [[0x3E, 4_294_967_295]])
        // A text in between is passed over.
        #expect(try values("0a16d2fc40530268690161") == [[1, 0x61]])
    }

    @Test func `encrypted frames and other versions are unknown, and truncated frames malformed`() throws {
        for text in ["0e16d2fc41a47266c95f7300112233", "0616d2fc200161", "0616d2fc600161"] {
            let read = try read(text)
            #expect(read.frames.isEmpty && read.unknownCount == 1 && read.malformedCount == 0, "\(text)")
        }
        for text in ["0316d2fc", "0516d2fc4001", "0616d2fc4002ca", "0716d2fc40530561"] {
            let read = try read(text)
            #expect(read.frames.isEmpty && read.malformedCount == 1 && read.unknownCount == 0, "\(text)")
        }
        #expect(try read("0616d2fc400161").identifyingFrame == nil)
    }
}
