import MusterCore
import MusterServer
import MusterWire

/// A topic that a client may publish to. The code of the topic's protocol translates its messages.
enum IncomingTopic: Equatable {
    /// A message of an OwnTracks app.
    case ownTracks(OwnTracksTopic)
    /// A message with which another program announces itself. The server has no use for it.
    case ignored

    /// Why a topic is refused.
    struct Refusal: Error, Equatable {
        let reason: MQTTReason
        let words: String
    }

    /// The suffixes of OwnTracks topics to which apps publish.
    private static let ownTracksSuffixes: Set<String> = [
        "event", "waypoint", "waypoints", "beacon", "step", "steps", "status", "dump", "info", "request", "lwt",
    ]

    /// Reads the name of a topic that a client wants to publish to.
    ///
    /// - Throws: `Refusal` for a topic that the client may not publish to.
    init(_ name: String, by principal: Principal) throws(Refusal) {
        // Home Assistant publishes to this topic when it starts.
        if name == "homeassistant/status" {
            self = .ignored
            return
        }
        guard name.utf8.count <= MQTTLimits.topicBytes, let topic = OwnTracksTopic(name) else {
            throw Refusal(
                reason: .topicNameInvalid,
                words: "This is Muster and no general broker. It takes owntracks/<user>/<device> and topics below it.")
        }
        if topic.suffix == "cmd" {
            throw Refusal(reason: .notAuthorized, words: "Commands for phones come from Muster alone.")
        }
        guard topic.suffix.map({ Self.ownTracksSuffixes.contains($0) }) ?? true else {
            throw Refusal(reason: .topicNameInvalid, words: "No OwnTracks app publishes to .../\(topic.suffix ?? "").")
        }
        let reportsForOthers = principal.role == .gateway || principal.role == .admin
        guard topic.user == principal.name || reportsForOthers else {
            throw Refusal(
                reason: .notAuthorized, words: "\(principal.name) may publish to owntracks/\(principal.name)/... only.")
        }
        self = .ownTracks(topic)
    }
}
