import MusterCore
import MusterGeometry
import MusterMeshblu
import MusterServer
import MusterStore
import MusterWire

// `TopicMessages`: translates changes of the log into MQTT messages, for the readers who may see them.

/// A message to send to subscribers.
struct TopicMessage: Sendable {
    var topic: String
    var payload: [UInt8]
    /// The device whose report the message is about; nil for none.
    var device: DeviceNumber?
    /// Whether the message has the flag RETAIN: it is the last of its topic, and holds until the next one.
    var isRetained = false
    /// Until when the message may be sent; nil for no limit.
    var expiresAt: Instant?
}

/// Translates changes of the log into messages with topics, and lists the retained messages.
///
/// | Topic | Message | Retained |
/// |---|---|---|
/// | `owntracks/<user>/<device>` | each current position, as OwnTracks apps write it | the last one |
/// | `owntracks/<user>/<device>/event` | the device entered or left a region | |
/// | `owntracks/<user>/<device>/info` | the card of the person | the last one |
/// | `owntracks/<user>/<device>/cmd` | the command to report its location, when someone asks where the person is | |
/// | `muster/devices/<user>/<device>/position` | each current position, with plain names | the last one |
/// | `muster/users/<user>/safety` | each change of a person's safety | the last one |
/// | `homeassistant/device_tracker/muster_d<n>/config` | Home Assistant's configuration of a device | the last one |
/// | `homeassistant/binary_sensor/muster_u<n>/config` | Home Assistant's configuration of a person | the last one |
/// | `muster/status` | `1` while the server runs, `0` when it stops | the last one |
/// | `muster/changes/<kind>` | each change of the log, as the API's live feed has it | |
/// | a UUID of Meshblu's, as `MeshbluTopics` has it | what devices of Meshblu fire and send | |
///
/// A subscriber receives only the messages that `Access` lets them see.
struct TopicMessages: Sendable {
    private let coordinator: StoreCoordinator
    private let homeAssistant: HomeAssistantDiscovery
    private let meshblu: MeshbluTopics

    init(_ parts: ServerParts) {
        coordinator = parts.coordinator
        homeAssistant = HomeAssistantDiscovery(parts.coordinator)
        meshblu = MeshbluTopics(parts)
    }

    /// The first levels of all topics to which clients can subscribe.
    static let roots: Set<Substring> = ["owntracks", "muster", "homeassistant"]

    // MARK: Changes

    /// Returns the messages of a change, if the reader may see it, or is the person whose location it asks for.
    ///
    /// - Parameter wants: whether a topic is subscribed to. Messages for other topics are not made.
    /// - Throws: the errors of reading the store.
    func messages(
        of event: LiveEvent, for access: Access, wants: (String) -> Bool
    ) async throws -> [TopicMessage] {
        var messages: [TopicMessage] = []
        if case .action(let action) = event.change, access.isAskedForLocation(by: action) {
            messages += requests(action, access.directory).filter { wants($0.topic) }
        }
        guard access.maySee(event.change) else {
            return messages + removals(event.change, for: access, wants: wants)
        }
        switch event.change {
        case .position(let position, let device, isCurrent: true):
            messages += positionMessages(position, of: device, access.directory, wants: wants)
        case .crossing(let crossing) where crossing.kind == .enter || crossing.kind == .exit:
            let topic = Self.topic(of: crossing.device, access.directory, "/event")
            if let topic, wants(topic) { messages.append(try await message(of: crossing, topic, access.directory)) }
        case .note(let name, let device) where name.kind == .card:
            if let topic = Self.topic(of: device, access.directory, "/info"), wants(topic),
                let card = try await cards(of: [device], access.directory, wants: wants).first
            {
                messages.append(card)
            }
        case .safety(let safety, let user):
            let topic = Self.safetyTopic(of: user, access.directory)
            if wants(topic) { messages.append(safetyMessage(safety, topic, access.directory)) }
        case .directory(.device(let device), removed: _):
            messages += homeAssistant.messages(of: device, access.directory, wants: wants)
        case .directory(.user(let user), removed: _):
            messages += configurations(of: user, access.directory, wants: wants)
        default: break
        }
        messages += try await meshblu.messages(of: event.change, for: access, wants: wants)
            .map { TopicMessage(topic: $0.topic, payload: $0.payload, device: event.device, expiresAt: $0.expiresAt) }
        let topic = "muster/changes/\(event.type)"
        if wants(topic) { messages.append(TopicMessage(topic: topic, payload: event.json, device: event.device)) }
        return messages
    }

