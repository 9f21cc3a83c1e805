/// A topic to which a gateway publishes what it hears: the default topics of OpenMQTTGateway, Theengs Gateway,
/// ESPresense, the detectors of Happy Bubbles and of the clients of Home Assistant's `mqtt_room`.
///
/// Sources: https://docs.openmqttgateway.com/use/ble.html, https://gateway.theengs.io, https://espresense.com,
/// https://github.com/happy-bubbles/presence and https://www.home-assistant.io/integrations/mqtt_room
package enum GatewayTopic: Hashable, Sendable {
    /// The gateway of this name reports a radio that it heard. The radio's name is part of some topics.
    case heard(gateway: String, radio: String?)
    /// The gateway reports about itself, or announces itself to Home Assistant.
    case about

    /// Reads the name of a topic; nil for any other.
    package init?(_ name: String) {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count >= 2, !parts.contains("") else { return nil }
        switch (parts[0], parts.count) {
        case ("espresense", 4) where parts[1] == "devices": self = .heard(gateway: parts[3], radio: parts[2])
        case ("espresense", _) where ["rooms", "settings"].contains(parts[1]): self = .about
        case ("room_presence", 2): self = .heard(gateway: parts[1], radio: nil)
        case ("happy-bubbles", 4...5) where parts[1] == "ble": self = .heard(gateway: parts[2], radio: nil)
        case ("happy-bubbles", _): self = .about
        case ("home", 3) where parts[1] == "home_presence", ("home", 3) where parts[1] == "presence":
            self = .heard(gateway: parts[2], radio: nil)
        case ("home", 4) where parts[2] == "BTtoMQTT": self = .heard(gateway: parts[1], radio: parts[3])
        case ("home", 3...): self = .about
        case ("homeassistant", 4...) where parts[parts.count - 1] == "config": self = .about
        default: return nil
        }
    }
}
