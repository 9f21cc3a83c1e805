import MusterCore
import MusterStore

/// Edits, and what follows from them for people who stand where they stood.
extension CommitPipeline {
    /// Edits that were carried out on disk.
    struct Edited<Result> {
        var result: Result
        var edits: [Edit]
        /// The lines that they add to records of incidents.
        var rollEntries: [IncidentEntry]
        /// The regions that rules make muster regions then; nil where these are the same as before.
        var muster: Set<RegionNumber>?
    }

    /// Carries out edits, and decides anew in the same transaction where everyone stands whom they move: nobody is safe
    /// in a muster region as it was before.
    ///
    /// - Parameters:
    ///   - body: carries them out on disk, and says what they are.
    ///   - adopted: called with the edits and the muster regions by rule once they are on disk, before anything else is
    ///     decided.
    /// - Throws: what `body` or the store throws; then nothing happened.
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
            // Numbers of regions and links are copied, people and devices are not: they follow below.
            let crossed = edited.edits.filter(\.isOfWhatIsCrossed)
            if !crossed.isEmpty || edited.muster != nil || pipeline.engine.reassigns(edited.edits) {
                var next = pipeline.engine
                next.enter(edited.rollEntries)
                next.reassign(following: edited.edits, now: now, into: &pipeline.decision)
                for edit in crossed { next.apply(edit) }
                if let muster = edited.muster { next.setMusterByRule(muster) }
                next.review(now: now, into: &pipeline.decision)
                try pipeline.append(to: transaction, now: now)
                staged = next
            }
        } beforeAdopting: { pipeline in
            guard let next = staged.take() else { return }
            pipeline.engine = next
            isStaged = true
        }
        guard let outcome else { preconditionFailure("a transaction that did not throw has run its body") }
        adopted(outcome.edits, outcome.muster)
        if !isStaged { engine.enter(outcome.rollEntries) }
        // What people and devices there are stands whatever becomes of the rest; what the disk refuses of that is made
        // up for by the next sweep.
        var isReviewDue = false
        for edit in outcome.edits where !edit.isOfWhatIsCrossed && engine.apply(edit) { isReviewDue = true }
        if isReviewDue { try? review(now: now) }
        return outcome.result
    }

    /// Decides a slice of what follows from edits and is not decided yet.
    ///
    /// - Throws: what the store throws; then it remains to be decided.
    mutating func review(now: Instant) throws {
        guard engine.isReviewDue else { return }
        engine.review(now: now, into: &decision)
        try keepDecision(now: now)
    }
}

extension Edit {
    /// Whether it is of regions or of who crosses them, and not of people and devices.
    fileprivate var isOfWhatIsCrossed: Bool {
        switch self {
        case .putTracker, .removeTracker, .putCollection, .removeCollection, .putRegion, .removeRegion: true
        default: false
        }
    }
}