    /// Returns the empty configuration of what was removed from the directory, for readers of a team or of everyone:
    /// the server no longer knows the owner. A reader who never saw the entity learns only its number.
    private func removals(
        _ change: Change, for access: Access, wants: (String) -> Bool
    ) -> [TopicMessage] {
        guard access.readsOthers else { return [] }
        let directory = access.directory
        switch change {
        case .directory(.device(let device), removed: true) where directory.devices[device] == nil:
            return homeAssistant.messages(of: device, directory, wants: wants)
        case .directory(.user(let user), removed: true) where directory.users[user] == nil:
            return homeAssistant.messages(of: user, directory, wants: wants)
        default: return []
        }
    }

    /// Returns the Home Assistant configurations of a person and of their devices.
    private func configurations(
        of user: UserNumber, _ directory: Directory, wants: (String) -> Bool
    ) -> [TopicMessage] {
        homeAssistant.messages(of: user, directory, wants: wants)
            + directory.devices(of: user).flatMap { homeAssistant.messages(of: $0, directory, wants: wants) }
    }

    private func positionMessages(
        _ position: Position, of device: DeviceNumber, _ directory: Directory, wants: (String) -> Bool
    ) -> [TopicMessage] {
        guard let name = directory.qualifiedName(of: device) else { return [] }
        let (owntracks, plain) = ("owntracks/\(name)", Self.positionTopic(of: name))
        var messages: [TopicMessage] = []
        if wants(owntracks) {
            let payload = OwnTracksReply.message {
                $0.append(position, trackerID: String(name.prefix(2)), topic: owntracks)
            }
            messages.append(TopicMessage(topic: owntracks, payload: payload, device: device, isRetained: true))
        }
        if wants(plain) {
            let payload = Self.plainPayload(position)
            messages.append(TopicMessage(topic: plain, payload: payload, device: device, isRetained: true))
        }
        guard !messages.isEmpty, let end = MessageExpiry.end(in: position.attributes) else { return messages }
        return messages.map { message in
            var message = message
            message.expiresAt = end
            return message
        }
    }

    /// Returns a position as JSON with the member names that Home Assistant's device trackers read.
    private static func plainPayload(_ position: Position) -> [UInt8] {
        JSONWriter.object { writer in
            writer.member("latitude", position.coordinate.latitude)
            writer.member("longitude", position.coordinate.longitude)
            if let accuracy = position.accuracy { writer.member("gps_accuracy", accuracy.value) }
            if let altitude = position.altitude { writer.member("altitude", altitude.value) }
            if let speed = position.speed { writer.member("speed", speed) }
            if let heading = position.heading { writer.member("course", heading) }
            if let battery = position.battery { writer.member("battery_level", battery) }
            writer.key("sample_time")
            writer.value(position.sampleTime)
        }
    }

    private func message(
        of crossing: Crossing, _ topic: String, _ directory: Directory
    ) async throws -> TopicMessage {
        let device = crossing.device
        // The fix that decided it. The latest position may be far away by now: a subscriber also gets what it missed.
        let position = try await coordinator.read { try $0.fix(of: device, at: crossing.sampleTime) }
        let payload = OwnTracksReply.message {
            $0.append(
                transition: crossing.kind == .enter, of: directory.named(crossing.region).name, at: crossing.sampleTime,
                from: position, trackerID: String(topic.dropFirst("owntracks/".count).prefix(2)), topic: topic)
        }
        return TopicMessage(topic: topic, payload: payload, device: device)
    }

    private func safetyMessage(_ safety: Safety, _ topic: String, _ directory: Directory) -> TopicMessage {
        let named = directory.named(safety)
        let payload = JSONWriter.object { writer in
            writer.members(of: named)
        }
        return TopicMessage(topic: topic, payload: payload, isRetained: true)
    }

