import MusterGeometry

/// Reads the regions of one request in one pass, and records every fault.
struct RegionReader {
    let limits: RegionDraft.Limits
    private var faults: [RegionFault] = []
    /// How many faults there were so far, listed or not. A feature is valid when reading it adds none.
    private(set) var faultCount = 0
    var drafts: [RegionDraft] = []
    private var ids: Set<String> = []
    /// Whether a fault outside of a list of features is one of the only feature, or of the feature that is being read.
    var namesFeature = false
    /// The feature that is being read, and its pointer. Geometries without a feature count as features.
    var feature = 0
    var base = ""
    /// The number of features so far.
    var featureCount = 0
    /// The pointer of the text that is being read: not empty in a sequence of texts.
    var root = ""
    /// Whether the geometry that is being read is no member of a feature, so that its pointer has no `/geometry`.
    var isBareGeometry = false
    /// How many positions the feature has had so far.
    var vertices = 0

    init(limits: RegionDraft.Limits) { self.limits = limits }

    mutating func read(_ bytes: UnsafeRawBufferPointer) throws(RegionFaults) -> [RegionDraft] {
        if bytes.count > limits.bytes {
            record(.tooLong(limitBytes: limits.bytes), at: "")
        } else if let texts = Self.texts(ofSequence: bytes) {
            readSequence(texts)
        } else {
            readText(bytes)
        }
        // The index of the feature was recorded before the reader knew whether there are several. Faults outside of
        // features have none.
        if !namesFeature {
            for index in faults.indices
            where !faults[index].pointer.hasPrefix("/features/") && !faults[index].pointer.hasPrefix("/geometries/") {
                faults[index].feature = nil
            }
        }
        guard faults.isEmpty else {
            throw RegionFaults(faults: faults, count: faultCount, drafts: drafts)
        }
        return drafts
    }

    /// Records a fault.
    ///
    /// - Parameter path: the pointer from the feature on.
    @inline(never)
    mutating func record(_ reason: JSONError.Reason, at path: String, coordinate: Coordinate? = nil) {
        faultCount += 1
        guard faults.count < limits.faults else { return }
        // The limit of faults counts for each feature, so that one bad feature does not hide the faults of the others.
        let listed = faults.reversed().prefix { $0.feature == feature }.count
        guard listed < limits.faultsPerFeature else { return }
        let own = isBareGeometry && path.hasPrefix("/geometry") ? String(path.dropFirst("/geometry".count)) : path
        faults.append(RegionFault(feature: feature, pointer: base + own, reason: reason, coordinate: coordinate))
    }

    /// Reads one text: a Feature, a FeatureCollection or a geometry.
    mutating func readText(_ bytes: UnsafeRawBufferPointer) {
        var reader = JSONReader(bytes)
        do {
            let mark = faultCount
            if let type = try readRoot(&reader) {
                try reader.finish()
                // Only now is it known that this is a geometry, and that it is JSON.
                if faultCount == mark { try readBareGeometry(type, in: bytes) }
            } else {
                try reader.finish()
            }
        } catch {
            base = root
            isBareGeometry = false
            record(error.reason, at: error.pointer)
        }
    }

    /// Begins the next feature.
    ///
    /// - Throws: `JSONError` when there are too many.
    mutating func beginFeature(at path: String, in list: String, _ reader: JSONReader) throws(JSONError) {
        guard featureCount < limits.features else {
            throw JSONError(pointer: list, offset: reader.offset, reason: .tooMany(limit: limits.features))
        }
        feature = featureCount
        featureCount += 1
        base = root + path
        vertices = 0
    }

    // MARK: The root

    /// The parts of a Feature or a FeatureCollection read so far.
    private struct Draft {
        var keys: Set<String> = []
        var type: String?
        var id: String?
        var geometry: GeometryDraft?
        /// Whether the geometry is null: the region has no place.
        var isPlaceless = false
        /// Whether a rule alone made it a muster region where it was written: the mark is not its own.
        var isMusterByRule = false
        var properties = PropertiesDraft()
    }

