/// Places in a file, as documents to be: a GeoJSON feature, a collection of them, or `{"places": […]}` as the
/// location-tracker apps' server brings along.
package struct PlaceFile: Sendable {
    /// One place.
    package struct Place: Hashable, Sendable {
        /// Its id: the file's own, else one that follows from its name and where it is.
        package var id: String
        /// The document, without `_id` and `created_at`.
        package var members: [JSONValue.Member]
    }

    /// The places in their order, each id once.
    package private(set) var places: [Place] = []

    /// What is wrong with a file.
    package struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
        /// For a person.
        package let description: String
    }

    /// Reads a file.
    ///
    /// - Throws: `JSONError`, or `Fault` with the number of the first place that is none.
    package init(parsing bytes: [UInt8]) throws {
        let file = try JSONValue(parsing: bytes, valueLimit: max(JSONValue.defaultValueLimit, bytes.count))
        guard
            let features = file["features"]?.elements ?? file["places"]?.elements ?? file.elements
                ?? (file["geometry"] == nil ? nil : [file])
        else { throw Fault(description: "this is neither a feature, nor a collection of them, nor a list of places") }
        var known: Set<ExactID> = []
        for (number, feature) in features.enumerated() {
            let place = try Self.parsePlace(feature, number + 1)
            if known.insert(ExactID(bytes: Array(place.id.utf8))).inserted { places.append(place) }
        }
    }

    private struct ExactID: Hashable { var bytes: [UInt8] }

    private static func parsePlace(_ feature: JSONValue, _ number: Int) throws -> Place {
        guard let geometry = feature["geometry"] else {
            throw Fault(description: "place \(number) has no geometry")
        }
        do throws(GeometryTextError) {
            _ = try PlainGeometry(geoJSON: geometry)
        } catch {
            throw Fault(description: "place \(number): \(error)")
        }
        let properties = feature["properties"] ?? .null
        let name = feature["name"] ?? properties["name"] ?? .null
        var members: [JSONValue.Member] = [
            .init("type", .string("Feature")), .init("geometry", geometry), .init("name", name),
        ]
        if properties.kind == .object { members.append(.init("properties", properties)) }
        let id: String
        switch feature["_id"] ?? feature["id"] {
        case .string(let text) where !text.isEmpty && !text.hasPrefix("_"): id = text
        case .integer(let number): id = String(number)
        default: id = Fingerprint.text(of: geometry.bytes + name.bytes)
        }
        return Place(id: id, members: members)
    }
}
