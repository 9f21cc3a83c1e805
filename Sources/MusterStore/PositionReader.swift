package import MusterCore
import MusterGeometry

/// Reads positions by the number of the change that recorded each, or in the order of a device's history. It returns
/// only positions that no document brought, because a document represents the others. `UnionReader` presents them as
/// documents.
///
/// A reader is valid only inside the closure that received it, and reads the same snapshot as the document reader
/// beside it. Reads block.
package protocol PositionReader: AnyObject {
    /// The newest change of which this reader sees every position. The documents may already include later changes.
    var lastSequence: LogSequence { get }

    /// Returns positions of these devices whose changes came after `sequence`, in the order of the changes; or, if
    /// `isDescending`, those up to and including `sequence`, newest first. At most `limit`, and none after the change
    /// `end` (or, descending, before it). A caller that knows an end passes it, because the search for more positions
    /// may take long.
    func positions(
        of devices: [DeviceNumber], since sequence: LogSequence, through end: LogSequence?, isDescending: Bool,
        limit: Int
    ) throws -> [SequencedPosition]

    /// Returns positions of every device, selected and ordered like those of
    /// `positions(of:since:through:isDescending:limit:)`. It reads the whole log in that range, including its other
    /// changes.
    func positionsOfAll(
        since sequence: LogSequence, through end: LogSequence?, isDescending: Bool, limit: Int
    ) throws -> [SequencedPosition]

    /// Returns positions of a device after `cursor` in the order of its history, or in the opposite order if
    /// `isDescending`. At most `limit`.
    func positions(
        of device: DeviceNumber, after cursor: HistoryCursor?, isDescending: Bool, limit: Int
    ) throws -> [SequencedPosition]

    /// Returns the position of a device that has this key; nil if there is none.
    func position(of device: DeviceNumber, at place: HistoryCursor) throws -> SequencedPosition?

    /// Counts the positions of these devices; nil stands for every device.
    func positionCount(of devices: [DeviceNumber]?) throws -> Int

    /// Counts the positions of these devices that changes after `sequence` recorded. The count may be one or two too
    /// high while positions are being merged.
    func positionCount(of devices: [DeviceNumber], since sequence: LogSequence) throws -> Int
}

/// A position and the number of the change that recorded it.
package struct SequencedPosition: Hashable, Sendable {
    /// The number of the change.
    package var sequence: LogSequence
    /// The device that the position belongs to.
    package var device: DeviceNumber
    package var position: Position

    package init(sequence: LogSequence, device: DeviceNumber, position: Position) {
        self.sequence = sequence
        self.device = device
        self.position = position
    }
}

extension HistoryCursor {
    /// The cursor of a position in its device's history.
    package init(_ position: Position) {
        self.init(
            sampleTime: position.sampleTime, latitude: position.coordinate.latitude,
            longitude: position.coordinate.longitude)
    }
}