    /// - Returns: the type of a geometry that is the whole text, of which nothing is read yet; nil for any other text.
    private mutating func readRoot(_ reader: inout JSONReader) throws(JSONError) -> String? {
        feature = featureCount
        base = root
        vertices = 0
        let kind = try reader.peek()
        guard kind == .object else {
            record(.wrongType(expected: .object, found: kind), at: "")
            try reader.skip()
            return nil
        }
        // Only the type, which may come last, shows whether this is a collection. Only a collection has features.
        var draft = Draft()
        let mark = faultCount
        try reader.beginObject()
        while let key = try reader.nextKey() {
            let name = key.string
            guard isFirst(name, &draft) else {
                try reader.skip()
                continue
            }
            if name == "features" {
                try readFeatures(&reader)
            } else {
                try readMember(name, of: &draft, from: &reader)
            }
        }
        switch draft.type {
        case "FeatureCollection":
            if !draft.keys.contains("features") { record(.missing, at: "/features") }
            refuse(["coordinates", "geometries", "geometry", "properties"], in: draft)
        case "Feature":
            namesFeature = true
            featureCount += 1
            refuse(["coordinates", "geometries", "features"], in: draft)
            finish(draft, since: mark)
        case let type? where Self.isGeometry(type): return type
        case let type?:
            record(
                .invalid("must be Feature, FeatureCollection or a geometry, is \(Self.quoted(type))"), at: "/type")
        case nil: if !draft.keys.contains("type") { record(.missing, at: "/type") }
        }
        return nil
    }

    private mutating func readFeatures(_ reader: inout JSONReader) throws(JSONError) {
        guard try expects(.array, at: "/features", from: &reader) else { return }
        try reader.beginArray()
        var index = 0
        while try reader.nextElement() {
            try beginFeature(at: "/features/\(index)", in: "/features", reader)
            try readFeature(&reader)
            index += 1
        }
        feature = 0
        base = root
    }

    // MARK: A feature

    private mutating func readFeature(_ reader: inout JSONReader) throws(JSONError) {
        let mark = faultCount
        guard try expects(.object, at: "", from: &reader) else { return }
        var draft = Draft()
        try reader.beginObject()
        while let key = try reader.nextKey() {
            let name = key.string
            if isFirst(name, &draft) {
                try readMember(name, of: &draft, from: &reader)
            } else {
                try reader.skip()
            }
        }
        switch draft.type {
        case "Feature": refuse(["coordinates", "geometries", "features"], in: draft)
        case let type?: record(.invalid("must be Feature, is \(Self.quoted(type))"), at: "/type")
        case nil: if !draft.keys.contains("type") { record(.missing, at: "/type") }
        }
        finish(draft, since: mark)
    }

    private mutating func readMember(
        _ name: String, of draft: inout Draft, from reader: inout JSONReader
    ) throws(JSONError) {
        switch name {
        case "type":
            guard try expects(.string, at: "/type", from: &reader) else { return }
            draft.type = try reader.text().string
        case "id": draft.id = try readID(&reader)
        case "geometry":
            draft.isPlaceless = try reader.peek() == .null
            if draft.isPlaceless { try reader.null() } else { draft.geometry = try readGeometry(&reader) }
        case "properties": draft.properties = try readProperties(&reader)
        case "musterByRule":
            if try reader.peek() == .boolean { draft.isMusterByRule = try reader.boolean() } else { try reader.skip() }
        case "bbox": try readBox(&reader, at: "/bbox")
        case "crs": try readReferenceSystem(&reader)
        default: try reader.skip()
        }
    }

    private mutating func finish(_ draft: Draft, since mark: Int) {
        if draft.geometry == nil, !draft.keys.contains("geometry") { record(.missing, at: "/geometry") }
        let count = drafts.count
        finish(draft.id, draft.geometry, isPlaceless: draft.isPlaceless, draft.properties, since: mark)
        guard draft.isMusterByRule, drafts.count > count, drafts[count].isMuster else { return }
        drafts[count].isMuster = false
        drafts[count].isMusterByRule = true
    }

