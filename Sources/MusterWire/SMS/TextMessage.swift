package import MusterGeometry

/// What a person says by SMS.
///
/// A whole text must be one of the known words, a place, or both; nothing is searched for within a sentence, because
/// "not safe" contains "safe". A text that is not exactly known says nothing.
package struct TextMessage: Hashable, Sendable {
    /// What a text says.
    package enum Content: Hashable, Sendable {
        /// The person says that they are safe; with the code that they were asked for, if they wrote one.
        case safe(code: String?, at: Coordinate?)
        /// The person needs help.
        case help(at: Coordinate?)
        /// The person is in danger.
        case sos(at: Coordinate?)
        /// The person says where they are.
        case place(Coordinate)
        /// Nothing that is known.
        case unknown
    }

    /// A word that is known, whatever the language.
    enum Word: Hashable, Sendable { case safe, help, sos }

    package let content: Content
    /// The language of the word, or the language that the script of the text shows; nil where neither does.
    package let language: TextLanguage?

    /// The longest text that is read, in bytes of UTF-8: ten messages that are joined.
    package static let limitBytes = 4_800
    /// How many digits a code has.
    package static let codeLength = 6

    /// Reads a text. Case, accents, width, spaces and most punctuation count for nothing; a question mark does.
    package init(_ text: String) {
        guard text.utf8.count <= Self.limitBytes else {
            content = .unknown
            language = nil
            return
        }
        let folded = FoldedText(text)
        let place = TextPlace(in: folded.scalars)
        var words = FoldedText.words(place.map { $0.others } ?? folded.scalars)
        let code = place == nil ? words.last.flatMap { Self.isCode($0) ? $0 : nil } : nil
        if code != nil { words.removeLast() }
        let phrase = words.joined(separator: " ")
        let coordinate = place?.coordinate
        let known = Self.phrases[phrase]
        language = known?.language ?? folded.language
        switch known?.word {
        case .safe?: content = .safe(code: code, at: coordinate)
        case .help? where code == nil: content = .help(at: coordinate)
        case .sos? where code == nil: content = .sos(at: coordinate)
        case .help?, .sos?: content = .unknown
        case nil where phrase.isEmpty:
            // A person who was asked for a code may write the code alone.
            content = coordinate.map { .place($0) } ?? code.map { .safe(code: $0, at: nil) } ?? .unknown
        case nil: content = .unknown
        }
    }

    private static func isCode(_ word: String) -> Bool {
        word.utf8.count == codeLength && word.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
