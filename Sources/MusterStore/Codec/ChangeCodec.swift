package import MusterCore
package import MusterDocuments

/// Encodes the changes of one commit as the bytes of one row of the log, and decodes them.
///
/// The format is one version byte, then the changes one after the other, each a tag and its fields. Coordinates keep
/// all their bits; every other number keeps its exact value in as few bytes as it needs. A position takes about 40
/// bytes.
package struct ChangeCodec {
    static let version: UInt8 = 1

    /// The first byte of a change. The raw values are stored, so new tags are added at the end.
    enum Tag: UInt8 {
        /// A change that was erased because its device or user was removed, or its position was deleted. It keeps its
        /// place, so that the numbers of the changes after it stay right.
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
        case signal
        case checkInTimer
        case attendance
        case proximity
        case currentRange, lateRange
        case pause
    }

    var writer = ByteWriter()
    /// The number of changes encoded so far.
    package private(set) var count = 0

    package init() { writer.put(byte: Self.version) }

    /// The encoded changes, with the version byte.
    package var bytes: [UInt8] { writer.bytes }

    /// Encodes one change; nil encodes an erased change.
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
            putHead(.note, of: device.rawValue)
            writer.put(name)
        case .signal(let signal, let device):
            putHead(.signal, of: device.rawValue)
            writer.put(signal)
        case .range(let range, let device, let isCurrent): put(range, of: device, isCurrent: isCurrent)
        case .crossing(let crossing):
            writer.put(byte: Tag.crossing.rawValue)
            writer.put(crossing)
        case .presence(let report):
            writer.put(byte: Tag.presence.rawValue)
            writer.put(report)
        case .belief(let belief, let device):
            putHead(.belief, of: device.rawValue)
            writer.put(belief)
        case .safety(let safety, let user):
            putHead(.safety, of: user.rawValue)
            writer.put(safety)
        case .declaration(let declaration, let isCurrent):
            writer.put(byte: (isCurrent ? Tag.currentDeclaration : .lateDeclaration).rawValue)
            writer.put(declaration)
        case .reminder(let safety, let user, let count):
            putHead(.reminder, of: user.rawValue)
            writer.put(safety)
            writer.put(number: count)
        case .checkInTimer(let timer, let user):
            putHead(.checkInTimer, of: user.rawValue)
            writer.put(timer)
        case .pause(let pause, let user):
            putHead(.pause, of: user.rawValue)
            writer.put(pause)
        case .attendance(let report):
            writer.put(byte: Tag.attendance.rawValue)
            writer.put(report)
        case .proximity(let report):
            writer.put(byte: Tag.proximity.rawValue)
            writer.put(report)
        case .incident(let incident):
            writer.put(byte: Tag.incident.rawValue)
            writer.put(incident)
        case .roll(let entry, let team): put(entry, of: team)
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
        case .action(let action):
            writer.put(byte: Tag.action.rawValue)
            writer.put(action)
        case .document(let touch): put(touch)
        case .dataset(let touch): put(touch)
        }
    }

    private mutating func put(_ range: PeerRange, of device: DeviceNumber, isCurrent: Bool) {
        putHead(isCurrent ? .currentRange : .lateRange, of: device.rawValue)
        writer.put(range)
    }

    private mutating func put(_ entry: IncidentEntry, of team: TeamNumber) {
        putHead(.roll, of: team.rawValue)
        writer.put(entry)
    }

    private mutating func put(_ touch: DocumentTouch) {
        writer.put(byte: Tag.document.rawValue)
        writer.put(touch)
    }

    private mutating func put(_ touch: DatasetTouch) {
        writer.put(byte: (touch.isDeleted ? Tag.datasetDeleted : .datasetPut).rawValue)
        writer.put(touch)
    }

    private mutating func putHead(_ tag: Tag, of number: Int32) {
        writer.put(byte: tag.rawValue)
        writer.put(number: number)
    }

    /// Encodes a position's change.
    ///
    /// - Returns: the range of the position's own encoding in `bytes`.
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

    /// Decodes the changes of a commit; nil stands for an erased change.
    ///
    /// - Throws: `CodecError` if the bytes are not what `put` writes. Damaged bytes never trap.
    package static func decode(_ bytes: UnsafeRawBufferPointer) throws(CodecError) -> [Change?] {
        var reader = try start(bytes)
        var changes: [Change?] = []
        while !reader.isAtEnd { changes.append(try next(&reader)) }
        return changes
    }

    /// Decodes the positions of a commit, each with its range in the bytes.
    ///
    /// - Parameter first: the number of the commit's first change.
    /// - Throws: `CodecError` if the bytes are not what `put` writes.
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

    /// Checks the version byte, and returns a reader of the changes.
    static func start(_ bytes: UnsafeRawBufferPointer) throws(CodecError) -> ByteReader {
        var reader = ByteReader(bytes)
        let version = try reader.byte()
        guard version == Self.version else { throw .unknownVersion(version) }
        return reader
    }

    /// Decodes the next change; nil for an erased change.
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
        case .checkInTimer:
            let user = UserNumber(try reader.number())
            return .checkInTimer(try reader.checkInTimer(), of: user)
        case .pause:
            let user = UserNumber(try reader.number())
            return .pause(try reader.pause(), of: user)
        case .attendance: return .attendance(try reader.attendanceReport())
        case .proximity: return .proximity(try reader.proximityReport())
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
        case .signal:
            let device = DeviceNumber(try reader.number())
            return .signal(try reader.signal(), of: device)
        case .currentRange: return try range(&reader, isCurrent: true)
        case .lateRange: return try range(&reader, isCurrent: false)
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

    private static func range(_ reader: inout ByteReader, isCurrent: Bool) throws(CodecError) -> Change {
        let device = DeviceNumber(try reader.number())
        return .range(try reader.range(), of: device, isCurrent: isCurrent)
    }

    private static func region(_ reader: inout ByteReader, removed: Bool) throws(CodecError) -> Change {
        let region = RegionNumber(try reader.number())
        return .region(region, in: CollectionNumber(try reader.number()), removed: removed)
    }
}

extension Change {
    /// `Change.position` with its arguments in the order in which they are encoded, because Swift evaluates arguments
    /// from left to right.
    fileprivate static func position(of device: DeviceNumber, _ position: Position, isCurrent: Bool) -> Change {
        .position(position, of: device, isCurrent: isCurrent)
    }
}
