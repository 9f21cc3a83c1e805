import Foundation

/// The texts of the app in one language.
///
/// A text has places for parameters, such as `{name}`. A text that counts has two forms, `….one` and `….other`;
/// Japanese and Chinese use the second alone.
public struct Words: Sendable {
    /// The language of the texts.
    public let language: Language
    private let table: [String: String]

    /// The texts of a language.
    public init(_ language: Language) {
        self.language = language
        table = Self.tables[language] ?? [:]
    }

    /// The text of a key with its parameters put in.
    ///
    /// A parameter that the text does not name is left out. A key without a text, which no released version has, gives
    /// the key itself.
    public func text(_ key: Word, _ parameters: KeyValuePairs<String, String> = [:]) -> String {
        Self.filled(table[key.rawValue] ?? key.rawValue, parameters.map { ($0.key, $0.value) })
    }

    /// The text of a key that counts.
    ///
    /// - Parameter count: chooses the form, and is the parameter `{count}`.
    public func text(_ key: Word, count: Int, _ parameters: KeyValuePairs<String, String> = [:]) -> String {
        let form = count == 1 && !language.hasOneForm ? "one" : "other"
        let text = table["\(key.rawValue).\(form)"] ?? table["\(key.rawValue).other"] ?? table[key.rawValue]
        return Self.filled(text ?? key.rawValue, [("count", String(count))] + parameters.map { ($0.key, $0.value) })
    }

    /// The text of a key whose name is made of parts, such as `state.sos` for `stateSos`; nil if there is none.
    func text(named name: String, _ parameters: KeyValuePairs<String, String> = [:]) -> String? {
        let parts = name.split(separator: ".")
        let key = parts.dropFirst().reduce(String(parts.first ?? "")) {
            $0 + $1.prefix(1).uppercased() + $1.dropFirst()
        }
        return table[key].map { Self.filled($0, parameters.map { ($0.key, $0.value) }) }
    }

    /// Joins the texts that are not empty, as a list in this language.
    func listed(_ parts: [String]) -> String { parts.filter { !$0.isEmpty }.joined(separator: text(.betweenParts)) }

    /// All keys with their texts, to compare them with a string catalog.
    public var all: [String: String] { table }

    private static func filled(_ text: String, _ parameters: [(String, String)]) -> String {
        guard text.contains("{") else { return text }
        var filled = ""
        var rest = Substring(text)
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            filled += rest[..<open]
            let name = rest[rest.index(after: open)..<close]
            filled += parameters.first { $0.0 == name }?.1 ?? ""
            rest = rest[rest.index(after: close)...]
        }
        return filled + rest
    }

    /// The tables of all languages, read once.
    private static let tables: [Language: [String: String]] = [
        .english: read(english), .spanish: read(spanish), .japanese: read(japanese), .chinese: read(chinese),
    ]

    /// Reads a table: a line for each text, `key = text`.
    private static func read(_ parts: [String]) -> [String: String] {
        var table: [String: String] = [:]
        for line in parts.flatMap({ $0.split(separator: "\n") }) {
            guard let equals = line.range(of: " = ") else { continue }
            table[String(line[..<equals.lowerBound])] = String(line[equals.upperBound...])
        }
        return table
    }
}

extension Language {
    /// Whether a text that counts has one form for all numbers.
    var hasOneForm: Bool { self == .japanese || self == .chinese }
}
