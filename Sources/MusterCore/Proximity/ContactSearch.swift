import MusterGeometry

/// A time during which two people were near each other, as far as their stored positions show.
public struct Contact: Hashable, Sendable {
    /// The first moment at which they were within the radius.
    public var from: Instant
    /// The last such moment.
    public var to: Instant
    /// The shortest distance between their estimates during that time, metres.
    public var closestMetres: Double
    /// The standard deviation on each axis of where one was as seen from the other at that distance, metres.
    public var deviationMetres: Double
}

/// Finds when two people were near each other, by the stored positions of their devices.
///
/// The confident policy's filter follows each device along its positions. Two are near each other when the probability
/// that they are within the radius is above 85 %, as in a proximity rule's fence.
public struct ContactSearch: Sendable {
    /// How near counts as a contact, metres.
    public let radiusMetres: Double

    /// How far apart two moments of nearness may be and still belong to one contact, seconds, while no position shows
    /// the two apart.
    public static let gapSeconds: Double = 120
    /// How large the radius may be, metres.
    public static let radiusLimits: ClosedRange<Int64> = 1...1_000

    /// Creates a search for contacts within a radius in metres, which the caller has checked against `radiusLimits`.
    public init(radiusMetres: Double) { self.radiusMetres = radiusMetres }

    /// Where a device was believed to be, over time.
    public struct Trail: Sendable {
        let estimates: [PeerEstimate]

        /// Follows a device along its positions.
        ///
        /// - Parameter positions: in the order of their sample times. Positions that were ahead of the server's clock
        ///   are left out.
        public init(_ positions: [Position]) {
            var track = ConfidentTrack()
            estimates = positions.compactMap { position in
                guard !Engine.isAhead(position.sampleTime, of: position.receivedTime),
                    track.advance(ConfidentFix(position)), track.isSettled
                else { return nil }
                return PeerEstimate(
                    coordinate: track.estimate, variance: track.deviationMetres * track.deviationMetres,
                    at: position.sampleTime, speed: Double(track.speed))
            }
        }
    }

    /// Returns when one of the first person's devices was near one of the second person's, in the order of time.
    ///
    /// - Complexity: O(estimates of both), for each pair of devices.
    public func contacts(between one: [Trail], and other: [Trail]) -> [Contact] {
        let found = one.flatMap { first in other.flatMap { contacts(between: first, and: $0) } }
        var merged: [Contact] = []
        for contact in found.sorted(by: { ($0.from, $0.to) < ($1.from, $1.to) }) {
            guard let last = merged.last, contact.from <= last.to else {
                merged.append(contact)
                continue
            }
            merged[merged.count - 1].to = max(last.to, contact.to)
            if contact.closestMetres < last.closestMetres {
                merged[merged.count - 1].closestMetres = contact.closestMetres
                merged[merged.count - 1].deviationMetres = contact.deviationMetres
            }
        }
        return merged
    }

    private func contacts(between one: Trail, and other: Trail) -> [Contact] {
        var (contacts, open): ([Contact], Contact?) = ([], nil)
        var (first, second) = (0, 0)
        while first < one.estimates.count || second < other.estimates.count {
            // The next of both in time is compared with the last of the other.
            let isFirst =
                second == other.estimates.count
                || (first < one.estimates.count && one.estimates[first].at <= other.estimates[second].at)
            if isFirst { first += 1 } else { second += 1 }
            guard first > 0, second > 0 else { continue }
            let pair = (one.estimates[first - 1], other.estimates[second - 1])
            let moment = max(pair.0.at, pair.1.at)
            if let contact = open, moment.seconds(since: contact.to) > Self.gapSeconds {
                contacts.append(contact)
                open = nil
            }
            let separation = Separation(pair.0, pair.1, at: moment)
            switch separation.standing(withinMetres: radiusMetres, .standard) {
            case .within: open = Self.extended(open, by: separation, at: moment)
            case .beyond:
                if let contact = open { contacts.append(contact) }
                open = nil
            case .unknown: break
            }
        }
        return contacts + (open.map { [$0] } ?? [])
    }

    private static func extended(_ contact: Contact?, by separation: Separation, at moment: Instant) -> Contact {
        let (metres, deviation) = (separation.metres, separation.deviationMetres)
        guard var contact else {
            return Contact(from: moment, to: moment, closestMetres: metres, deviationMetres: deviation)
        }
        contact.to = moment
        if metres < contact.closestMetres { (contact.closestMetres, contact.deviationMetres) = (metres, deviation) }
        return contact
    }
}
