/// Checks the number that an option sets. Every comparison with "not a number" fails, so no range admits it.
///
/// - Returns: the sentence that states the range; nil if the number is in it.
package func refusal<Number: Comparable>(
    of number: Number, outside range: ClosedRange<Number>, option: String
) -> String? {
    guard !range.contains(number) else { return nil }
    func text(_ bound: Number) -> String {
        let text = "\(bound)"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
    return "\(option) must be between \(text(range.lowerBound)) and \(text(range.upperBound)), not \(text(number))"
}
