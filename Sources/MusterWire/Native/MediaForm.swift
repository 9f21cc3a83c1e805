/// The formats of a resource, each with the media type by which a client requests it.
protocol MediaForm: CaseIterable {
    /// The value of the header `Content-Type`.
    var contentType: String { get }
}

extension MediaForm {
    /// Returns the format with a media type, whatever its parameters and case; nil when there is none.
    static func named(_ mediaType: String) -> Self? {
        let wanted = mediaType.prefix { $0 != ";" }.lowercased().filter { $0 != " " }
        return allCases.first { $0.contentType.prefix { $0 != ";" } == wanted }
    }
}
