/// Texts of other forms than a Feature or a FeatureCollection: geometries alone (RFC 7946, section 3), and sequences of
/// texts (RFC 8142).
extension RegionReader {
    private static let recordSeparator: UInt8 = 0x1E

    /// The names of the geometries. Each may be the whole of a GeoJSON text.
    static func isGeometry(_ type: String) -> Bool {
        [
            "Point", "MultiPoint", "LineString", "MultiLineString", "Polygon", "MultiPolygon", "GeometryCollection",
        ].contains(type)
    }

    /// Reads a geometry that is the whole text, or each geometry of a collection. They have neither id nor properties.
    ///
    /// - Parameter bytes: the text, which is valid JSON.
    mutating func readBareGeometry(_ type: String, in bytes: UnsafeRawBufferPointer) throws(JSONError) {
        var reader = JSONReader(bytes)
        guard type == "GeometryCollection" else {
            namesFeature = true
            try beginFeature(at: "", in: "", reader)
            return try readRegion(&reader)
        }
        var isFound = false
        try reader.beginObject()
        while let key = try reader.nextKey() {
            guard key == "geometries" else {
                try reader.skip()
                continue
            }
            isFound = true
            try readGeometries(&reader)
        }
        feature = 0
        base = root
        if !isFound { record(.missing, at: "/geometries") }
    }

    private mutating func readGeometries(_ reader: inout JSONReader) throws(JSONError) {
        guard try expects(.array, at: "/geometries", from: &reader) else { return }
        try reader.beginArray()
        var index = 0
        while try reader.nextElement() {
            try beginFeature(at: "/geometries/\(index)", in: "/geometries", reader)
            try readRegion(&reader)
            index += 1
        }
    }

    /// Reads a geometry as a region.
    private mutating func readRegion(_ reader: inout JSONReader) throws(JSONError) {
        let mark = faultCount
        isBareGeometry = true
        defer { isBareGeometry = false }
        guard let geometry = try readGeometry(&reader), faultCount == mark,
            let shape = shape(of: geometry, radius: nil)
        else { return }
        drafts.append(RegionDraft(feature: feature, shape: shape))
    }

    /// Returns the texts of a sequence, each of which a record separator precedes; nil for any other text.
    static func texts(ofSequence bytes: UnsafeRawBufferPointer) -> [UnsafeRawBufferPointer]? {
        let isMarked = bytes.starts(with: [0xEF, 0xBB, 0xBF])
        let content = bytes.dropFirst(isMarked ? 3 : 0).drop { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
        guard content.first == recordSeparator else { return nil }
        return content.split(separator: recordSeparator).map { UnsafeRawBufferPointer(rebasing: $0) }
            .filter { text in text.contains { $0 > 0x20 } }
    }

    /// Reads the texts of a sequence. The pointer of a fault begins with the number of its text, from 0.
    mutating func readSequence(_ texts: [UnsafeRawBufferPointer]) {
        namesFeature = true
        if texts.isEmpty { record(.unexpectedEnd, at: "") }
        for (index, text) in texts.enumerated() {
            root = "/\(index)"
            readText(text)
        }
        root = ""
    }
}
