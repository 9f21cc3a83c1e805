/// How much one piece of reading may take: whoever runs it sets one, and the loops that read ask it.
///
/// Loops count their steps with `spendSteps` and end when it returns false. A result that was cut short is worth
/// nothing: whoever set the bound looks at it before using one.
package protocol WorkBound: AnyObject, Sendable {
    /// Counts steps.
    ///
    /// - Returns: whether the work may go on.
    func spendSteps(_ count: Int) -> Bool

    /// Makes sure that the work may go on.
    ///
    /// - Throws: when it may not.
    func check() throws
}

/// The bound of what this thread does at the moment.
package enum BoundedWork {
    /// nil where nothing is bounded.
    @TaskLocal package static var bound: (any WorkBound)?

    /// Steps that looking for a pattern in a text counts as.
    package static let stepsOfPattern = 256
}
