import MusterCore
import MusterServer
import MusterWire

/// What a client may publish to, by the topic's name. Each kind of topic is translated by the code of its protocol.
enum IncomingTopic: Equatable {
    /// A message of an OwnTracks app.
    case ownTracks(OwnTracksTopic)
    /// A message that other programs announce themselves with, which says nothing to Muster.
    case ignored

    /// Why a topic is refused.
    struct Refusal: Error, Equatable {
        let reason: MQTTReason
        let words: String
    }

    /// The further levels of OwnTracks' topics that apps publish to.
    private static let ownTracksSuffixes: Set<String> = [
        "event", "waypoint", "waypoints", "beacon", "step", "steps", "status", "dump", "info", "request", "lwt",
    ]

    /// Reads the name of a topic for one who wants to publish to it.
    ///
    /// - Throws: `Refusal`.
    init(_ name: String, by principal: Principal) throws(Refusal) {
        // Home Assistant says by it that it has started.
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
