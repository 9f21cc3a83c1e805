import MusterCore
import MusterOwnTracks
import MusterServer
import MusterStore
import MusterWire

/// Turns published messages into observations and stores them. Messages of different protocols go through the code of
/// their protocol, and all of them through `StoreCoordinator.ingest`.
struct PublishIntake: Sendable {
    private let coordinator: StoreCoordinator
    private let ownTracks: OwnTracksIntake
    private let metrics: Metrics

    init(_ parts: ServerParts) {
        coordinator = parts.coordinator
        ownTracks = OwnTracksIntake(parts)
        metrics = parts.metrics
    }

    /// A message that a client published, with its whole topic.
    struct Message: Sendable {
        var topic: String
        var payload: [UInt8]
    }

    /// What became of a message.
    enum Outcome: Sendable, Equatable {
        /// It is on disk, or said nothing that is kept.
        case stored(DeviceNumber?)
        /// It can never be taken. The client is told, if its version of the protocol has words for it.
        case refused(MQTTReason, String)
        /// Its topic is none of the client's.
        case forbidden(MQTTReason, String)
    }

    /// Stores the messages in order.
    ///
    /// - Returns: what became of each, once all that was taken is on disk.
    /// - Throws: `CoordinatorError`, `StoreError`, `WorkError` when the store cannot answer now, and `OwnTracksRefusal`
    ///   where a person must mend something. Nothing may be acknowledged then.
    func store(_ messages: [Message], by principal: Principal) async throws -> [Outcome] {
        var observations: [Observation] = []
        var outcomes: [Outcome] = []
        for message in messages {
            let (outcome, found) = try await translate(message, by: principal)
            outcomes.append(outcome)
            observations += found
        }
        _ = try await coordinator.ingest(observations, by: principal)
        return outcomes
    }

    private func translate(
        _ message: Message, by principal: Principal
    ) async throws -> (Outcome, [Observation]) {
        let topic: IncomingTopic
        do {
            topic = try IncomingTopic(message.topic, by: principal)
        } catch {
            metrics.count(event: "mqtt_topic_refused")
            return (.forbidden(error.reason, error.words), [])
        }
        switch topic {
        case .ignored: return (.stored(nil), [])
        case .ownTracks(let topic):
            let now = coordinator.now()
            do {
                let request = try OwnTracksRequest(parsing: message.payload, receivedAt: now)
                let report = try await ownTracks.report(
                    request, from: OwnTracksSender(topic), by: principal, receivedAt: now)
                return (.stored(report.device), report.observations)
            } catch let fault as JSONError {
                metrics.count(event: "owntracks_unreadable")
                return (.refused(.payloadFormatInvalid, "Not valid JSON: byte \(fault.offset)."), [])
            }
        }
    }
}
