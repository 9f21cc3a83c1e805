/// A limit on the work of one read. The caller that runs the read sets it, and the loops of the read count against it.
///
/// A loop counts its steps with `spendSteps`, and ends when that returns false. The result is then incomplete, so the
/// caller checks the bound before it uses a result.
package protocol WorkBound: AnyObject, Sendable {
    /// Counts steps.
    ///
    /// - Returns: whether the work may continue.
    func spendSteps(_ count: Int) -> Bool

    /// Checks that the work may continue.
    ///
    /// - Throws: an error when the limit is reached.
    func check() throws
}

/// The bound of the current task's work.
package enum BoundedWork {
    /// The bound; nil when there is none.
    @TaskLocal package static var bound: (any WorkBound)?

    /// How many steps a search for a pattern in a text counts as.
    package static let stepsOfPattern = 256
}
