package import MusterCore
package import MusterDocuments

/// Stores what Muster knows: the numbered log, the history of positions, the directory, documents and credentials.
///
/// There is one writer. One thread at a time (the server's writer thread) calls `write`, which runs one transaction;
/// once it returns, the transaction survives `kill -9` and power loss. Any thread may read. A read blocks its thread,
/// so no caller reads on the cooperative pool, and it sees every transaction whose `write` has returned.
///
/// `MemoryStore` and `SQLiteStore` pass one test suite, `Tests/Conformance`.
package protocol Store: SafetyStore, CrewStore, AttendanceStore, ProximityStore, DatasetStore, GuestStore, ReplayStore,
    BulkPublishStore, PushStore, PoolSettingsStore, SignalStore, RangeStore, RefusedReportStore, AnyObject, Sendable
{
    /// Runs one transaction: it is durable when this returns, and nothing of it is stored when this throws.
    ///
    /// - Parameter committedAt: the commit time of every appended change.
    /// - Throws: `StoreError` if the disk or the database fails; what `body` throws.
    func write<Result>(at committedAt: Instant, _ body: (any StoreTransaction) throws -> Result) throws -> Result

    /// Returns the store's UUID, which is made once with its file.
    func uuid() throws -> String

    /// The number of the newest committed change; `.zero` before the first.
    var lastSequence: LogSequence { get }

    /// Returns changes after `sequence` in order: at most `limit`, none after `lastSequence`. It splits a commit only
    /// if that commit alone exceeds the limit.
    ///
    /// Changes about removed devices and users are left out, so a removal leaves gaps in the numbers. An empty result
    /// means that there are no more changes up to the `lastSequence` from before the call.
    ///
    /// - Throws: `StoreError.trimmed` if the log no longer has all changes after `sequence`.
    func changes(since sequence: LogSequence, limit: Int) throws -> [LoggedChange]

    /// Returns positions of a device with a sample time in `[from, to)`, current and late ones, oldest first. At most
    /// `limit`, beginning after `cursor` if it is given.
    func positions(
        of device: DeviceNumber, from: Instant, to: Instant, after cursor: HistoryCursor?, limit: Int
    ) throws -> [Position]

    /// Returns the newest position (by sample time) of every device that has one.
    func latestPositions() throws -> [(device: DeviceNumber, position: Position)]

    /// Returns sightings of a device with a sample time in `[from, to)`, ordered by sample time and then by beacon. At
    /// most `limit`, beginning after `cursor` if it is given.
    func sightings(
        of device: DeviceNumber, from: Instant, to: Instant, after cursor: SightingKey?, limit: Int
    ) throws -> [Sighting]

    /// Returns the newest sample time before `end` of every device of the directory that has sightings.
    func latestSightings(before end: Instant) throws -> [(device: DeviceNumber, sampleTime: Instant)]

    /// Returns the notes of a device, of one kind or of all, ordered by kind and then by the bytes of the key. At most
    /// `limit`, beginning after `cursor` if it is given.
    func notes(
        of device: DeviceNumber, kind: DeviceNote.Kind?, after cursor: DeviceNote.Name?, limit: Int
    ) throws -> [DeviceNote]

    /// Returns the card of each of these devices that has one.
    func cards(of devices: [DeviceNumber]) throws -> [DeviceNumber: DeviceNote]

    /// Returns the presences of every device that has any (`setPresences`).
    func presences() throws -> [(device: DeviceNumber, presences: [Presence])]

    /// Returns the presences in muster regions of raw collections of every device with any (`setMusterPresences`).
    func musterPresences() throws -> [(device: DeviceNumber, presences: [Presence])]

    /// Returns the record of every device that has one (`setRecord`), with the number of the last change that it
    /// includes.
    func records() throws -> [(device: DeviceNumber, sequence: LogSequence, record: DeviceRecord)]

    /// The number last set with `setRecorded`: the record of every device includes all changes up to it.
    var recordedThrough: LogSequence { get throws }

    /// The value last set with `setReviewing`; false before the first.
    var isReviewing: Bool { get throws }

    /// Returns the safety of every user that has one (`setSafety`).
    func safety() throws -> [(user: UserNumber, safety: Safety)]

    func directory() throws -> StoredDirectory

    /// Returns the regions of all collections, in the order of their numbers.
    func regions() throws -> [Region]

    /// Returns when databases were made and removed after a change, in order; `.zero` returns all events. The store
    /// keeps the events of the newest `DatabaseEvent.removalLimit` removed databases.
    func databaseEvents(since sequence: LogSequence) throws -> [DatabaseEvent]

    /// Runs `body` with readers of the documents and of the positions, in one snapshot. The store runs `body` again if
    /// it cannot keep the snapshot.
    ///
    /// - Throws: `StoreError`; what `body` throws.
    func readDocuments<Result>(_ body: (any DocumentReader, any PositionReader) throws -> Result) throws -> Result

    /// Returns the credential of this kind and key; nil if there is none.
    func credential(_ kind: Credential.Kind, key: [UInt8]) throws -> Credential?

    /// Returns all credentials of a kind, ordered by key.
    func credentials(_ kind: Credential.Kind) throws -> [Credential]

    /// Returns a user's credentials of a kind, ordered by key. Complexity: O(credentials of the user).
    func credentials(_ kind: Credential.Kind, of user: UserNumber) throws -> [Credential]

    /// The number of the newest delivery put, even if it is completed since; `.zero` before the first.
    var lastDelivery: DeliveryNumber { get }

    /// The number of waiting deliveries.
    var pendingDeliveryCount: Int { get }

    /// The number of waiting deliveries of each target that has any.
    var pendingDeliveryCounts: [TargetNumber: Int] { get }

    /// The number of deliveries that became dead letters because the queue was full, since the store was opened.
    var refusedDeliveryCount: Int { get }

    /// Counts a target's waiting deliveries and dead letters with a number up to this one, in one snapshot.
    func deliveryCounts(of target: TargetNumber, through number: DeliveryNumber) throws -> DeliveryCounts

    /// Returns waiting deliveries after a number, in order, at most `limit`.
    func pendingDeliveries(after number: DeliveryNumber, limit: Int) throws -> [PendingDelivery]

    /// Returns those of these deliveries that still wait, with their bodies, in the order asked for.
    func deliveries(_ numbers: [DeliveryNumber]) throws -> [Delivery]

    /// Returns waiting deliveries of a target after a number, in order, without their bodies, at most `limit`. Looks at
    /// no more than `DeliveryLimits.lookLimit` of them, so a page may be short, or empty, and not the last.
    func waitingDeliveries(
        of target: TargetNumber, matching filter: WaitingFilter, after number: DeliveryNumber, limit: Int
    ) throws -> WaitingPage

    /// Returns dead letters after a number, in order, without their bodies, at most `limit`.
    ///
    /// - Parameters:
    ///   - target: their target; nil for those of all targets.
    ///   - rule: the name of the rule that made them; nil for those of any rule.
    func deadLetters(
        of target: TargetNumber?, by rule: String?, after number: DeliveryNumber, limit: Int
    ) throws -> [DeadLetter]

    /// Returns a dead letter with its body; nil if there is none.
    func deadLetter(_ number: DeliveryNumber) throws -> DeadLetter?

    /// Returns the number of dead letters of each target that has any.
    func deadLetterCounts() throws -> [TargetNumber: Int]

    /// Deletes what is older than `horizon`: positions, sightings, signals, ranges, declarations, changes with the
    /// location documents that they touched last, and dead letters. Works in slices, so that no writer waits long.
    ///
    /// - Parameter limit: about how many of each a call deletes.
    /// - Returns: how many it deleted in all; the caller calls again until this is 0.
    func forget(before horizon: Instant, limit: Int) throws -> Int

    /// Deletes positions of a device, and ranges from and to it, that a transaction marked with `forgetPositions`. The
    /// writer's thread calls it until nothing is left. `settle` erases their entries in the log.
    ///
    /// - Parameter limit: about how many of each one call deletes in its transaction.
    /// - Returns: whether there are more of them.
    func erasePositions(of device: DeviceNumber, limit: Int) throws -> Bool

    /// Does deferred work: merges staged positions into the history once there are enough, and erases what was removed.
    /// The writer's thread calls it while nothing waits.
    ///
    /// - Parameter limit: about how many positions one call moves in its transaction.
    /// - Returns: whether work is left.
    @discardableResult
    func settle(limit: Int) throws -> Bool

    /// Erases removed documents: the part of `settle` that the writer's thread also does while others wait.
    ///
    /// - Parameter limit: about how many documents one call erases in its transaction.
    /// - Returns: whether there are more.
    @discardableResult
    func eraseDocuments(limit: Int) throws -> Bool

    /// Returns the bytes stored per device and per database. Each write updates the counts, so this reads one row for
    /// each.
    func usage() throws -> StoredUsage

    /// Copies the whole store in one snapshot to a new file, while reads and writes continue.
    ///
    /// - Throws: `StoreError.backup` if the file exists or cannot be written.
    func backup(to path: String) throws

    /// Performs a write that changes no data, to test whether the disk accepts writes.
    ///
    /// - Throws: `StoreError` if it does not.
    func testWriting() throws

    /// The damage found when the store was opened, and by reads since, as lines of text. Reads throw instead of
    /// returning damaged data.
    var knownDamage: [String] { get }

    /// Checks the whole store for damage, and returns a line of text for each finding; empty if there is none.
    func check() throws -> [String]

    /// Flushes and closes the store. No call may follow.
    func close() throws
}

