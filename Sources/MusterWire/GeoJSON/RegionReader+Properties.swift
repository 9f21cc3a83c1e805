import MusterCore

/// The properties of a feature that have a meaning for a region.
struct PropertiesDraft: Hashable {
    var name: String?
    var isMuster = false
    var mode: RegionMode?
    var dwellSeconds: Double?
    var exitDelaySeconds: Double = 0
    var beacon: BeaconDraft?
    /// Whether there is a property `beacon`, sound or not.
    var hasBeacon = false
    /// The radius in metres, as it is written. Only the reader of a Point checks and uses it.
    var radius: JSONValue?
    /// All properties, as JSON text.
    var text: String?

    /// The keys that this reader knows, and that the writer of a region writes itself.
    static let keys: Set<String> = ["name", "muster", "crossingMode", "dwell", "exitDelay", "radius", "beacon"]
}

extension RegionReader {
    /// Reads the value of `properties`, an object or null.
    mutating func readProperties(_ reader: inout JSONReader) throws(JSONError) -> PropertiesDraft {
        var draft = PropertiesDraft()
        if try reader.peek() == .null {
            try reader.null()
            return draft
        }
        guard try expects(.object, at: "/properties", from: &reader) else { return draft }
        let text = try reader.skip()
        guard text.count <= limits.propertyBytes else {
            record(.tooLong(limitBytes: limits.propertyBytes), at: "/properties")
            return draft
        }
        draft.text = String(onOneLine: text)
        var members = JSONReader(text)
        try members.beginObject()
        while let key = try members.nextKey() {
            let name = key.string
            guard PropertiesDraft.keys.contains(name) else {
                try members.skip()
                continue
            }
            // The reader has skipped the value before, so it is valid JSON and cannot be at fault here.
            try read(name, into: &draft, from: &members)
        }
        return draft
    }

    private mutating func read(
        _ name: String, into draft: inout PropertiesDraft, from reader: inout JSONReader
    ) throws(JSONError) {
        if name == "radius" {
            draft.radius = try reader.tree()
            return
        }
        if try reader.peek() == .null { return try reader.null() }
        let path = "/properties/\(name)"
        switch name {
        case "name":
            guard try expects(.string, at: path, from: &reader) else { return }
            let text = try reader.text().string
            if text.utf8.count > limits.nameBytes { record(.tooLong(limitBytes: limits.nameBytes), at: path) }
            draft.name = text.isEmpty ? nil : text
        case "muster":
            guard try expects(.boolean, at: path, from: &reader) else { return }
            draft.isMuster = try reader.boolean()
        case "crossingMode":
            guard try expects(.string, at: path, from: &reader) else { return }
            let text = try reader.text().string
            draft.mode = RegionMode.allCases.first { $0.wireName.description == text }
            if draft.mode == nil {
                let words = RegionMode.allCases.map(\.wireName.description).joined(separator: ", ")
                record(.invalid("must be one of \(words)"), at: path)
            }
        case "dwell": draft.dwellSeconds = try readSeconds(at: path, from: &reader)
        case "beacon":
            draft.hasBeacon = true
            draft.beacon = readBeacon(try reader.tree(), at: path)
        case "exitDelay": draft.exitDelaySeconds = try readSeconds(at: path, from: &reader) ?? 0
        default: try reader.skip()
        }
    }

    private mutating func readSeconds(
        at path: String, from reader: inout JSONReader
    ) throws(JSONError) -> Double? {
        guard try expects(.number, at: path, from: &reader) else { return nil }
        let seconds = try reader.decimal().double
        guard seconds >= 0, seconds <= limits.seconds else {
            record(.outOfRange(lowest: 0, highest: limits.seconds), at: path)
            return nil
        }
        return seconds
    }
}

extension RegionMode {
    /// Its name in the API.
    package var wireName: StaticString {
        switch self {
        case .standard: "standard"
        case .insideIsSafe: "insideIsSafe"
        case .insideIsDanger: "insideIsDanger"
        }
    }
}
