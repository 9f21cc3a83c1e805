import ArgumentParser
import MusterServer

/// The ports of the MQTT endpoint (docs/mqtt.md).
struct MQTTOptions: ParsableArguments {
    @Option(help: "The port for MQTT clients, with TLS where the server has it; 0 picks a free one. Off by default.")
    var mqttPort: Int?
    @Option(
        name: .customLong("mqtt-websocket-port"),
        help: "The port for MQTT over WebSocket, at /mqtt; 0 picks a free one. Off by default.")
    var mqttWebSocketPort: Int?

    func validate() throws {
        for (name, port) in [("--mqtt-port", mqttPort), ("--mqtt-websocket-port", mqttWebSocketPort)] {
            guard let port, !(0...65_535).contains(port) else { continue }
            throw ValidationError("\(name): \(port) is not 0 to 65535")
        }
    }

    /// The ports that the options set.
    var settings: Configuration.MQTT {
        var settings = Configuration.MQTT()
        settings.port = mqttPort
        settings.webSocketPort = mqttWebSocketPort
        return settings
    }
}
