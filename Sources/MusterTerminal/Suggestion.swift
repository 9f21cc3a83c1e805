import Foundation

/// Existing names that a person may have meant by a mistyped one.
package enum Suggestion {
    /// Returns " Did you mean north?", or "" if no name is near. A near name differs by at most one typing error or, if
    /// `name` has six characters or more, two.
    package static func sentence(for name: String, among names: some Collection<String>) -> String {
        let limit = name.count < 6 ? 1 : 2
        let near = names.filter { edits(from: name.lowercased(), to: $0.lowercased()) <= limit }
        return near.isEmpty ? "" : " Did you mean \(near.sorted().prefix(3).joined(separator: " or "))?"
    }

    /// A list of names for an error message; a long list is shortened.
    package static func list(_ names: some Collection<String>) -> String {
        if names.isEmpty { return "none" }
        let shown = names.sorted().prefix(10).joined(separator: ", ")
        return names.count > 10 ? "\(shown) and \(names.count - 10) more" : shown
    }

    /// The Levenshtein distance: the smallest number of characters to insert, delete or replace.
    private static func edits(from left: String, to right: String) -> Int {
        let right = Array(right)
        var row = Array(0...right.count)
        for (index, character) in left.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for place in right.indices {
                let replaced = diagonal + (character == right[place] ? 0 : 1)
                diagonal = row[place + 1]
                row[place + 1] = min(replaced, row[place] + 1, diagonal + 1)
            }
        }
        return row[right.count]
    }
}
