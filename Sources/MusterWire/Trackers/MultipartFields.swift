import MusterCoding

/// Collects the fields of a multipart form (RFC 7578) piece by piece. Files in it are skipped, however large they are.
package struct MultipartFields {
    private var reader: MultipartReader
    private var found: [(name: String, value: [UInt8])] = []
    private var countBytes = 0
    /// The field that is being read; nil in a file. It counts once it has ended: a part of a number is another number.
    private var current: (name: String, value: [UInt8])?

    /// Makes a collector of forms with this `Content-Type`; nil if it is not one of a multipart form.
    package init?(contentType: String) {
        guard contentType.lowercased().hasPrefix("multipart/form-data"),
            let boundary = MultipartReader.boundary(of: contentType)
        else { return nil }
        reader = MultipartReader(boundary: boundary)
    }

    /// The fields as they are by now. A field that is no UTF-8 is left out.
    package var fields: FormFields {
        FormFields(
            found.compactMap { field in
                String(utf8: field.value).map { (field.name, $0) }
            })
    }

    /// Takes the next bytes of the body. Fields beyond the limits of `FormFields` are left out.
    package mutating func add(_ bytes: some Collection<UInt8>) throws(MultipartReader.ParsingError) {
        for event in try reader.parse(bytes) {
            switch event {
            case .part(let headers):
                let name = headers["content-disposition"].flatMap { Self.fieldName(in: $0) }
                current = found.count < FormFields.limit ? name.map { ($0, []) } : nil
            case .bytes(let bytes):
                guard current != nil else { break }
                countBytes += bytes.count
                current?.value += bytes
                if countBytes > FormFields.limitBytes { current = nil }
            case .endOfPart, .end:
                if let current { found.append(current) }
                current = nil
            }
        }
    }

    /// The name of the field in `form-data; name="lat"`; nil for a file.
    private static func fieldName(in disposition: String) -> String? {
        guard !disposition.contains("filename") else { return nil }
        return MultipartReader.parameter("name", of: disposition)
    }
}
