/// Finds the names that a mistyped one may stand for.
enum GraphQLSuggestions {
    /// How many names a message lists.
    private static let limit = 5
    /// How long a mistyped name may be, in bytes: a longer one is no typing mistake.
    private static let lengthLimit = 100

    /// Returns the names that differ from a text in few letters, the most similar first.
    ///
    /// - Complexity: O(names × text × name), where the text has at most 100 letters.
    static func similar(to text: String, in names: [String]) -> [String] {
        let typed = Array(text.lowercased().utf8)
        guard typed.count <= lengthLimit else { return [] }
        let threshold = Int(Double(typed.count) * 0.4) + 1
        let found = names.compactMap { name -> (name: String, distance: Int)? in
            if name == text { return (name, 0) }
            let other = Array(name.lowercased().utf8)
            if other == typed { return (name, 1) }
            guard abs(other.count - typed.count) <= threshold else { return nil }
            let distance = distance(typed, other)
            return distance <= threshold ? (name, distance) : nil
        }
        return found.sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }.map(\.name)
    }

    /// Returns the question whether the developer meant one of some names, after a space; empty for no names.
    static func question(_ names: [String], _ words: String = "") -> String {
        let quoted = names.prefix(limit).map { "'\($0)'" }
        let lead = " Did you mean " + (words.isEmpty ? "" : words + " ")
        switch quoted.count {
        case 0: return ""
        case 1: return lead + quoted[0] + "?"
        case 2: return lead + quoted[0] + " or " + quoted[1] + "?"
        default: return lead + quoted.dropLast().joined(separator: ", ") + ", or " + quoted[quoted.count - 1] + "?"
        }
    }

    /// How many letters must be inserted, left out, replaced, or swapped with their neighbour (Damerau, Levenshtein).
    private static func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
        var (before, last) = ([Int](), Array(0...other.count))
        for (row, letter) in one.enumerated() {
            var current = [row + 1]
            for (column, letter2) in other.enumerated() {
                var best = min(last[column + 1] + 1, current[column] + 1, last[column] + (letter == letter2 ? 0 : 1))
                if row > 0, column > 0, letter == other[column - 1], one[row - 1] == letter2 {
                    best = min(best, before[column - 1] + 1)
                }
                current.append(best)
            }
            (before, last) = (last, current)
        }
        return last[other.count]
    }
}
