import MusterCore

/// What a document calls itself, where nothing else of it can be read, or is wanted.
package struct CouchDocumentName: Hashable, Sendable {
    /// `_id`, where it says one.
    package var id: String?
    /// `_rev`, where it says one.
    package var revisionText: String?

    /// Passes over the document that comes next, and keeps its name.
    ///
    /// - Throws: `JSONError` where its end or a key of it cannot be told.
    package init(passingOver reader: inout JSONReader) throws(JSONError) {
        guard try reader.peek() == .object else {
            try reader.passOver()
            return
        }
        try reader.beginObject()
        while let key = try reader.nextKey() {
            switch (key.string, try reader.peek()) {
            case ("_id", .string): id = try reader.text().string
            case ("_rev", .string): revisionText = try reader.text().string
            default: try reader.passOver()
            }
        }
    }
}