/// Writes in one transaction. Valid only inside the closure that `write` passes it to.
package protocol StoreTransaction: SafetyTransaction, CrewTransaction, TeamRuleTransaction, DatasetTransaction,
    PushTransaction, PoolSettingsTransaction, ObservationTransaction, GuestTransaction, BulkPublishTransaction,
    RefusedReportTransaction, AnyObject
{
    /// Appends a change to the log. Also stores a position, sighting, signal or range in its device's history, a
    /// declaration in its subject's, and an incident. Except for an incident, the caller must not append one that the
    /// store has already: `holds` reports it.
    ///
    /// - Returns: the change's number.
    @discardableResult
    func append(_ change: Change) throws -> LogSequence

    /// Whether a position of this device with this sample time and coordinate is stored, in this transaction or before.
    func holds(_ position: Position, of device: DeviceNumber) throws -> Bool

    /// Whether a sighting of this device with this sample time and beacon is stored, in this transaction or before.
    func holds(_ sighting: Sighting, of device: DeviceNumber) throws -> Bool

    /// Returns a device's note of this name, as this transaction sees it; nil if there is none.
    func deviceNote(_ name: DeviceNote.Name, of device: DeviceNumber) throws -> DeviceNote?
    /// Inserts a note, or replaces the one of its name. The caller appends the `Change` that announces it. A waypoint
    /// beyond `DeviceNote.waypointLimit` replaces the device's waypoint that was received first.
    func put(_ note: DeviceNote, of device: DeviceNumber) throws

    /// Replaces a device's presences.
    func setPresences(_ presences: [Presence], of device: DeviceNumber) throws
    /// Replaces a device's presences in the muster regions of raw collections.
    func setMusterPresences(_ presences: [Presence], of device: DeviceNumber) throws
    /// Replaces the state of a device that a restart needs. It must include every change appended so far.
    func setRecord(_ record: DeviceRecord, of device: DeviceNumber) throws
    /// Records that every device's record includes all changes up to `sequence`.
    func setRecorded(through sequence: LogSequence) throws

    /// Records whether devices still wait for the review that an edit caused.
    func setReviewing(_ isReviewing: Bool) throws
    /// Replaces a person's safety.
    func setSafety(_ safety: Safety, of user: UserNumber) throws

    /// Returns the number for a new entity of this kind. No entity of the kind ever had it.
    func nextUserNumber() throws -> UserNumber
    func nextTeamNumber() throws -> TeamNumber
    func nextDeviceNumber() throws -> DeviceNumber
    func nextTrackerNumber() throws -> TrackerNumber
    func nextCollectionNumber() throws -> CollectionNumber
    func nextRegionNumber() throws -> RegionNumber
    func nextRuleNumber() throws -> RuleNumber
    func nextTargetNumber() throws -> TargetNumber

    /// Inserts an entity, or replaces the one of its number. The caller appends the `Change` that announces it.
    func put(_ user: User) throws
    func put(_ team: Team) throws
    /// If the device gets another owner, its credentials get that owner too.
    func put(_ device: Device) throws
    func put(_ tracker: Tracker) throws
    func put(_ collection: RegionCollection) throws
    func put(_ region: Region) throws
    func put(_ rule: Rule) throws
    func put(_ target: Target) throws

    /// Removes an entity; no other ever gets its number. With a device, it removes the device's positions, sightings,
    /// signals, notes, presences, record, credentials, the ranges from and to it and the deliveries about it; with a
    /// user their devices, safety, declarations, datasets, credentials, push devices, locations and deliveries, and
    /// their display names on incidents whose records do not keep their name; with a team its attendance and proximity
    /// rules; with a collection its regions; with a target its secret, deliveries and dead letters. Readers no longer
    /// see their changes in the log; `settle` erases them from the disk.
    func remove(_ user: UserNumber) throws
    func remove(_ team: TeamNumber) throws
    func remove(_ device: DeviceNumber) throws
    func remove(_ tracker: TrackerNumber) throws
    func remove(_ collection: CollectionNumber) throws
    func remove(_ region: RegionNumber) throws
    func remove(_ rule: RuleNumber) throws
    func remove(_ target: TargetNumber) throws

    /// Removes the positions of a device so far, and the ranges from and to it, from what readers see;
    /// `Store.erasePositions` and `settle` erase them.
    /// Its newest position, its presences, its notes and everything decided by the positions stay.
    func forgetPositions(of device: DeviceNumber) throws

    /// Records that the change of this number made a database.
    func recordDatabaseMade(_ database: DatabaseNumber, at sequence: LogSequence) throws
    /// Records that the change of this number removed a database that a client had made.
    func recordDatabaseRemoved(_ database: DatabaseNumber, called name: String, at sequence: LogSequence) throws

    /// Writes documents. The caller appends the `Change` that announces each write.
    var documents: any DocumentWriter { get }

    /// Inserts a credential, or replaces the one of its kind and key.
    func put(_ credential: Credential) throws
    /// Removes a credential. Does nothing if there is none.
    func removeCredential(_ kind: Credential.Kind, key: [UInt8]) throws
    /// Returns the credential of this kind and key, as this transaction sees it; nil if there is none.
    func credential(_ kind: Credential.Kind, key: [UInt8]) throws -> Credential?

    /// Stores a delivery. Beyond the `DeliveryLimits` of what may wait, it becomes a dead letter at once.
    @discardableResult
    func put(_ delivery: NewDelivery) throws -> DeliveryNumber
    /// Deletes a delivery that arrived. Does nothing if there is none.
    func complete(_ delivery: DeliveryNumber) throws
    /// Records that an attempt failed, and the earliest time of the next one.
    func postpone(_ delivery: DeliveryNumber, until next: Instant, attempts: Int, error: String) throws
    /// Makes a delivery a dead letter. One more than the limit replaces the oldest of its target.
    ///
    /// - Parameter error: the reason; nil keeps the error of the last attempt.
    func deadLetter(_ delivery: DeliveryNumber, at moment: Instant, attempts: Int, error: String?) throws
    /// Makes dead letters deliveries again, in the order given, with new numbers and the time `moment`.
    ///
    /// - Returns: how many of them existed.
    func redrive(_ letters: [DeliveryNumber], at moment: Instant) throws -> Int
    /// Deletes dead letters.
    ///
    /// - Returns: how many of them existed.
    func discard(_ letters: [DeliveryNumber]) throws -> Int
}

/// An error of the store.
package enum StoreError: Error, Equatable, Sendable {
    /// The disk is full or refuses writes. Nothing of the request is stored, and what is stored is safe.
    case unwritable(reason: String)
    /// The database cannot be used now. Nothing of the request is stored, and what is stored is safe.
    case unavailable(reason: String)
    /// The file is damaged, or is not a database of Muster.
    case corrupt(path: String, reason: String)
    /// The database of a folder is gone, or lacks changes that the server acknowledged.
    case lost(path: String, reason: String)
    /// A newer Muster wrote the file.
    case tooNew(path: String, version: Int, known: Int)
    /// The log no longer has all changes after the requested one; it begins with `oldest`.
    case trimmed(oldest: LogSequence)
    /// Another process has this store open for writing.
    case inUse(path: String)
    /// The backup could not replace the store.
    case restore(path: String, reason: String)
    /// The file does not exist.
    case missing(path: String)
    /// The backup could not be written.
    case backup(path: String, reason: String)
}