    /// Returns one command for each device that the action asks for its location.
    private func requests(_ action: Action, _ directory: Directory) -> [TopicMessage] {
        let devices = action.device.map { [$0] } ?? action.user.map { directory.devices(of: $0) } ?? []
        let payload = OwnTracksReply.message { $0.appendReportLocation() }
        return devices.compactMap { device in
            Self.topic(of: device, directory, "/cmd").map { TopicMessage(topic: $0, payload: payload) }
        }
    }

    // MARK: Retained

    /// Returns the retained messages that a reader may see, and the last change that they include.
    ///
    /// - Throws: `CoordinatorError` and the errors of reading the store.
    func retained(
        for principal: Principal, wants: @escaping @Sendable (String) -> Bool
    ) async throws -> (messages: [TopicMessage], through: LogSequence) {
        let (positions, safeties, through) = try await coordinator.inspect { engine, directory, sequence in
            let users = Access(principal, in: directory).readableUsers
            let positions = users.flatMap { directory.devices(of: $0.number) }
                .compactMap { device in engine.latestPosition(of: device).map { (device, $0) } }
            let safeties = users.filter { $0.role != .gateway }.map { ($0.number, engine.safety(of: $0.number)) }
            return (positions, safeties, sequence)
        }
        let directory = coordinator.directory
        var messages: [TopicMessage] = wants(Self.statusTopic) ? [Self.status(isRunning: true)] : []
        for (device, position) in positions {
            messages += positionMessages(position, of: device, directory, wants: wants)
        }
        messages += try await cards(of: positions.map(\.0), directory, wants: wants)
        for (user, safety) in safeties {
            messages += configurations(of: user, directory, wants: wants)
            let topic = Self.safetyTopic(of: user, directory)
            if wants(topic) { messages.append(safetyMessage(safety, topic, directory)) }
        }
        return (messages, through)
    }

    private func cards(
        of devices: [DeviceNumber], _ directory: Directory, wants: (String) -> Bool
    ) async throws -> [TopicMessage] {
        let wanted = devices.filter { Self.topic(of: $0, directory, "/info").map(wants) ?? false }
        guard !wanted.isEmpty else { return [] }
        let notes = try await coordinator.read { try $0.cards(of: wanted) }
        return wanted.compactMap { device in
            guard let note = notes[device], let card = OwnTracksCard(note),
                let topic = Self.topic(of: device, directory, "/info"), let name = directory.qualifiedName(of: device)
            else { return nil }
            let payload = OwnTracksReply.message {
                $0.append(
                    cardNamed: card.name ?? name, face: card.face,
                    trackerID: card.trackerID.map { String($0.prefix(2)) } ?? String(name.prefix(2)), topic: topic)
            }
            return TopicMessage(
                topic: topic, payload: payload, device: device, isRetained: true,
                expiresAt: MessageExpiry.end(in: note.body))
        }
    }

    // MARK: The server itself

    /// The topic that says whether the server runs. Home Assistant's entities are available by it.
    static let statusTopic = "muster/status"

    /// Returns the message that says whether the server runs. A mosquitto bridge reports its connection with the same
    /// payloads, so it can publish to this topic when the server is gone.
    static func status(isRunning: Bool) -> TopicMessage {
        TopicMessage(topic: statusTopic, payload: [UInt8(ascii: isRunning ? "1" : "0")], isRetained: true)
    }

    // MARK: Topic names

    private static func topic(of device: DeviceNumber, _ directory: Directory, _ suffix: String) -> String? {
        directory.qualifiedName(of: device).map { "owntracks/\($0)\(suffix)" }
    }

    static func positionTopic(of qualifiedName: String) -> String { "muster/devices/\(qualifiedName)/position" }

    static func safetyTopic(of user: UserNumber, _ directory: Directory) -> String {
        "muster/users/\(directory.name(of: user))/safety"
    }
}

extension LiveEvent {
    /// The device whose report the change is about; nil for none.
    fileprivate var device: DeviceNumber? {
        switch change {
        case .position(_, of: let device, isCurrent: _), .sighting(_, of: let device, isCurrent: _): device
        case .note(_, of: let device), .signal(_, of: let device): device
        default: nil
        }
    }
}
