import MusterCore
import MusterStore

/// Reads the positions of a memory store as of one moment.
final class MemoryPositionReader: PositionReader {
    let lastSequence: LogSequence
    private let told: [SequencedPosition]

    init(_ contents: MemoryContents) {
        lastSequence = LogSequence(contents.lastSequence)
        told = contents.log.flatMap { commit in
            commit.changes.enumerated().compactMap { index, change in
                guard case .position(let position, let device, _)? = change, position.source != .couchDB,
                    contents.histories[device]?.contains(position) ?? false
                else { return nil }
                return SequencedPosition(
                    sequence: LogSequence(commit.first + Int64(index)), device: device, position: position)
            }
        }
    }

    func positions(
        of devices: [DeviceNumber], since sequence: LogSequence, through end: LogSequence?, isDescending: Bool,
        limit: Int
    ) -> [SequencedPosition] {
        let own = told.filter { devices.contains($0.device) }
        return Self.positions(own, since: sequence, through: end, isDescending: isDescending, limit: limit)
    }

    func positionsOfAll(
        since sequence: LogSequence, through end: LogSequence?, isDescending: Bool, limit: Int
    ) -> [SequencedPosition] {
        Self.positions(told, since: sequence, through: end, isDescending: isDescending, limit: limit)
    }

    private static func positions(
        _ told: [SequencedPosition], since sequence: LogSequence, through end: LogSequence?, isDescending: Bool,
        limit: Int
    ) -> [SequencedPosition] {
        let looked = end.map { end in told.filter { isDescending ? $0.sequence >= end : $0.sequence <= end } } ?? told
        let found =
            isDescending
            ? looked.filter { $0.sequence <= sequence }.reversed() : looked.filter { $0.sequence > sequence }
        return Array(found.prefix(limit))
    }

    func positions(
        of device: DeviceNumber, after cursor: HistoryCursor?, isDescending: Bool, limit: Int
    ) -> [SequencedPosition] {
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

    func position(of device: DeviceNumber, at place: HistoryCursor) -> SequencedPosition? {
        told.first { $0.device == device && PositionKey($0.position) == PositionKey(place) }
    }

    func positionCount(of devices: [DeviceNumber]?) -> Int {
        devices.map { devices in told.count { devices.contains($0.device) } } ?? told.count
    }

    func positionCount(of devices: [DeviceNumber], since sequence: LogSequence) -> Int {
        told.count { devices.contains($0.device) && $0.sequence > sequence }
    }
}
