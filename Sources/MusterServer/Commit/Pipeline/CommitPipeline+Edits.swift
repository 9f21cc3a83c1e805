import MusterCore
import MusterStore

/// Carries out edits, and decides their consequences for people who have not moved.
extension CommitPipeline {
    /// Edits that were carried out on disk.
    struct Edited<Result> {
        var result: Result
        var edits: [Edit]
        /// The lines that the edits add to records of incidents.
        var rollEntries: [IncidentEntry]
        /// The muster regions by rule after the edits; nil where the edits do not change them.
        var muster: Set<RegionNumber>?
    }

    /// Carries out edits. In the same transaction, decides again the safety of every person whom the edits affect, so
    /// that nobody counts as safe in a muster region that no longer exists in that form.
    ///
    /// - Parameters:
    ///   - body: carries the edits out on disk and returns them.
    ///   - adopted: called with the edits and the muster regions by rule once they are on disk, before anything else is
    ///     decided.
    /// - Throws: the errors of `body` or the store; then nothing has changed.
    mutating func edit<Result>(
        now: Instant, _ body: (CommitPipeline, any StoreTransaction) throws -> Edited<Result>,
        adopted: ([Edit], Set<RegionNumber>?) -> Void
    ) throws -> Result {
        var outcome: Edited<Result>?
        var staged: Engine?
        var isStaged = false
        try transact(now: now) { pipeline, transaction in
            let edited = try body(pipeline, transaction)
            outcome = edited
            guard let next = pipeline.decideConsequences(of: edited, now: now) else { return }
            try pipeline.append(to: transaction, now: now)
            staged = next
        } beforeAdopting: { pipeline in
            guard let next = staged.take() else { return }
            pipeline.engine = next
            isStaged = true
        }
        guard let outcome else { preconditionFailure("a transaction that did not throw has run its body") }
        adopted(outcome.edits, outcome.muster)
        if !isStaged { engine.enter(outcome.rollEntries) }
        // Edits of people and devices take effect in any case. If the disk refuses the review, the next sweep does it.
        var isReviewDue = false
        for edit in outcome.edits where !edit.isOfWhatIsCrossed && engine.apply(edit) { isReviewDue = true }
        if isReviewDue { try? review(now: now) }
        return outcome.result
    }

    /// Carries out edits as `edit` does, lets `look` see what the engine decided, and undoes everything: nothing is
    /// stored, announced or adopted.
    ///
    /// - Parameter look: gets the result of `body`, the engine before the edits, and the engine after them with the
    ///   first slice of their review in the decision.
    /// - Throws: the errors of `body` or the store, as `edit` would.
    mutating func rehearse<Result, Outlook>(
        now: Instant, _ body: (CommitPipeline, any StoreTransaction) throws -> Edited<Result>,
        _ look: (Result, Engine, Engine, Decision) -> Outlook
    ) throws -> Outlook {
        var outlook: Outlook?
        do {
            try transact(now: now) { pipeline, transaction in
                let edited = try body(pipeline, transaction)
                let next = pipeline.decideConsequences(of: edited, now: now) ?? pipeline.engine
                outlook = look(edited.result, pipeline.engine, next, pipeline.decision)
                // The error rolls the transaction back, and discards the decision.
                throw RehearsalOver()
            }
        } catch is RehearsalOver {}
        guard let outlook else { preconditionFailure("a rehearsal that did not throw has looked") }
        return outlook
    }

    /// Ends the transaction of a rehearsal.
    private struct RehearsalOver: Error {}

    /// Decides again how people stand whom edits of regions, links and policies concern: one slice of devices.
    ///
    /// - Returns: the engine with the edits of regions, links and policies; nil if there are none. The decision holds
    ///   the states to adopt with it.
    private mutating func decideConsequences<Result>(of edited: Edited<Result>, now: Instant) -> Engine? {
        // The copy of the engine holds regions and links only by number. People and devices are applied later.
        let crossed = edited.edits.filter(\.isOfWhatIsCrossed)
        guard !crossed.isEmpty || edited.muster != nil || engine.reassigns(edited.edits) else { return nil }
        var next = engine
        next.enter(edited.rollEntries)
        next.reassign(following: edited.edits, now: now, into: &decision)
        for edit in crossed { next.apply(edit) }
        if let muster = edited.muster { next.setMusterByRule(muster) }
        next.review(now: now, into: &decision)
        return next
    }

    /// Decides one slice of the review that edits made necessary.
    ///
    /// - Throws: the store's errors; then the slice stays due.
    mutating func review(now: Instant) throws {
        guard engine.isReviewDue else { return }
        engine.review(now: now, into: &decision)
        try keepDecision(now: now)
    }
}

extension Edit {
    /// Whether the edit concerns trackers, collections or regions, and not people or devices.
    fileprivate var isOfWhatIsCrossed: Bool {
        switch self {
        case .putTracker, .removeTracker, .putCollection, .removeCollection, .putRegion, .removeRegion: true
        default: false
        }
    }
}
