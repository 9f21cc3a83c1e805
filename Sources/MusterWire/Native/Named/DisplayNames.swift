/// The display names of users that an answer names by their sign-in names.
package typealias DisplayNames = [String: String]

extension JSONWriter {
    /// Writes `displayNames`, an object with a member for each user of the answer who has a display name: the sign-in
    /// name, and the display name. Writes nothing where there is none.
    package mutating func member(displayNames names: DisplayNames) {
        guard !names.isEmpty else { return }
        key("displayNames")
        beginObject()
        for (name, displayName) in names.sorted(by: { $0.key < $1.key }) {
            key(name)
            value(displayName)
        }
        endObject()
    }
}
