/// A language of the app's texts.
public enum Language: String, CaseIterable, Codable, Sendable, Identifiable {
    case english = "en"
    case spanish = "es"
    case japanese = "ja"
    case chinese = "zh"

    /// The identifier of the language (BCP 47).
    public var id: String { rawValue }

    /// The language's own name, for a list in which a person chooses.
    public var ownName: String {
        switch self {
        case .english: "English"
        case .spanish: "Español"
        case .japanese: "日本語"
        case .chinese: "中文"
        }
    }

    /// The first language of a person's list that the app speaks; English if there is none.
    ///
    /// - Parameter identifiers: BCP 47 tags in the person's order, such as `es-MX` or `zh-Hans-CN`.
    public static func preferred(among identifiers: [String]) -> Language {
        for identifier in identifiers {
            let primary = identifier.split(whereSeparator: { $0 == "-" || $0 == "_" }).first.map(String.init) ?? ""
            if let language = Language(rawValue: primary.lowercased()) { return language }
        }
        return .english
    }
}
