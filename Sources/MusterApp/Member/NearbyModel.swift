import Foundation
import MusterGeometry
import MusterKit
import MusterMutex
public import MusterNearby
public import Observation

/// The people nearby who take part: how far each is, and in which direction, phone to phone, without a server where
/// both are on one network.
///
/// It decides nothing about anybody's safety. A phone that this one has not met takes part only once the person has
/// said yes; it learns the person's name before, and nothing else.
@MainActor @Observable public final class NearbyModel {
    private let phone: PhoneState
    private let muster: Muster
    private let folder: URL
    private let wording: Wording
    private var peers: [KeyFingerprint: Peer] = [:]
    private var waiting: [(invitation: Nearby.Invitation, answer: CheckedContinuation<Bool, Never>)] = []
    /// Why nobody can be measured now; nil if it works.
    public private(set) var problem: String?
    @ObservationIgnored private var nearby: Nearby?
    @ObservationIgnored private let fix = LatestFix()

    /// The most people who wait for an answer. Others are refused, and may ask again.
    static let waitingLimit = 8

    init(_ phone: PhoneState, _ muster: Muster, folder: URL, _ wording: Wording) {
        (self.phone, self.muster, self.folder, self.wording) = (phone, muster, folder, wording)
    }

    private struct Peer {
        var name: String
        var measurement: RangeMeasurement?
    }

    /// Somebody nearby.
    public struct Row: Hashable, Sendable, Identifiable {
        /// The fingerprint of the phone's key.
        public var id: String
        /// What the person calls themselves.
        public var name: String
        /// "12 m, ±3 m", or that there is no distance.
        public var distanceText: String
        /// The angle by which an arrow is turned clockwise from straight ahead, degrees; nil without a direction.
        public var arrowDegrees: Double?
        /// That there is no direction; empty if there is one.
        public var directionText: String
        /// All of it, for VoiceOver.
        public var spoken: String
    }

    /// Somebody who wants to take part.
    public struct Request: Hashable, Sendable, Identifiable {
        /// The fingerprint of the phone's key.
        public var id: String
        /// Who asks, and for what.
        public var text: String
        /// The digits that both compare on their screens.
        public var digits: String
    }

    /// The title of the part.
    public var title: String { words.text(.nearbyTitle) }
    /// What it does.
    public var explanation: String { words.text(.nearbyWhat) }
    /// The title of the answer yes.
    public var allowTitle: String { words.text(.nearbyAllow) }
    /// The title of the answer no.
    public var refuseTitle: String { words.text(.nearbyRefuse) }
    /// That nobody was found; nil if somebody was.
    public var nobodyText: String? { peers.isEmpty && problem == nil ? words.text(.nearbyNobody) : nil }
    /// The people, the nearest first.
    public var rows: [Row] {
        peers.sorted { left, right in
            let metres = (left.value.measurement?.distance?.value, right.value.measurement?.distance?.value)
            return (metres.0 ?? .infinity, left.value.name) < (metres.1 ?? .infinity, right.value.name)
        }.map { row(of: $1, key: $0) }
    }
    /// Who waits for an answer.
    public var requests: [Request] {
        waiting.map { entry in
            Request(
                id: entry.invitation.key.description,
                text: words.text(.nearbyAsks, ["name": wording.legible(entry.invitation.name)]),
                digits: entry.invitation.key.compared)
        }
    }

    /// Answers somebody who wants to take part.
    public func answer(_ request: Request.ID, isAllowed: Bool) {
        for entry in waiting where entry.invitation.key.description == request {
            entry.answer.resume(returning: isAllowed)
        }
        waiting.removeAll { $0.invitation.key.description == request }
    }

