import MusterCore
import MusterMeshblu
import MusterOwnTracks
import MusterServer
import MusterStore
import MusterWire

/// Translates published messages into observations and stores them. The code of each protocol translates its messages,
/// and `StoreCoordinator.ingest` stores the observations of all.
struct PublishIntake: Sendable {
    let coordinator: StoreCoordinator
    private let ownTracks: OwnTracksIntake
    private let meshblu: MeshbluIntake
    let metrics: Metrics
    let occasionalLog: OccasionalLog
    private let refused: RefusedReports
    let configuration: Configuration

    init(_ parts: ServerParts) {
        coordinator = parts.coordinator
        ownTracks = OwnTracksIntake(parts)
        meshblu = MeshbluIntake(parts)
        metrics = parts.metrics
        occasionalLog = parts.occasionalLog
        refused = parts.refused
        configuration = parts.configuration
    }

    /// A message that a client published. The topic is complete, with its alias replaced.
    struct Message: Sendable {
        var topic: String
        var payload: [UInt8]
        /// Whether the message may have waited: it is retained, or sent again (MQTT 5.0, sections 3.3.1.1 and 3.3.1.3),
        /// or a will, which was written when the client connected.
        var mayBeOld = false
        /// Until when the message may be sent to subscribers; nil for no limit.
        var expiresAt: Instant?

        init(topic: String, payload: [UInt8], mayBeOld: Bool, properties: MQTTProperties, at now: Instant) {
            self.topic = topic
            self.payload = payload
            self.mayBeOld = mayBeOld
            expiresAt = properties.number(.messageExpiry).map { now.advanced(bySeconds: Double($0)) }
        }
    }

    /// The result for one message.
    enum Outcome: Sendable, Equatable {
        /// The message is on disk, or it contains nothing to store.
        case stored(DeviceNumber?)
        /// The message can never be accepted. A client of MQTT 5.0 receives the reason.
        case refused(MQTTReason, String)
        /// The client receives the result in a message.
        case answered(MeshbluTopicMessage)
        /// The client may not publish to this topic.
        case forbidden(MQTTReason, String)
        /// The message cannot be stored until a person fixes something. The client must keep it, and send it again.
        case withheld(MQTTReason, String)
    }

    /// What one message means.
    struct Translation: Sendable {
        var outcome: Outcome
        var observations: [Observation] = []
        /// Why the message, or a part of it, cannot be read; nil when it can. Clients of MQTT 3.1.1 get no reason, and
        /// others often take no notice of it, so an operator must learn of it.
        var fault: Fault?

        struct Fault: Sendable {
            /// The event that the metrics count; nil when it is counted already.
            var event: StaticString?
            /// The name of the log's warning, which is written at most once a minute.
            var kind: StaticString
            var words: String
            /// Whether the server keeps the message. It keeps nothing of what gateways hear, for that may be about
            /// strangers.
            var isKept = false
            /// The device that the message is about, where it is known.
            var device: DeviceNumber?
        }

        init(_ outcome: Outcome, _ observations: [Observation] = [], fault: Fault? = nil) {
            self.outcome = outcome
            self.observations = observations
            self.fault = fault
        }
    }

    /// Stores the messages in order.
    ///
    /// - Parameter prepare: called with the devices that the messages are about, before anything of them is on disk: a
    ///   subscriber may get a message before this returns.
    /// - Returns: the outcome of each message, once all accepted messages, and all that cannot be read, are on disk.
    /// - Throws: `CoordinatorError`, `StoreError` or `WorkError` when the store cannot answer now. The caller must then
    ///   acknowledge none of the messages.
    func store(
        _ messages: [Message], by principal: Principal,
        prepare: @Sendable ([DeviceNumber]) async -> Void = { _ in }
    ) async throws -> [Outcome] {
        var observations: [Observation] = []
        var outcomes: [Outcome] = []
        var operations: [(index: Int, operation: MeshbluOperation)] = []
        var lost: [RefusedReport] = []
        func record(_ fault: Translation.Fault?, in message: Message) {
            guard let fault else { return }
            if let event = fault.event { metrics.count(event: event) }
            let report = refused.report(
                message.payload, from: principal, of: fault.device, at: message.topic, because: fault.words)
            refused.warn(of: report, event: fault.kind)
            if fault.isKept { lost.append(report) }
        }
        for (index, message) in messages.enumerated() {
            if let operation = MeshbluOperation(rawValue: message.topic), !operation.isObservation {
                operations.append((index, operation))
                outcomes.append(.stored(nil))
                continue
            }
            let translation = try await translate(message, by: principal)
            outcomes.append(translation.outcome)
            if let end = message.expiresAt {
                observations += translation.observations.map { MessageExpiry.mark($0, until: end) }
            } else {
                observations += translation.observations
            }
            record(translation.fault, in: message)
        }
        await prepare(
            outcomes.compactMap { outcome in
                if case .stored(let device) = outcome { device } else { nil }
            })
        _ = try await coordinator.ingest(observations, by: principal)
        try await refused.store(lost)
        lost = []
        // Each of these is a transaction of its own. They come last: where the observations cannot be stored, the
        // caller tries all messages again.
        for (index, operation) in operations {
            let translation = try await performOperation(operation, messages[index].payload, by: principal)
            outcomes[index] = translation.outcome
            record(translation.fault, in: messages[index])
        }
        // The operations have taken effect: a report that cannot be stored must not keep their answers back.
        try? await refused.store(lost)
        return outcomes
    }

