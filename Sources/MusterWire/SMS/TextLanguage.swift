/// A language in which people write texts, and in which they are answered. The raw value is its code.
package enum TextLanguage: String, CaseIterable, Sendable {
    case english = "en"
    case spanish = "es"
    case japanese = "ja"
    case chinese = "zh"
}
