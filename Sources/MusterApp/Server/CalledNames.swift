import Foundation
import MusterWire

/// What users are called: by the display name where an admin entered one, else by the sign-in name. Of users who go by
/// one name each is told apart by the sign-in name.
struct CalledNames: Hashable, Sendable {
    /// The display names, by sign-in name; nil for a user without one.
    private var names: [String: String?] = [:]
    /// Who goes by each name, made comparable; nil where several do.
    private var owners: [String: String?] = [:]

    /// Takes in names; these replace what was known of the same users.
    ///
    /// - Complexity: O(the known names) where any of them is new.
    mutating func learn(_ told: some Sequence<(user: String, displayName: String?)>) {
        var isNew = false
        for (user, name) in told where names[user] != .some(name) {
            names.updateValue(name, forKey: user)
            isNew = true
        }
        guard isNew else { return }
        owners = [:]
        for (user, name) in names {
            for each in Set([user, name ?? user].map(Self.comparable)) {
                let isTaken = owners[each] != nil
                owners.updateValue(isTaken ? nil : user, forKey: each)
            }
        }
    }

    /// Takes in the `displayNames` of an answer or a change.
    mutating func learn(from value: JSONValue) {
        learn((value["displayNames"]?.members ?? []).map { (user: $0.key, displayName: $0.value.string) })
    }

    /// What a user is called.
    func name(of user: String) -> String {
        guard let name = names[user] ?? nil else { return user }
        return owners[Self.comparable(name)] == .some(user) ? name : Self.whole(user, name)
    }

    /// The display names of those of these users who have one.
    func displayNames(of users: some Sequence<String>) -> [String: String] {
        users.reduce(into: [:]) { found, user in found[user] = names[user] ?? nil }
    }

    /// For example `Ana Ruiz (aruiz)`.
    static func whole(_ user: String, _ displayName: String?) -> String {
        displayName.map { "\($0) (\(user))" } ?? user
    }

    /// A name as a person compares it: without capitals and invisible characters, and with spaces of any width alike.
    /// The non-joiner is one of them, as a gap shows where it stands.
    private static func comparable(_ name: String) -> String {
        var seen = String.UnicodeScalarView()
        for scalar in name.precomposedStringWithCompatibilityMapping.unicodeScalars {
            if scalar == "\u{200C}" {
                seen.append(" ")
            } else if !scalar.properties.isDefaultIgnorableCodePoint {
                seen.append(scalar)
            }
        }
        return String(seen).folding(options: [.caseInsensitive, .widthInsensitive], locale: nil)
            .split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
