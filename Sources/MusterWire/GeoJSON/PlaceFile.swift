/// The places of a file, from which documents are made: a GeoJSON feature, a collection or list of features, or
/// `{"places": […]}`, the form that the location-tracker apps' server ships.
package struct PlaceFile: Sendable {
    /// A place from which a document is made.
    package struct Place: Hashable, Sendable {
        /// The id from the file, or one computed from the geometry and the name.
        package var id: String
        /// The members of the document without `_id` and `created_at`.
        package var members: [JSONValue.Member]
    }

    /// The places in the file's order. Of several places with one id it holds only the first.
    package private(set) var places: [Place] = []

    /// The reason why no places can be read from a file.
    package struct ParsingError: Error, Hashable, Sendable, CustomStringConvertible {
        /// The fault in words for a person.
        package let description: String
    }

    /// Reads a file.
    ///
    /// - Throws: `JSONError`, or a `ParsingError` that names the number of the first invalid place.
    package init(parsing bytes: [UInt8]) throws {
        let file = try JSONValue(parsing: bytes, valueLimit: max(JSONValue.defaultValueLimit, bytes.count))
        guard
            let features = file["features"]?.elements ?? file["places"]?.elements ?? file.elements
                ?? (file["geometry"] == nil ? nil : [file])
        else {
            throw ParsingError(description: "this is neither a feature, nor a collection of them, nor a list of places")
        }
        var known: Set<ExactID> = []
        for (number, feature) in features.enumerated() {
            let place = try Self.parsePlace(feature, number + 1)
            if known.insert(ExactID(bytes: Array(place.id.utf8))).inserted { places.append(place) }
        }
    }

    private struct ExactID: Hashable { var bytes: [UInt8] }

    private static func parsePlace(_ feature: JSONValue, _ number: Int) throws -> Place {
        guard let geometry = feature["geometry"] else {
            throw ParsingError(description: "place \(number) has no geometry")
        }
        do throws(GeometryTextError) {
            _ = try PlainGeometry(geoJSON: geometry)
        } catch {
            throw ParsingError(description: "place \(number): \(error)")
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
