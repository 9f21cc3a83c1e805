package import MusterGeometry

/// What a person says by SMS.
///
/// "Safe" must be the whole text, or be with a place or a code: nothing is searched for within a sentence, because "not
/// safe" contains "safe". A call for help may have anything behind it: a text that begins with one is a call, because a
/// false call costs a look, and a lost one may cost a life. Any other text says nothing.
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
            let folded = FoldedText(String(String.UnicodeScalarView(text.unicodeScalars.prefix(Self.limitBytes / 4))))
            let call = Self.call(beginning: FoldedText.words(folded.scalars), at: nil)
            content = call?.content ?? .unknown
            language = call?.language
            return
        }
        let folded = FoldedText(text)
        let place = TextPlace(in: folded.scalars)
        var words = FoldedText.words(place.map { $0.others } ?? folded.scalars)
        let call = Self.call(beginning: words, at: place.flatMap { $0.isAmbiguous ? nil : $0.coordinate })
        let code = place == nil ? words.last.flatMap { Self.isCode($0) ? $0 : nil } : nil
        if code != nil { words.removeLast() }
        let phrase = words.joined(separator: " ")
        let coordinate = place?.coordinate
        let known = Self.phrases[phrase]
        language = known?.language ?? call?.language ?? folded.language
        if let call {
            content = call.content
        } else if known?.word == .safe {
            content = .safe(code: code, at: coordinate)
        } else if phrase.isEmpty {
            // A person who was asked for a code may write the code alone.
            content = coordinate.map { .place($0) } ?? code.map { .safe(code: $0, at: nil) } ?? .unknown
        } else {
            content = .unknown
        }
    }

    /// The call for help that a text begins with; nil where it begins with none.
    ///
    /// A call is a known phrase of whole words; digits may stick to its last one, as in "SOS43.5". Japanese and Chinese
    /// have no spaces: there a text begins with one of a few words, and is no question.
    private static func call(
        beginning words: [String], at place: Coordinate?
    ) -> (content: Content, language: TextLanguage?)? {
        for count in 1...mostWordsOfCall where count <= words.count {
            let phrase = words.prefix(count).joined(separator: " ")
            let bare = String(phrase.reversed().drop { $0.isASCII && $0.isNumber }.reversed())
            if let known = phrases[phrase] ?? phrases[bare], let content = content(of: known.word, at: place) {
                return (content, known.language)
            }
        }
        guard let first = words.first, let last = words.last?.unicodeScalars.last,
            !"?か吗嗎".unicodeScalars.contains(last), let begun = beginnings.first(where: { first.hasPrefix($0) }),
            let known = phrases[begun]
        else { return nil }
        return content(of: known.word, at: place).map { ($0, known.language) }
    }

    private static func content(of word: Word, at place: Coordinate?) -> Content? {
        switch word {
        case .safe: nil
        case .help: .help(at: place)
        case .sos: .sos(at: place)
        }
    }

    private static func isCode(_ word: String) -> Bool {
        word.utf8.count == codeLength && word.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
