package import MusterCore
package import MusterDocuments
import MusterGeometry

/// The changes of one commit as the bytes of one row of the log, and back.
///
/// One version byte, then the changes one after the other, each a tag and its fields. Coordinates keep all their bits;
/// every other number keeps its value exactly, in as few bytes as it needs. A position takes about 40 bytes.
package struct ChangeCodec {
    static let version: UInt8 = 1

    /// What a change begins with.
    enum Tag: UInt8 {
        /// A change that was taken out because what it spoke of was removed; keeps the place of its number.
        case removed
        case currentPosition, latePosition, crossing, safety, regionPut, regionRemoved, directoryPut, directoryRemoved
        case presence
        case currentSighting, lateSighting, note
        case currentDeclaration, lateDeclaration, reminder, incident
        case posted
        case document
        case roll
        case belief
        case action
        case datasetPut, datasetDeleted
    }

    var writer = ByteWriter()
    /// How many changes were put.
    package private(set) var count = 0

    package init() { writer.put(byte: Self.version) }

    /// What was put, as one blob.
    package var bytes: [UInt8] { writer.bytes }

    /// Puts one change; nil puts the mark of one that was taken out.
    package mutating func put(_ change: Change?) {
        count += 1
        switch change {
        case nil: writer.put(byte: Tag.removed.rawValue)
        case .position(let position, let device, let isCurrent):
            putHead(of: device, isCurrent: isCurrent)
            writer.put(position)
        case .sighting(let sighting, let device, let isCurrent):
            writer.put(byte: (isCurrent ? Tag.currentSighting : .lateSighting).rawValue)
            writer.put(number: device.rawValue)
            writer.put(sighting)
        case .note(let name, let device):
            writer.put(byte: Tag.note.rawValue)
            writer.put(number: device.rawValue)
            writer.put(name)
        case .crossing(let crossing):
            writer.put(byte: Tag.crossing.rawValue)
            writer.put(crossing)
        case .presence(let report):
            writer.put(byte: Tag.presence.rawValue)
            writer.put(report)
        case .belief(let belief, let device):
            writer.put(byte: Tag.belief.rawValue)
            writer.put(number: device.rawValue)
            writer.put(belief)
        case .safety(let safety, let user):
            writer.put(byte: Tag.safety.rawValue)
            writer.put(number: user.rawValue)
            writer.put(safety)
        case .declaration(let declaration, let isCurrent):
            writer.put(byte: (isCurrent ? Tag.currentDeclaration : .lateDeclaration).rawValue)
            writer.put(declaration)
        case .reminder(let safety, let user, let count):
            writer.put(byte: Tag.reminder.rawValue)
            writer.put(number: user.rawValue)
            writer.put(safety)
            writer.put(number: count)
        case .incident(let incident):
            writer.put(byte: Tag.incident.rawValue)
            writer.put(incident)
        case .roll(let entry, let team):
            writer.put(byte: Tag.roll.rawValue)
            writer.put(number: team.rawValue)
            writer.put(entry)
        case .region(let region, let collection, let removed):
            writer.put(byte: (removed ? Tag.regionRemoved : .regionPut).rawValue)
            writer.put(number: region.rawValue)
            writer.put(number: collection.rawValue)
        case .directory(let entry, let removed):
            writer.put(byte: (removed ? Tag.directoryRemoved : .directoryPut).rawValue)
            writer.put(entry)
        case .posted(let event):
            writer.put(byte: Tag.posted.rawValue)
            writer.put(event)
        case .document(let touch):
            writer.put(byte: Tag.document.rawValue)
            writer.put(touch)
        case .action(let action):
            writer.put(byte: Tag.action.rawValue)
            writer.put(action)
        case .dataset(let touch):
            writer.put(byte: (touch.isDeleted ? Tag.datasetDeleted : .datasetPut).rawValue)
            writer.put(touch)
        }
    }

    /// Puts a position's change.
    ///
    /// - Returns: where in `bytes` the position itself stands.
    mutating func put(_ position: Position, of device: DeviceNumber, isCurrent: Bool) -> Range<Int> {
        count += 1
        putHead(of: device, isCurrent: isCurrent)
        let start = writer.bytes.count
        writer.put(position)
        return start..<writer.bytes.count
    }

    private mutating func putHead(of device: DeviceNumber, isCurrent: Bool) {
        writer.put(byte: (isCurrent ? Tag.currentPosition : .latePosition).rawValue)
        writer.put(number: device.rawValue)
    }

    /// The changes in a blob; nil for each that was taken out.
    ///
    /// - Throws: `CodecError` when the bytes are not what `put` makes. Never traps.
    package static func decode(_ bytes: UnsafeRawBufferPointer) throws(CodecError) -> [Change?] {
        var reader = try start(bytes)
        var changes: [Change?] = []
        while !reader.isAtEnd { changes.append(try next(&reader)) }
        return changes
    }

    /// The positions in a blob, and where in it they stand.
    ///
    /// - Parameter first: the number of the blob's first change.
    /// - Throws: `CodecError` when the bytes are not what `put` makes.
    static func arrivals(
        in bytes: UnsafeRawBufferPointer, first: Int64
    ) throws(CodecError) -> [StagedPositions.Arrival] {
        var reader = try start(bytes)
        var arrivals: [StagedPositions.Arrival] = []
        var sequence = first - 1
        while !reader.isAtEnd {
            let start = reader
            sequence += 1
            switch try tag(&reader) {
            case .currentPosition, .latePosition:
                let device = DeviceNumber(try reader.number())
                let offset = reader.offset
                let position = try reader.position()
                arrivals.append(
                    .init(
                        key: PositionKey(position), device: device,
                        mark: PositionMark(sequence: sequence, source: position.source), bytes: offset..<reader.offset))
            default:
                reader = start
                _ = try next(&reader)
            }
        }
        return arrivals
    }

    /// A reader that stands before the first change of a blob.
    static func start(_ bytes: UnsafeRawBufferPointer) throws(CodecError) -> ByteReader {
        var reader = ByteReader(bytes)
        let version = try reader.byte()
        guard version == Self.version else { throw .unknownVersion(version) }
        return reader
    }

    /// The change that the reader stands before; nil for one that was taken out.
    static func next(_ reader: inout ByteReader) throws(CodecError) -> Change? {
        switch try tag(&reader) {
        case .removed: return nil
        case .currentPosition:
            return .position(of: DeviceNumber(try reader.number()), try reader.position(), isCurrent: true)
        case .latePosition:
            return .position(of: DeviceNumber(try reader.number()), try reader.position(), isCurrent: false)
        case .crossing: return .crossing(try reader.crossing())
        case .presence: return .presence(try reader.presenceReport())
        case .safety:
            let user = UserNumber(try reader.number())
            return .safety(try reader.safety(), of: user)
        case .currentDeclaration: return .declaration(try reader.declaration(), isCurrent: true)
        case .lateDeclaration: return .declaration(try reader.declaration(), isCurrent: false)
        case .reminder:
            let user = UserNumber(try reader.number())
            let safety = try reader.safety()
            return .reminder(safety, of: user, count: try reader.number())
        case .incident: return .incident(try reader.incident())
        case .roll:
            let team = TeamNumber(try reader.number())
            return .roll(try reader.incidentEntry(), of: team)
        case .regionPut: return try region(&reader, removed: false)
        case .regionRemoved: return try region(&reader, removed: true)
        case .directoryPut: return .directory(try reader.directoryEntry(), removed: false)
        case .directoryRemoved: return .directory(try reader.directoryEntry(), removed: true)
        case .currentSighting: return try sighting(&reader, isCurrent: true)
        case .lateSighting: return try sighting(&reader, isCurrent: false)
        case .note:
            let device = DeviceNumber(try reader.number())
            return .note(try reader.noteName(), of: device)
        case .posted: return .posted(try reader.postedEvent())
        case .document: return .document(try reader.documentTouch())
        case .action: return .action(try reader.action())
        case .datasetPut: return .dataset(try reader.datasetTouch(isDeleted: false))
        case .datasetDeleted: return .dataset(try reader.datasetTouch(isDeleted: true))
        case .belief:
            let device = DeviceNumber(try reader.number())
            return .belief(try reader.belief(), of: device)
        }
    }

    static func tag(_ reader: inout ByteReader) throws(CodecError) -> Tag {
        guard let tag = Tag(rawValue: try reader.byte()) else { throw .malformed(offset: reader.offset) }
        return tag
    }

    private static func sighting(_ reader: inout ByteReader, isCurrent: Bool) throws(CodecError) -> Change {
        let device = DeviceNumber(try reader.number())
        return .sighting(try reader.sighting(), of: device, isCurrent: isCurrent)
    }

    private static func region(_ reader: inout ByteReader, removed: Bool) throws(CodecError) -> Change {
        let region = RegionNumber(try reader.number())
        return .region(region, in: CollectionNumber(try reader.number()), removed: removed)
    }
}

extension Change {
    /// The case with its arguments in the order of their bytes.
    fileprivate static func position(of device: DeviceNumber, _ position: Position, isCurrent: Bool) -> Change {
        .position(position, of: device, isCurrent: isCurrent)
    }
}
