/// Checks and matches topic names and topic filters (MQTT 5.0, section 4.7).
package enum MQTTTopic {
    /// Returns whether a text is a valid topic name.
    package static func isName(_ text: String) -> Bool {
        !text.isEmpty && !text.utf8.contains { $0 == plus || $0 == hash || $0 == 0 }
    }

    /// Returns whether a text is a valid topic filter. `+` matches one level, and a final `#` matches all further
    /// levels.
    package static func isFilter(_ text: String) -> Bool {
        guard !text.isEmpty, !text.utf8.contains(0) else { return false }
        let levels = text.utf8.split(separator: slash, omittingEmptySubsequences: false)
        for (index, level) in levels.enumerated() {
            if level.contains(plus), level.count > 1 { return false }
            if level.contains(hash), level.count > 1 || index < levels.count - 1 { return false }
        }
        return true
    }

    /// Returns whether a filter matches a topic name. A wildcard in the first level does not match names that begin
    /// with `$`; `a/#` also matches `a`.
    ///
    /// Complexity: O(n + m) in the lengths of the filter and the name.
    package static func matches(_ filter: String, _ name: String) -> Bool {
        let (filter, name) = (Substring(filter).utf8, Substring(name).utf8)
        if let first = filter.first, first == plus || first == hash, name.first == dollar { return false }
        var wanted = filter
        var levels: Substring.UTF8View? = name
        while true {
            let end = wanted.firstIndex(of: slash)
            let level = wanted[..<(end ?? wanted.endIndex)]
            if level.elementsEqual([hash]) { return true }
            guard let left = levels else { return false }
            let nameEnd = left.firstIndex(of: slash)
            guard level.elementsEqual([plus]) || level.elementsEqual(left[..<(nameEnd ?? left.endIndex)]) else {
                return false
            }
            levels = nameEnd.map { left[left.index(after: $0)...] }
            guard let end else { return levels == nil }
            wanted = wanted[wanted.index(after: end)...]
        }
    }

    private static let plus = UInt8(ascii: "+")
    private static let hash = UInt8(ascii: "#")
    private static let slash = UInt8(ascii: "/")
    private static let dollar = UInt8(ascii: "$")
}
