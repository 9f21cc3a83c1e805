/// A time during which two people were near each other, as far as their stored positions and ranges show.
public struct Contact: Hashable, Sendable {
    /// The first moment at which they were within the radius.
    public var from: Instant
    /// The last such moment.
    public var to: Instant
    /// The shortest distance between their estimates during that time, metres.
    public var closestMetres: Double
    /// The standard deviation on each axis of where one was as seen from the other at that distance, metres.
    public var deviationMetres: Double
    /// The source of the range that gave the closest distance; nil when positions gave it.
    public var source: PeerRange.Source?

    /// Creates a contact of one moment.
    fileprivate init(_ separation: Separation, at moment: Instant, source: PeerRange.Source? = nil) {
        from = moment
        to = moment
        closestMetres = separation.metres
        deviationMetres = separation.deviationMetres
        self.source = source
    }

    /// Extends the contact to a later moment.
    fileprivate mutating func extend(by later: Contact) {
        to = max(to, later.to)
        guard later.closestMetres < closestMetres else { return }
        (closestMetres, deviationMetres, source) = (later.closestMetres, later.deviationMetres, later.source)
    }
}

/// Finds when two people were near each other, by the stored positions of their devices and by the ranges between them.
///
/// The confident policy's filter follows each device along its positions. Two are near each other when the probability
/// that they are within the radius is above 85 %, as in a proximity rule's fence. The search evaluates positions and
/// ranges separately: it lists a contact that one of them shows. It also evaluates simulated ranges, and lists their
/// contacts apart from those of measurements.
public struct ContactSearch: Sendable {
    /// How near counts as a contact, metres.
    public let radiusMetres: Double

    /// How far apart, in seconds, two moments of nearness may be and still belong to one contact while no position
    /// shows the two people apart.
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
    /// - Parameter ranges: the ranges between the devices of the two, in any order. Those that were ahead of the
    ///   server's clock are left out.
    /// - Complexity: O(estimates of both), for each pair of devices.
    public func contacts(
        between one: [Trail], and other: [Trail], ranges: [PeerRange] = []
    ) -> [Contact] {
        let located = one.flatMap { first in other.flatMap { contacts(between: first, and: $0) } }
        let measured = merge(located + contacts(by: ranges.filter(\.source.isMeasured)))
        let invented = contacts(by: ranges.filter { !$0.source.isMeasured })
        return (measured + invented).sorted { ($0.from, $0.to) < ($1.from, $1.to) }
    }

    /// Merges contacts that overlap into one.
    private func merge(_ found: [Contact]) -> [Contact] {
        var merged: [Contact] = []
        for contact in found.sorted(by: { ($0.from, $0.to) < ($1.from, $1.to) }) {
            if let last = merged.last, contact.from <= last.to {
                merged[merged.count - 1].extend(by: contact)
            } else {
                merged.append(contact)
            }
        }
        return merged
    }

    private func contacts(by ranges: [PeerRange]) -> [Contact] {
        var (contacts, open): ([Contact], Contact?) = ([], nil)
        let known = ranges.filter { !Engine.isAhead($0.sampleTime, of: $0.receivedTime) }
        for range in known.sorted(by: { ($0.sampleTime, $0.metres) < ($1.sampleTime, $1.metres) }) {
            let separation = Separation(metres: range.metres, deviationMetres: range.deviationMetres)
            follow(separation, at: range.sampleTime, range.source, &open, &contacts)
        }
        return contacts + (open.map { [$0] } ?? [])
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
            follow(Separation(pair.0, pair.1, at: moment), at: moment, nil, &open, &contacts)
        }
        return contacts + (open.map { [$0] } ?? [])
    }

    /// Lets a distance begin, extend or end the open contact.
    private func follow(
        _ separation: Separation, at moment: Instant, _ source: PeerRange.Source?, _ open: inout Contact?,
        _ contacts: inout [Contact]
    ) {
        if let contact = open, moment.seconds(since: contact.to) > Self.gapSeconds {
            contacts.append(contact)
            open = nil
        }
        switch separation.standing(withinMetres: radiusMetres, .standard, isRange: source != nil && source != .fixes) {
        case .within:
            let contact = Contact(separation, at: moment, source: source)
            if open == nil { open = contact } else { open?.extend(by: contact) }
        case .beyond:
            if let contact = open { contacts.append(contact) }
            open = nil
        case .unknown: break
        }
    }
}
