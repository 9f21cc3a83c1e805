import Foundation
import MusterCoding
import MusterCore
import MusterGeometry
import Testing

@testable import MusterWire

/// Every `Golden/OwnTracks/NAME.json` is a body as a phone posts it, `NAME.expected.json` what Muster makes of it.
struct OwnTracksGoldenTests {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../Golden/OwnTracks").standardizedFileURL

    static let names: [String] = {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return files.filter { $0.hasSuffix(".json") && !$0.hasSuffix(".expected.json") }
            .map { String($0.dropLast(5)) }.sorted()
    }()

    @Test func `the captured bodies are there`() {
        #expect(Self.names.count >= 20)
    }

    @Test(arguments: names)
    func `a captured body means what is written beside it`(name: String) throws {
        let body = try Array(Data(contentsOf: Self.folder.appending(path: name + ".json")))
        let request = try OwnTracksRequest(parsing: body, receivedAt: Instant(milliseconds: 1_795_240_900_000))
        let described = Self.describe(request)
        let expected = (try? String(contentsOf: Self.folder.appending(path: name + ".expected.json"), encoding: .utf8))
        #expect(described == expected)
    }

    /// A line of JSON for every message and every fault.
    static func describe(_ request: OwnTracksRequest) -> String {
        var writer = JSONWriter()
        for message in request.messages {
            writer.beginObject()
            describe(message, with: &writer)
            writer.endObject()
            writer.endLine()
        }
        for fault in request.faults {
            writer.beginObject()
            writer.member("fault", fault.pointer)
            writer.member("reason", fault.reason.description)
            writer.endObject()
            writer.endLine()
        }
        return writer.bytes.text
    }

    private static func describe(_ message: OwnTracksMessage, with writer: inout JSONWriter) {
        switch message {
        case .location(let location):
            writer.key("location")
            writer.value(location.position)
            writer.optional("topic", location.topic)
        case .transition(let transition):
            writer.member("transition", transition.isEntering ? "enter" : "leave")
            writer.optional("name", transition.name)
            writer.member("sampleTime", transition.sampleTime)
            writer.optional("place", transition.coordinate.map { "\($0.latitude) \($0.longitude)" })
            writer.optional("accuracy", transition.accuracy.map { "\($0.value)" })
            writer.optional("trackerID", transition.trackerID)
            writer.optional("trigger", transition.trigger)
        case .waypoint(let waypoint): describe(waypoint, with: &writer)
        case .waypoints(let waypoints):
            writer.key("waypoints")
            writer.beginArray()
            for waypoint in waypoints {
                writer.beginObject()
                describe(waypoint, with: &writer)
                writer.endObject()
            }
            writer.endArray()
        case .beacon(let beacon):
            writer.member("beacon", "\(beacon.uuid) \(beacon.major) \(beacon.minor)")
            writer.member("sampleTime", beacon.sampleTime)
            writer.optional("distance", beacon.distance.map { "\($0.value)" })
            writer.optional("signalStrength", beacon.signalStrength.map { "\($0)" })
            writer.optional("proximity", beacon.proximity.map { "\($0)" })
        case .lastWill(let will): writer.member("lastWill", will.sampleTime?.rfc3339 ?? "")
        case .card(let card):
            writer.member("card", card.name ?? "")
            writer.optional("face", card.face)
            writer.optional("trackerID", card.trackerID)
        case .steps(let steps):
            writer.member("steps", steps.steps.map { "\($0)" } ?? "unknown")
            writer.member("sampleTime", steps.sampleTime)
            writer.optional("from", steps.from?.rfc3339)
            writer.optional("to", steps.to?.rfc3339)
        case .status(let text):
            writer.key("status")
            writer.raw(text)
        case .command(let action): writer.member("command", action)
        case .request(let kind): writer.member("request", kind)
        case .encrypted(let envelope):
            writer.member("nonce", Base64.encode(envelope.nonce))
            writer.member("box", Base64.encode(envelope.box))
        case .other(let type): writer.member("other", type)
        }
    }

    private static func describe(_ waypoint: OwnTracksWaypoint, with writer: inout JSONWriter) {
        writer.member("waypoint", waypoint.name)
        writer.optional("createdAt", waypoint.createdAt?.rfc3339)
        writer.optional("regionID", waypoint.regionID)
    }
}

extension JSONWriter {
    fileprivate mutating func optional(_ key: StaticString, _ text: String?) {
        if let text { member(key, text) }
    }
}
