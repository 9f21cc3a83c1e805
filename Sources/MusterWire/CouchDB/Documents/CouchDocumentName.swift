/// The id and revision in a document, read without the rest of it.
package struct CouchDocumentName: Hashable, Sendable {
    /// `_id`; nil if the document lacks it.
    package var id: String?
    /// `_rev`; nil if the document lacks it.
    package var revisionText: String?

    /// Reads the name of the next document, and passes over the rest of it.
    ///
    /// - Throws: `JSONError` if the reader cannot find the end of the document or one of its keys.
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