    /// Takes part until the task is cancelled. The phone's own positions measure where nothing better does.
    ///
    /// - Parameter sources: what measures besides, such as ultra-wideband; what this phone lacks is left out.
    public func run(measuringBy sources: [any RangingSource]) async {
        guard nearby == nil, let user = muster.session?.user else { return }
        defer { end() }
        do {
            problem = nil
            update()
            let fix = fix
            let source = FusedRanging(sources + [GPSRanging { fix.value }])
            let store = try NearbyStore(folder: folder.path(percentEncoded: false))
            let nearby = try Nearby(
                options: Nearby.Options(name: user.trimmed(toBytes: 63) ?? user), source: source, store: store,
                discovery: [MulticastDiscovery(), try muster.relay()]
            ) { [weak self] invitation in
                if invitation.isKnown { return true }
                return await self?.ask(invitation) ?? false
            }
            self.nearby = nearby
            async let running: Void = nearby.run()
            for await event in nearby.events { receive(event) }
            try await running
        } catch {
            if !Task.isCancelled { problem = words.text(.nearbyFailed) }
        }
    }

    /// The app is seen, or no longer: the system lets nobody measure in the background.
    public func setSeen(_ isSeen: Bool) {
        guard isSeen else { return nearby?.suspend() ?? () }
        nearby?.endSuspension()
        nearby?.runAgain()
    }

    /// Takes over where the phone is, as it measures others by it.
    func update() {
        fix.value = phone.location.flatMap { location in
            guard let accuracy = location.accuracyMetres,
                let coordinate = try? Coordinate(latitude: location.latitude, longitude: location.longitude)
            else { return nil }
            return GPSRanging.Fix(
                coordinate: coordinate, accuracy: Metres(accuracy),
                time: Instant(seconds: location.time.timeIntervalSince1970),
                heading: phone.heading.map { Degrees($0.degrees) })
        }
    }

    // MARK: Pieces

    private var words: Words { wording.words }

    private func ask(_ invitation: Nearby.Invitation) async -> Bool {
        // A peer that asks anew, as after its connection broke, takes the place of its former question.
        answer(invitation.key.description, isAllowed: false)
        guard waiting.count < Self.waitingLimit, !Task.isCancelled else { return false }
        return await withCheckedContinuation { waiting.append((invitation, $0)) }
    }

    private func receive(_ event: NearbyEvent) {
        switch event {
        case .connected(let peer): peers[peer.key] = Peer(name: peer.name)
        case .update(let peer, .measured(let measurement)):
            peers[peer.key, default: Peer(name: peer.name)].measurement = measurement
        case .update(let peer, .removed), .update(let peer, .suspended): peers[peer.key]?.measurement = nil
        case .update(let peer, .invalidated), .disconnected(let peer, _): peers[peer.key] = nil
        case .update(_, .suspensionEnded), .listening, .found, .lost, .discoveryFailed, .discoveryInterrupted,
            .discoveryResumed, .failed, .turnedAway, .rangeTag:
            break
        }
    }

    private func end() {
        nearby = nil
        peers = [:]
        for entry in waiting { entry.answer.resume(returning: false) }
        waiting = []
    }

    private func row(of peer: Peer, key: KeyFingerprint) -> Row {
        let name = wording.legible(peer.name)
        let measurement = peer.measurement
        let distance = measurement?.distance.map { wording.length($0.value) } ?? words.text(.nearbyNoDistance)
        let error = measurement?.distance == nil ? nil : measurement?.quality.distanceError
        let distanceText = words.listed([distance, error.map { "±" + wording.length(max(1, $0.value)) } ?? ""])
        let angle = measurement?.horizontalAngle?.value
        let directionText = angle == nil ? words.text(.nearbyNoDirection) : ""
        return Row(
            id: key.description, name: name, distanceText: distanceText, arrowDegrees: angle,
            directionText: directionText, spoken: words.listed([name, distanceText, directionText]))
    }
}

/// The phone's newest fix, which `GPSRanging` reads on its own thread.
private final class LatestFix: Sendable {
    private let latest = Mutex<GPSRanging.Fix?>(nil)

    var value: GPSRanging.Fix? {
        get { latest.withLock { $0 } }
        set { latest.withLock { $0 = newValue } }
    }
}
