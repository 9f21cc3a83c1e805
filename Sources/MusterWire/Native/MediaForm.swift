/// The forms in which something is given out, each with the media type by which a client asks for it.
protocol MediaForm: CaseIterable {
    /// The media type to send.
    var contentType: String { get }
}

extension MediaForm {
    /// The form with a media type, parameters and case aside; nil when there is none.
    static func named(_ mediaType: String) -> Self? {
        let wanted = mediaType.prefix { $0 != ";" }.lowercased().filter { $0 != " " }
        return allCases.first { $0.contentType.prefix { $0 != ";" } == wanted }
    }
}