    private func translate(
        _ message: Message, by principal: Principal
    ) async throws -> Translation {
        let topic: IncomingTopic
        do {
            topic = try IncomingTopic(message.topic, by: Access(principal, in: coordinator.directory))
        } catch {
            metrics.count(event: "mqtt_topic_refused")
            return Translation(.forbidden(error.reason, error.words))
        }
        switch topic {
        case .ignored: return Translation(.stored(nil))
        case .heard where message.mayBeOld:
            // A gateway's report has no time and counts as of its arrival. It is unknown when the gateway heard what
            // this one reports.
            metrics.count(event: "gateway_message_old")
            return Translation(.stored(nil))
        case .heard(let gateway, let radio):
            return heard(message.payload, by: gateway, radio: radio, of: principal)
        case .meshblu(let operation): return try await performOperation(operation, message.payload, by: principal)
        case .meshtastic: return packet(message.payload, mayBeOld: message.mayBeOld, by: principal)
        case .ownTracks(let topic):
            let now = coordinator.now()
            do {
                let request = try OwnTracksRequest(parsing: message.payload, receivedAt: now)
                let report = try await ownTracks.report(
                    request, from: OwnTracksSender(topic), by: principal, receivedAt: now)
                return Translation(
                    .stored(report.device), report.observations,
                    fault: report.fault.map {
                        .init(kind: "owntracks_malformed", words: $0, isKept: true, device: report.device)
                    })
            } catch let fault as JSONError {
                return Self.unreadable(fault, counted: "owntracks_unreadable", isKept: true)
            } catch let refusal as OwnTracksRefusal {
                return Translation(Self.outcome(of: refusal, by: Access(principal, in: coordinator.directory)))
            }
        }
    }

    /// The translation of a message that is not JSON, or not what devices write for JSON.
    static func unreadable(
        _ fault: JSONError, counted event: StaticString, of device: DeviceNumber? = nil, isKept: Bool = false
    ) -> Translation {
        Translation(
            .refused(.payloadFormatInvalid, "Not valid JSON: byte \(fault.offset)."),
            fault: .init(
                event: event, kind: event, words: "Byte \(fault.offset): \(fault.reason).", isKept: isKept,
                device: device))
    }

    /// Carries out an operation of a Meshblu client, or translates the data or message that the client publishes.
    private func performOperation(
        _ operation: MeshbluOperation, _ payload: [UInt8], by principal: Principal
    ) async throws -> Translation {
        do {
            switch try await meshblu.performOperation(operation, payload, by: principal) {
            case .observed(let observation, of: let device): return Translation(.stored(device), [observation])
            case .answered(let answer): return Translation(.answered(answer))
            }
        } catch let fault as JSONError {
            return Self.unreadable(fault, counted: "meshblu_unreadable", isKept: true)
        }
    }

    /// Translates what a gateway heard. It reports as the token's device, or as the user's own device of its name.
    private func heard(
        _ payload: [UInt8], by gateway: String, radio: String?, of principal: Principal
    ) -> Translation {
        let now = coordinator.now()
        let directory = coordinator.directory
        let own = principal.device.flatMap { directory.devices[$0] }
        guard let device = own ?? directory.device(named: gateway, of: principal.user) else {
            metrics.count(event: "gateway_unknown_device")
            let words =
                "\(principal.name) has no device \(gateway): add it with muster device add \(gateway) "
                + "--user \(principal.name)."
            return Translation(.refused(.notAuthorized, words))
        }
        do {
            let message = try GatewayMessage(parsing: payload, radio: radio, receivedAt: now)
            if message.unknownCount > 0 { metrics.count(event: "beacon_unknown_format") }
            if message.encryptedCount > 0 { occasionalLog.warnOfEncryption(metrics, heardBy: device, in: directory) }
            let observations = SightingIntake(device, in: directory)
                .observations(of: message.sightings, listenedUntil: nil, receivedAt: now)
            let words = "It has no strength or distance, or data of a beacon that are cut or wrong."
            return Translation(
                .stored(device.number), observations.kept,
                fault: message.malformedCount == 0
                    ? nil
                    : .init(event: "beacon_malformed", kind: "beacon_malformed", words: words, device: device.number))
        } catch {
            return Self.unreadable(error, counted: "beacon_malformed", of: device.number)
        }
    }

    /// The outcome of a message that OwnTracks' code refuses. That code has counted it.
    private static func outcome(of refusal: OwnTracksRefusal, by access: Access) -> Outcome {
        switch refusal {
        case .unknownDevice: .refused(.notAuthorized, refusal.words)
        case .noKey where access.relaysManyDevices: .refused(.implementationSpecific, refusal.words)
        case .noKey: .withheld(.implementationSpecific, refusal.words)
        }
    }
}
