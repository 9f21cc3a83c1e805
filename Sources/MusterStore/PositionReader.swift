package import MusterCore
import MusterGeometry

/// Positions by the number of the change that told of each, or by their place in a device's history: what a look at the
/// documents sees of positions that no document brought. A position that a document brought is left out, because the
/// document stands for it.
///
/// Valid only inside the call that lent it; of the same moment as the documents lent with it. Reads block.
package protocol PositionReader: AnyObject {
    /// The number of the newest change that this look sees whole: documents touched later may be seen already,
    /// positions not.
    var lastSequence: LogSequence { get }

    /// Positions of these devices whose changes came after `sequence`, in that order; or where `isDescending` those up
    /// to it, newest first. At most `limit`, and none after the change `end` when it is given. A caller that needs no
    /// later ones should pass `end`, because the search for them may take long.
    func positions(
        of devices: [DeviceNumber], since sequence: LogSequence, through end: LogSequence?, isDescending: Bool,
        limit: Int
    ) throws -> [SequencedPosition]

    /// The same for every device. This reads the whole log in that range, including its other changes.
    func positionsOfAll(
        since sequence: LogSequence, through end: LogSequence?, isDescending: Bool, limit: Int
    ) throws -> [SequencedPosition]

    /// Positions of a device in the order of its history, or where `isDescending` in the opposite one, after `cursor`
    /// when there is one. At most `limit`.
    func positions(
        of device: DeviceNumber, after cursor: HistoryCursor?, isDescending: Bool, limit: Int
    ) throws -> [SequencedPosition]

    /// The position of a device at a given key of its history; nil when there is none.
    func position(of device: DeviceNumber, at place: HistoryCursor) throws -> SequencedPosition?

    /// How many positions these devices have; nil stands for every device.
    func positionCount(of devices: [DeviceNumber]?) throws -> Int

    /// How many positions these devices were told of after `sequence`; one or two more while they are being merged.
    func positionCount(of devices: [DeviceNumber], since sequence: LogSequence) throws -> Int
}

/// A position and the number of the change that recorded it.
package struct SequencedPosition: Hashable, Sendable {
    /// The change's number.
    package var sequence: LogSequence
    /// The device that the position belongs to.
    package var device: DeviceNumber
    /// The position.
    package var position: Position

    package init(sequence: LogSequence, device: DeviceNumber, position: Position) {
        self.sequence = sequence
        self.device = device
        self.position = position
    }
}

extension HistoryCursor {
    /// The place of a position in its device's history.
    package init(_ position: Position) {
        self.init(
            sampleTime: position.sampleTime, latitude: position.coordinate.latitude,
            longitude: position.coordinate.longitude)
    }
}
