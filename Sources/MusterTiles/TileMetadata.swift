import MusterWire

/// What the JSON in a file of tiles says: `vector_layers` as TileJSON 3.0 has them
/// (https://github.com/mapbox/tilejson-spec), and in PMTiles the attribution.
struct TileMetadata {
    private(set) var attribution: String?
    private(set) var layers: [TileSummary.Layer] = []

    /// How much of it is kept. Real schemas have twenty layers, with twenty fields each.
    private static let mostLayers = 200
    private static let mostFields = 200
    private static let longestName = 200
    private static let longestAttribution = 1_000

    /// tippecanoe lists up to a hundred values of up to a thousand attributes of each layer.
    private static let mostValues = 1_000_000

    init() {}

    /// - Throws: `JSONError` when the bytes are no JSON object.
    init(parsing bytes: [UInt8]) throws(JSONError) {
        let value = try JSONValue(parsing: bytes, valueLimit: Self.mostValues)
        guard value.members != nil else {
            throw JSONError(pointer: "", offset: 0, reason: .wrongType(expected: .object, found: value.kind))
        }
        attribution = value["attribution"]?.string.flatMap(Self.plainText)
        var ids: Set<String> = []
        layers = (value["vector_layers"]?.elements ?? []).prefix(Self.mostLayers).compactMap { layer in
            // A page makes the ids of its own layers of these, and no two of those may be alike.
            guard let id = layer["id"]?.string, id.utf8.count <= Self.longestName, ids.insert(id).inserted else {
                return nil
            }
            let fields = (layer["fields"]?.members ?? []).lazy.map(\.key)
            return TileSummary.Layer(
                id: id, fields: Array(fields.filter { $0.utf8.count <= Self.longestName }.prefix(Self.mostFields)))
        }
    }

    /// An attribution without its markup, because a page shows it as HTML and anyone can write a file; nil where
    /// nothing remains. Character references stay: they can be no markup.
    ///
    /// It goes by scalars, as HTML does: a `Character` may hold a bracket together with a scalar that joins it, and may
    /// be of any length.
    static func plainText(_ text: String) -> String? {
        var plain = String.UnicodeScalarView()
        var isInTag = false
        for scalar in text.unicodeScalars.prefix(Self.longestAttribution) {
            switch scalar {
            case "<": isInTag = true
            case ">": isInTag = false
            default: if !isInTag { plain.append(scalar) }
            }
        }
        let trimmed = String(plain).split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return trimmed.isEmpty ? nil : trimmed
    }
}
