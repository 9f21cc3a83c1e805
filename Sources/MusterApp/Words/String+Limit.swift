extension String {
    /// The text without white space at its ends, cut so that it has at most so many bytes in UTF-8; nil if nothing is
    /// left. What is too long is never refused with what it belongs to: a call for help goes out with half its note.
    func trimmed(toBytes limit: Int) -> String? {
        var text = Substring(self)
        while let first = text.first, first.isWhitespace { text.removeFirst() }
        while let last = text.last, last.isWhitespace || text.utf8.count > limit { text.removeLast() }
        return text.isEmpty ? nil : String(text)
    }
}
