import Foundation
import MusterCoding
import MusterCore
import Testing

@testable import MusterWire

/// Advertisements against those of another decoder (Tests/Oracles/beacon_frames.py), captured ones, and hostile ones.
struct AdvertisementTests {
    static let iBeacon = "02011a1aff4c000215e2c56db5dffb48d2b060d0f5a71096e000010002c5"
    static let altBeacon = "1bff1801beace2c56db5dffb48d2b060d0f5a71096e000010002c501"
    static let uid = "0201060303aafe1716aafe00ee000102030405060708090a0b0c0d0e0f0000"
    static let url = "0201060303aafe0d16aafe10ee03676f6f676c6507"
    static let tlm = "0201060303aafe1116aafe20000bb816800000000a00000064"

    private func check(_ hexadecimal: String, _ expected: [BeaconFrame], unknown: Int = 0, malformed: Int = 0) throws {
        let advertisement = try Advertisement(reading: #require(Hexadecimal.decode(hexadecimal.utf8)))
        #expect(advertisement.frames == expected, "\(hexadecimal)")
        #expect(advertisement.unknownCount == unknown, "\(hexadecimal)")
        #expect(advertisement.malformedCount == malformed, "\(hexadecimal)")
    }

    private var office: Beacon {
        Beacon(uuid: BeaconUUID("E2C56DB5-DFFB-48D2-B060-D0F5A71096E0")!, major: 1, minor: 2)
    }

    @Test func `each format is read by its own document`() throws {
        try check(Self.iBeacon, [.iBeacon(office, power: -59)])
        try check(Self.altBeacon, [.altBeacon(office, power: -59, manufacturer: 0x0118, reserved: 1)])
        try check(
            Self.uid,
            [.eddystoneUID(namespace: Array(0...9), instance: Array(10...15), powerAtSource: -18)])
        try check(Self.url, [.eddystoneURL("https://google.com", powerAtSource: -18)])
        try check(
            Self.tlm,
            [
                .eddystoneTLM(
                    EddystoneTelemetry(
                        batteryMillivolts: 3000, temperature256ths: 22 * 256 + 128, advertisements: 10,
                        uptimeTenths: 100))
            ])
    }

    @Test func `a beacon is named by its frame, with the strength at one metre`() throws {
        func frame(_ text: String) throws -> BeaconFrame? {
            try Advertisement(reading: #require(Hexadecimal.decode(text.utf8))).identifyingFrame
        }
        #expect(try frame(Self.iBeacon)?.beacon == office)
        #expect(try frame(Self.altBeacon)?.beacon == office)
        let uid = try frame(Self.uid)
        #expect(uid?.beacon?.uuid.description == "00010203-0405-0607-0809-0A0B0C0D0E0F")
        #expect(uid?.powerAtOneMetre == -59)
        #expect(try frame(Self.url) == nil)
    }

    @Test func `an advertisement of unknown format is counted, and not decoded`() throws {
        // Apple's handoff, a Ruuvi tag's measurements, the service of another, an encrypted TLM, and an ephemeral id.
        try check("02011a0bff4c000c0e00a1b2c3d4e5", [], unknown: 1)
        try check("02010603ff9904", [], unknown: 1)
        try check("05161a184000", [], unknown: 1)
        try check("0516aafe2001", [], unknown: 1)
        try check("0d16aafe30ee0102030405060708", [], unknown: 1)
        try check("0816aafe4001020304", [], unknown: 1)
    }

    @Test func `frames of a wrong length are refused and counted`() throws {
        for (text, at) in [(Self.iBeacon, 3), (Self.altBeacon, 0), (Self.uid, 7), (Self.tlm, 7)] {
            let whole = try #require(Hexadecimal.decode(text.utf8))
            // An honest structure that is too short for its format.
            var short = whole.dropLast(3).map { $0 }
            short[at] -= 3
            #expect(try Advertisement(reading: short).malformedCount == 1, "\(text)")
            #expect(try Advertisement(reading: short).frames.isEmpty, "\(text)")
            // A structure that claims the bytes that it does not have.
            #expect(throws: AdvertisementError.truncated(offset: at)) {
                _ = try Advertisement(reading: whole.dropLast(3).map { $0 })
            }
        }
        // A space in an address, and a scheme that there is not.
        try check("0716aafe10ee0120", [], malformed: 1)
        try check("0716aafe10ee0461", [], malformed: 1)
    }

    @Test func `a length of zero ends an advertisement, and one that is too long is refused`() throws {
        try check("0201060000ffff", [])
        try check("", [])
        #expect(throws: AdvertisementError.tooLong(limitBytes: 1650)) {
            _ = try Advertisement(reading: [UInt8](repeating: 0, count: 1651))
        }
    }

    @Test func `a truncated or changed frame never traps`() throws {
        var chance = Seeded(seed: 19)
        for text in [Self.iBeacon, Self.altBeacon, Self.uid, Self.url, Self.tlm] {
            let whole = try #require(Hexadecimal.decode(text.utf8))
            for count in whole.indices { _ = try? Advertisement(reading: Array(whole.prefix(count))) }
            for _ in 0..<2_000 {
                var changed = whole
                changed[Int.random(in: 0..<whole.count, using: &chance)] = UInt8.random(in: 0...255, using: &chance)
                guard let read = try? Advertisement(reading: changed) else { continue }
                #expect(read.frames.count + read.unknownCount + read.malformedCount <= changed.count / 2)
                for case .eddystoneURL(let address, _) in read.frames {
                    #expect(address.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
                }
            }
        }
    }

    @Test func `a Bluetooth address stands for a beacon`() {
        let expected = Beacon(uuid: BeaconUUID(high: 0, low: 0xAABB_CCDD_EEFF), major: 0, minor: 0)
        for text in ["AA:BB:CC:DD:EE:FF", "aabbccddeeff", "aa-bb-cc-dd-ee-ff"] {
            #expect(Beacon(address: text) == expected, "\(text)")
        }
        for text in ["", "AA:BB:CC:DD:EE", "AA:BB:CC:DD:EE:GG", "AABBCCDDEEFF0", "AA.BB.CC.DD.EE.FF", "000000000000"] {
            #expect(Beacon(address: text) == nil, "\(text)")
        }
    }

    @Test func `another decoder reads the same`() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../Golden/beacons.txt").standardizedFileURL
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 400)
        for line in lines {
            let parts = line.split(separator: " ", maxSplits: 1)
            let payload = try #require(Hexadecimal.decode(parts[0].utf8))
            let frames = try Advertisement(reading: payload).frames
            #expect(frames.map(Self.described) == [String(parts[1])], "\(line)")
        }
    }

    /// The words of the oracle, which reads the temperature without its sign.
    private static func described(_ frame: BeaconFrame) -> String {
        func text(_ bytes: [UInt8]) -> String {
            bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        }
        switch frame {
        case .iBeacon(let beacon, let power):
            return "iBeacon \(beacon.uuid.description.lowercased()) \(beacon.major) \(beacon.minor) \(power)"
        case .altBeacon: return "altBeacon"
        case .btHome: return "BTHome"
        case .eddystoneUID(let namespace, let instance, let power):
            return "uid \(text(namespace)) \(text(instance)) \(power)"
        case .eddystoneURL(let address, let power): return "url \(address) \(power)"
        case .eddystoneTLM(let said):
            let temperature = said.temperature256ths.map { UInt16(bitPattern: $0) } ?? 0x8000
            return "tlm \(said.batteryMillivolts ?? 0) \(temperature) \(said.advertisements) \(said.uptimeTenths)"
        }
    }
}