    /// Makes a region from the parts of a feature, if there was no fault since `mark` and none is found now.
    mutating func finish(
        _ id: String?, _ geometry: GeometryDraft?, isPlaceless: Bool, _ properties: PropertiesDraft, since mark: Int
    ) {
        if let id, !ids.insert(id).inserted {
            record(.invalid("another feature has the id \(Self.quoted(id))"), at: "/id")
        }
        check(properties, geometry, isPlaceless: isPlaceless)
        guard faultCount == mark else { return }
        var shape: Shape?
        if let geometry {
            shape = self.shape(of: geometry, radius: properties.radius)
            if shape == nil { return }
        }
        drafts.append(
            RegionDraft(
                feature: feature, id: id, name: properties.name, isMuster: properties.isMuster,
                mode: properties.mode, dwellSeconds: properties.dwellSeconds,
                exitDelaySeconds: properties.exitDelaySeconds, shape: shape, beacon: properties.beacon,
                properties: properties.text))
    }

    /// Returns the faults that were listed since the last call, for a reader that names their places itself.
    mutating func takeFaults() -> [RegionFault] {
        defer { faults.removeAll(keepingCapacity: true) }
        return faults
    }

    // MARK: Members

    private mutating func readID(_ reader: inout JSONReader) throws(JSONError) -> String? {
        switch try reader.peek() {
        case .string:
            let id = try reader.text().string
            check(id: id)
            return id
        case .number:
            let number = try reader.decimal()
            if number.bytes.count > limits.idCharacters {
                record(.invalid("must have 1 to \(limits.idCharacters) characters"), at: "/id")
            }
            return String(decoding: number.bytes, as: UTF8.self)
        case .null:
            try reader.null()
            return nil
        case let kind:
            record(.invalid("must be a string or a number, is \(kind.article)"), at: "/id")
            try reader.skip()
            return nil
        }
    }

    mutating func check(id: String) {
        if id.isEmpty || id.count > limits.idCharacters {
            record(.invalid("must have 1 to \(limits.idCharacters) characters"), at: "/id")
        } else if id.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
            record(.invalid("must have no control characters"), at: "/id")
        } else if id == "." || id == ".." {
            record(.invalid("must not be . or .., because a URL cannot name it"), at: "/id")
        }
    }

    /// Checks a bounding box. It has no effect, but an invalid one shows that something is wrong with the file.
    mutating func readBox(_ reader: inout JSONReader, at path: String) throws(JSONError) {
        guard try expects(.array, at: path, from: &reader) else { return }
        try reader.beginArray()
        var count = 0
        while try reader.nextElement() {
            if try expects(.number, at: "\(path)/\(count)", from: &reader) { try reader.skip() }
            count += 1
        }
        if count != 4, count != 6 { record(.invalid("must have 4 or 6 numbers, has \(count)"), at: path) }
    }

    /// Checks the reference system, which GeoJSON of 2008 could name: RFC 7946 allows WGS-84 only.
    private mutating func readReferenceSystem(_ reader: inout JSONReader) throws(JSONError) {
        let system = try reader.tree()
        guard system != .null else { return }
        let name = system["properties"]?["name"]?.string ?? ""
        guard name.hasSuffix("CRS84") || name.hasSuffix(":4326") else {
            return record(.invalid("the coordinates must be WGS-84, in degrees"), at: "/crs")
        }
    }

    // MARK: Pieces

    /// Whether a value of a kind comes next. Records a value of another kind as a fault and skips it.
    mutating func expects(
        _ kind: JSONKind, at path: @autoclosure () -> String, from reader: inout JSONReader
    ) throws(JSONError) -> Bool {
        let found = try reader.peek()
        if found == kind { return true }
        record(.wrongType(expected: kind, found: found), at: path())
        try reader.skip()
        return false
    }

    private mutating func isFirst(_ name: String, _ draft: inout Draft) -> Bool {
        if draft.keys.insert(name).inserted { return true }
        record(.duplicateKey, at: JSONPointer.appending(name, to: ""))
        return false
    }

    /// Records a fault for members that would change the meaning of the object (RFC 7946 §7.1).
    private mutating func refuse(_ names: [String], in draft: Draft) {
        for name in names where draft.keys.contains(name) {
            record(.invalid("does not belong in a \(draft.type ?? "")"), at: "/\(name)")
        }
    }

    /// Returns a client's text for use in a message: at most 40 characters of it.
    static func quoted(_ text: String) -> String {
        text.count <= 40 ? "\"\(text)\"" : "\"\(text.prefix(40))…\""
    }
}
