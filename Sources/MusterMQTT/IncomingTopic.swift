import MusterMeshblu
import MusterServer
import MusterWire

/// A topic that a client may publish to. The code of the topic's protocol translates its messages.
enum IncomingTopic: Equatable {
    /// A message of an OwnTracks app.
    case ownTracks(OwnTracksTopic)
    /// A gateway's report of one radio. The radio's name is part of some topics.
    case heard(gateway: String, radio: String?)
    /// A packet that a Meshtastic radio heard in its mesh.
    case meshtastic
    /// An operation of Meshblu's API.
    case meshblu(MeshbluOperation)
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

    /// The topics to which clients of Meshblu publish answers to each other, and settings of another product.
    private static let ignoredOfMeshblu: Set<String> = ["messageAck", "config", "gatewayConfig"]

    /// Reads the name of a topic that a client wants to publish to.
    ///
    /// - Throws: `Refusal` for a topic that the client may not publish to.
    init(_ name: String, by access: Access) throws(Refusal) {
        // Home Assistant publishes to this topic when it starts.
        if name == "homeassistant/status" || Self.ignoredOfMeshblu.contains(name) {
            self = .ignored
            return
        }
        // By default a mosquitto bridge reports its state to both brokers.
        let isReport = name.hasPrefix("$SYS/broker/connection/") && name.hasSuffix("/state")
        if isReport || name == TopicMessages.statusTopic {
            self = .ignored
            return
        }
        if let operation = MeshbluOperation(rawValue: name) {
            self = .meshblu(operation)
            return
        }
        if name.utf8.count <= MQTTLimits.topicBytes, let topic = GatewayTopic(name) {
            guard access.mayReportAsGateway else {
                throw Refusal(
                    reason: .notAuthorized,
                    words: "Only a user with the role gateway may publish here.")
            }
            switch topic {
            case .heard(let gateway, let radio): self = .heard(gateway: gateway, radio: radio)
            case .about: self = .ignored
            }
            return
        }
        if name.utf8.count <= MQTTLimits.topicBytes, let topic = MeshtasticTopic(name) {
            guard access.mayReportAsGateway, access.principal.device == nil else {
                throw Refusal(
                    reason: .notAuthorized,
                    words: "Only a user with the role gateway may publish here, with an API key or a password: "
                        + "a device's token reports for that device alone.")
            }
            self = topic == .json ? .meshtastic : .ignored
            return
        }
        guard name.utf8.count <= MQTTLimits.topicBytes, let topic = OwnTracksTopic(name) else {
            throw Refusal(
                reason: .topicNameInvalid,
                words: "This is Muster and no general broker. It takes owntracks/<user>/<device> and topics below it, "
                    + "and what gateways and Meshtastic radios hear.")
        }
        if topic.suffix == "cmd" {
            throw Refusal(reason: .notAuthorized, words: "Commands for phones come from Muster alone.")
        }
        guard topic.suffix.map({ Self.ownTracksSuffixes.contains($0) }) ?? true else {
            throw Refusal(reason: .topicNameInvalid, words: "No OwnTracks app publishes to .../\(topic.suffix ?? "").")
        }
        let name = access.principal.name
        guard topic.user == name || access.mayReportForOthers else {
            throw Refusal(reason: .notAuthorized, words: "\(name) may publish to owntracks/\(name)/... only.")
        }
        self = .ownTracks(topic)
    }
}
