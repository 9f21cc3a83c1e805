import ArgumentParser
import MusterTerminal

extension ValidationError {
    /// Checks the number that an option sets.
    ///
    /// - Throws: `ValidationError` that states the range.
    static func require<Number: Comparable>(
        _ option: String, _ number: Number, in range: ClosedRange<Number>
    ) throws {
        if let words = refusal(of: number, outside: range, option: option) { throw ValidationError(words) }
    }
}
