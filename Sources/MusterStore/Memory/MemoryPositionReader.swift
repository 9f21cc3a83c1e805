import MusterCore

/// The positions of a memory store at one moment.
final class MemoryPositionReader: PositionReader {
    let lastSequence: Sequence
    private let told: [ToldPosition]

    init(_ contents: MemoryContents) {
        lastSequence = Sequence(contents.lastSequence)
        told = contents.log.flatMap { commit in
            commit.changes.enumerated().compactMap { index, change in
                guard case .position(let position, let device, _)? = change, position.source != .couchDB,
                    contents.histories[device]?.contains(position) ?? false
                else { return nil }
                return ToldPosition(sequence: Sequence(commit.first + Int64(index)), device: device, position: position)
            }
        }
    }

    func positions(
        of devices: [DeviceNumber], since sequence: Sequence, through end: Sequence?, isDescending: Bool, limit: Int
    ) -> [ToldPosition] {
        let own = told.filter { devices.contains($0.device) }
        return Self.positions(own, since: sequence, through: end, isDescending: isDescending, limit: limit)
    }

    func positionsOfAll(
        since sequence: Sequence, through end: Sequence?, isDescending: Bool, limit: Int
    ) -> [ToldPosition] {
        Self.positions(told, since: sequence, through: end, isDescending: isDescending, limit: limit)
    }

    private static func positions(
        _ told: [ToldPosition], since sequence: Sequence, through end: Sequence?, isDescending: Bool, limit: Int
    ) -> [ToldPosition] {
        let looked = end.map { end in told.filter { isDescending ? $0.sequence >= end : $0.sequence <= end } } ?? told
        let found =
            isDescending
            ? looked.filter { $0.sequence <= sequence }.reversed() : looked.filter { $0.sequence > sequence }
        return Array(found.prefix(limit))
    }

    func positions(
        of device: DeviceNumber, after cursor: HistoryCursor?, isDescending: Bool, limit: Int
    ) -> [ToldPosition] {
        let key = cursor.map { PositionKey($0) }
        let found = told.filter { $0.device == device }.filter { told in
            guard let key else { return true }
            let own = PositionKey(told.position)
            return isDescending ? own < key : own > key
        }.sorted {
            let (left, right) = (PositionKey($0.position), PositionKey($1.position))
            return isDescending ? right < left : left < right
        }
        return Array(found.prefix(limit))
    }

    func position(of device: DeviceNumber, at place: HistoryCursor) -> ToldPosition? {
        told.first { $0.device == device && PositionKey($0.position) == PositionKey(place) }
    }

    func positionCount(of devices: [DeviceNumber]?) -> Int {
        devices.map { devices in told.count { devices.contains($0.device) } } ?? told.count
    }

    func positionCount(of devices: [DeviceNumber], since sequence: Sequence) -> Int {
        told.count { devices.contains($0.device) && $0.sequence > sequence }
    }
}
