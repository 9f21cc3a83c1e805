import Hummingbird
import MusterCore
import MusterServer
import MusterStore
import MusterWire
import NIOCore

/// The answers to apps' reports.
extension OwnTracksEndpoint {
    /// The largest number of friends in an answer.
    private static let friendLimit = 100
    /// The largest total size of pictures in an answer, in bytes, because an answer follows every fix. Further friends
    /// only get a name.
    private static let pictureLimitBytes = 262_144

    /// Answers with the positions of the user's own devices, and for a leader those of the team, each with the device's
    /// card if it sent one. If another user asked for the person's location, the answer carries the command to report
    /// it. The answer is encrypted when the report was.
    func reply(to principal: Principal, from device: DeviceNumber, sealedIn box: SecretBox?) async throws -> Response {
        let friends = try await friends(of: principal)
        let cards = try await cards(of: friends)
        var reply = OwnTracksReply()
        var pictureBytes = 0
        for friend in friends {
            let card = cards[friend.device]
            let trackerID = card?.trackerID.map { String($0.prefix(2)) } ?? String(friend.userName.prefix(2))
            reply.append(friend.position, trackerID: trackerID, topic: friend.topic)
            guard let card else { continue }
            let face = card.face.flatMap { pictureBytes + $0.utf8.count <= Self.pictureLimitBytes ? $0 : nil }
            pictureBytes += face?.utf8.count ?? 0
            reply.append(
                cardNamed: card.name ?? friend.userName, face: face, trackerID: trackerID, topic: friend.topic)
        }
        if try await isToReport(device, for: principal) { reply.appendReportLocation() }
        let bytes = box.map { $0.seal(reply.bytes).message } ?? reply.bytes
        return Response(
            status: .ok, headers: [.contentType: "application/json"],
            body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// Whether the answer must carry the command to report the location: another user asked for the location of the
    /// device's owner, and no newer position has arrived.
    private func isToReport(_ number: DeviceNumber, for principal: Principal) async throws -> Bool {
        let now = configuration.now()
        let directory = coordinator.directory
        guard Access(principal, in: directory).receivesCommands, let device = directory.devices[number],
            let question = locationRequests.question(to: device.user),
            now < question.endsAt
        else { return false }
        let located = try await coordinator.inspect { engine, directory, _ in
            directory.devices(of: device.user).compactMap { engine.latestPosition(of: $0)?.sampleTime }.max()
        }
        return locationRequests.takeCommand(for: device.number, of: device.user, located: located, now: now)
    }

    private struct Friend: Sendable {
        let device: DeviceNumber
        let position: Position
        let userName: String
        let topic: String
    }

    private func friends(of principal: Principal) async throws -> [Friend] {
        let directory = coordinator.directory
        let devices = Access(principal, in: directory).friends
            .flatMap { directory.devices(of: $0.number) }.prefix(Self.friendLimit)
        // The app that reports needs no friend entry for its own device if that is the user's only one.
        guard devices.count > 1 else { return [] }
        return try await coordinator.inspect { engine, directory, _ in
            devices.compactMap { number in
                guard let position = engine.latestPosition(of: number), let device = directory.devices[number],
                    let user = directory.users[device.user]
                else { return nil }
                return Friend(
                    device: number, position: position, userName: user.name,
                    topic: "owntracks/\(user.name)/\(device.name)")
            }
        }
    }

    private func cards(of friends: [Friend]) async throws -> [DeviceNumber: OwnTracksCard] {
        if friends.isEmpty { return [:] }
        let devices = friends.map(\.device)
        return try await coordinator.read { try $0.cards(of: devices).compactMapValues { OwnTracksCard($0) } }
    }
}
