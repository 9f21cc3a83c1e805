package import MusterCore
package import MusterDocuments

/// Where Muster keeps what it knows: the numbered log, the history of positions, the directory, the credentials.
///
/// There is one writer. `write` is called from one thread at a time (the server's writer thread), runs one
/// transaction, and when it has returned everything in it survives `kill -9` and power loss. Reads come from any
/// thread, block it (never call them on the cooperative pool), and see every transaction whose `write` has returned.
///
/// `MemoryStore` and `SQLiteStore` pass one suite, `Tests/Conformance`.
package protocol Store: SafetyStore, DatasetStore, AnyObject, Sendable {
    /// Runs one transaction: all of it is durable when this returns, none of it has happened when this throws.
    ///
    /// - Parameter committedAt: the time that the log notes for every change appended.
    /// - Throws: `StoreError` when the disk or the database fails, or what `body` throws.
    func write<Result>(at committedAt: Instant, _ body: (any StoreTransaction) throws -> Result) throws -> Result

    /// What this store is called: a UUID of its own, given once.
    func uuid() throws -> String

    /// The number of the newest committed change; `.zero` before the first.
    var lastSequence: LogSequence { get }

    /// Changes after `sequence` in order, at most `limit`, none beyond `lastSequence`; a commit is split only when it
    /// alone is larger.
    ///
    /// Changes about a removed device or user are left out, so that the numbers have gaps after a removal. An empty
    /// result means that no changes are left up to the value that `lastSequence` had before the call.
    ///
    /// - Throws: `StoreError.trimmed` when changes after `sequence` are no longer kept.
    func changes(since sequence: LogSequence, limit: Int) throws -> [LoggedChange]

    /// Positions of a device with a sample time in `[from, to)`, oldest first, at most `limit`, beginning after
    /// `cursor` when there is one. Late and current positions alike, merged or still staged.
    func positions(
        of device: DeviceNumber, from: Instant, to: Instant, after cursor: HistoryCursor?, limit: Int
    ) throws -> [Position]

    /// The newest position (by sample time) of every device that has one.
    func latestPositions() throws -> [(device: DeviceNumber, position: Position)]

    /// Sightings of a device with a sample time in `[from, to)`, oldest first and those of one moment beacon by beacon,
    /// at most `limit`, beginning after `cursor` when there is one.
    func sightings(
        of device: DeviceNumber, from: Instant, to: Instant, after cursor: SightingKey?, limit: Int
    ) throws -> [Sighting]

    /// The newest sample time before `end` of every device of the directory that has sightings.
    func latestSightings(before end: Instant) throws -> [(device: DeviceNumber, sampleTime: Instant)]

    /// What a device says of itself, all or one kind of it, by kind and then by the bytes of the key, at most `limit`,
    /// beginning after `cursor` when there is one.
    func notes(
        of device: DeviceNumber, kind: DeviceNote.Kind?, after cursor: DeviceNote.Name?, limit: Int
    ) throws -> [DeviceNote]

    /// The card of each of these devices that has one.
    func cards(of devices: [DeviceNumber]) throws -> [DeviceNumber: DeviceNote]

    /// The presences last set with `setPresences`, of every device that has any.
    func presences() throws -> [(device: DeviceNumber, presences: [Presence])]

    /// The refuges last set with `setRefuges`, of every device that has any.
    func refuges() throws -> [(device: DeviceNumber, refuges: [Presence])]

    /// The records last set with `setRecord`, of every device that has one, each with the number of the last change
    /// that it has followed.
    func records() throws -> [(device: DeviceNumber, sequence: LogSequence, record: DeviceRecord)]

    /// The number last set with `setRecorded`: of every device that a change up to it moved there is a record that
    /// has followed it.
    var recordedThrough: LogSequence { get throws }

    /// What `setReviewing` said last; false before.
    var isReviewing: Bool { get throws }

    /// The safety last set with `setSafety`, of every user that has one.
    func safety() throws -> [(user: UserNumber, safety: Safety)]

    /// Everything in the directory.
    func directory() throws -> StoredDirectory

    /// The regions of every collection, in number order.
    func regions() throws -> [Region]

    /// That databases were made and removed after a change, in order; from the beginning for 0. A user's goes with the
    /// user, and of removed ones the newest `DatabaseEvent.removalLimit` are remembered.
    func databaseEvents(since sequence: LogSequence) throws -> [DatabaseEvent]

    /// Runs `body` with a look at the documents and at the positions, all of it of one moment. It may be run more than
    /// once, until one moment holds.
    ///
    /// - Throws: `StoreError`, or what `body` throws.
    func readDocuments<Result>(_ body: (any DocumentReader, any PositionReader) throws -> Result) throws -> Result

    /// The credential with this kind and key.
    func credential(_ kind: Credential.Kind, key: [UInt8]) throws -> Credential?

    /// All credentials of a kind, by key.
    func credentials(_ kind: Credential.Kind) throws -> [Credential]

    /// The credentials of a kind that a user has, by key. Costs what these are, however many others have.
    func credentials(_ kind: Credential.Kind, of user: UserNumber) throws -> [Credential]

    /// The number of the newest committed delivery, whatever became of it; `.zero` before the first.
    var lastDelivery: DeliveryNumber { get }

    /// How many deliveries wait.
    var pendingDeliveryCount: Int { get }

    /// Deliveries that wait, after a number, in order, at most `limit`.
    func pendingDeliveries(after number: DeliveryNumber, limit: Int) throws -> [PendingDelivery]

    /// Those of these deliveries that still wait, with their bodies, in the order asked for.
    func deliveries(_ numbers: [DeliveryNumber]) throws -> [Delivery]

    /// Dead letters after a number, of one target or of all, in order, without their bodies, at most `limit`.
    func deadLetters(of target: TargetNumber?, after number: DeliveryNumber, limit: Int) throws -> [DeadLetter]

    /// A dead letter with its body.
    func deadLetter(_ number: DeliveryNumber) throws -> DeadLetter?

    /// How many dead letters there are, of each target that has any.
    func deadLetterCounts() throws -> [TargetNumber: Int]

    /// Forgets positions and sightings with a sample time before `horizon`, and changes committed and dead letters
    /// given up before it. Works in slices of bounded size so that a writer never waits long.
    ///
    /// - Parameter limit: about how many positions, sightings, commits, and dead letters, one call may forget of each.
    /// - Returns: how many of all these were forgotten; call again while it is not 0.
    func forget(before horizon: Instant, limit: Int) throws -> Int

    /// Erases some of a device's positions that a transaction marked as forgotten. Call it on the writer's thread until
    /// none are left. `settle` erases their entries in the log.
    ///
    /// - Parameter limit: about how many positions one call may erase: a call is one short transaction.
    /// - Returns: whether some are left in the device's history.
    func erasePositions(of device: DeviceNumber, limit: Int) throws -> Bool

    /// Does waiting work that need not be done in anyone's transaction: puts staged positions into their devices'
    /// order once there are enough of them, erases what was removed. Call it on the writer's thread when nothing waits.
    ///
    /// - Parameter limit: about how many positions one call may move: a call is one short transaction.
    /// - Returns: whether work is left.
    @discardableResult
    func settle(limit: Int) throws -> Bool

    /// Does that part of `settle` which need not wait until nobody else waits: erases documents that were removed.
    /// Call it on the writer's thread.
    ///
    /// - Parameter limit: about how many documents one call may erase: a call is one short transaction.
    /// - Returns: whether some are left.
    @discardableResult
    func eraseDocuments(limit: Int) throws -> Bool

    /// The number of bytes stored per device and per database. The store maintains the counts on every write, so that
    /// this reads one row for each.
    func usage() throws -> StoredUsage

    /// Copies the whole store, consistent at one moment, to a new file while reads and writes go on.
    ///
    /// - Throws: `StoreError.backup` when the file exists already or cannot be written.
    func backup(to path: String) throws

    /// Performs a write that changes no data, to test whether the disk accepts writes.
    ///
    /// - Throws: `StoreError` when it does not.
    func testWriting() throws

    /// What is known to be damaged without looking for it, in a person's words: found when the store was opened, or
    /// since by reads, which returned nothing of it.
    var knownDamage: [String] { get }

    /// Looks for damage; returns what it found, in a person's words, empty when all is well.
    func check() throws -> [String]

    /// Flushes and closes. No call may follow.
    func close() throws
}

/// What one transaction may write. Valid only inside the `write` that lent it.
package protocol StoreTransaction: SafetyTransaction, DatasetTransaction, AnyObject {
    /// Appends a change to the log, a position or sighting also to its device's history, a declaration to its
    /// subject's, and puts an incident.
    ///
    /// A position, sighting or declaration that the store already holds must not be appended: ask `holds` first.
    ///
    /// - Returns: the change's number.
    @discardableResult
    func append(_ change: Change) throws -> LogSequence

    /// Whether a position of this device with this sample time and coordinate is stored, in this transaction or before.
    func holds(_ position: Position, of device: DeviceNumber) throws -> Bool

    /// Whether a sighting of this device with this sample time and beacon is stored, in this transaction or before.
    func holds(_ sighting: Sighting, of device: DeviceNumber) throws -> Bool

    /// The note of this name, as this transaction sees it.
    func note(_ name: DeviceNote.Name, of device: DeviceNumber) throws -> DeviceNote?
    /// Inserts or replaces by name. The caller appends the `Change` that says so. One waypoint too many takes the place
    /// of the device's that was received first.
    func put(_ note: DeviceNote, of device: DeviceNumber) throws

    /// Replaces what a device is inside of.
    func setPresences(_ presences: [Presence], of device: DeviceNumber) throws
    /// Replaces how a device stands to the muster regions of raw collections.
    func setRefuges(_ refuges: [Presence], of device: DeviceNumber) throws
    /// Replaces the state of a device that a restart needs. It must include every change appended so far.
    func setRecord(_ record: DeviceRecord, of device: DeviceNumber) throws
    /// Records that every device's record includes all changes up to `sequence`.
    func setRecorded(through sequence: LogSequence) throws

    /// Notes whether devices still wait for what an edit makes of their standings.
    func setReviewing(_ isReviewing: Bool) throws
    /// Replaces a person's safety.
    func setSafety(_ safety: Safety, of user: UserNumber) throws

    /// A number never given before for this kind of entity.
    func nextUserNumber() throws -> UserNumber
    func nextTeamNumber() throws -> TeamNumber
    func nextDeviceNumber() throws -> DeviceNumber
    func nextTrackerNumber() throws -> TrackerNumber
    func nextCollectionNumber() throws -> CollectionNumber
    func nextRegionNumber() throws -> RegionNumber
    func nextRuleNumber() throws -> RuleNumber
    func nextTargetNumber() throws -> TargetNumber

    /// Inserts or replaces by number. The caller appends the `Change` that says so.
    func put(_ user: User) throws
    func put(_ team: Team) throws
    /// A device that comes to another owner takes its credentials along.
    func put(_ device: Device) throws
    func put(_ tracker: Tracker) throws
    func put(_ collection: RegionCollection) throws
    func put(_ region: Region) throws
    func put(_ rule: Rule) throws
    func put(_ target: Target) throws

    /// Removes by number; a removed device takes its positions, sightings, notes, presences, credentials and what is on
    /// its way to targets about it with it, a user its devices, safety, datasets, credentials and deliveries, a collection its
    /// regions, a target its deliveries and dead letters. What the log tells of them is gone too: for every reader at
    /// once, from the disk when the store has settled. A number is never used again.
    func remove(_ user: UserNumber) throws
    func remove(_ team: TeamNumber) throws
    func remove(_ device: DeviceNumber) throws
    func remove(_ tracker: TrackerNumber) throws
    func remove(_ collection: CollectionNumber) throws
    func remove(_ region: RegionNumber) throws
    func remove(_ rule: RuleNumber) throws
    func remove(_ target: TargetNumber) throws

    /// Forgets where a device was: every position that was told of until now leaves its history
    /// (`Store.erasePositions`) and what readers see of the log. Its newest position, presences and notes stay, and so
    /// does what was decided by the positions.
    func forgetPositions(of device: DeviceNumber) throws

    /// Notes that the change of this number made a database.
    func noteMade(_ database: DatabaseNumber, at sequence: LogSequence) throws
    /// Notes that the change of this number removed a database that someone had made.
    func noteRemoved(_ database: DatabaseNumber, called name: String, at sequence: LogSequence) throws

    /// The documents. What puts one appends the `Change` that says so.
    var documents: any DocumentWriter { get }

    /// Inserts or replaces the credential with this kind and key.
    func put(_ credential: Credential) throws
    /// Removes a credential; nothing happens when there is none.
    func removeCredential(_ kind: Credential.Kind, key: [UInt8]) throws
    /// The credential with this kind and key, as this transaction sees it.
    func credential(_ kind: Credential.Kind, key: [UInt8]) throws -> Credential?

    /// Stores a delivery, durable with everything else of the transaction. Where as many wait as may, it is a dead
    /// letter at once.
    @discardableResult
    func put(_ delivery: NewDelivery) throws -> DeliveryNumber
    /// Forgets a delivery that arrived; nothing happens when there is none.
    func complete(_ delivery: DeliveryNumber) throws
    /// Notes that an attempt failed, and when the next may be made.
    func postpone(_ delivery: DeliveryNumber, until next: Instant, attempts: Int, error: String) throws
    /// Gives a delivery up: it becomes a dead letter. One too many takes the place of its target's oldest.
    ///
    /// - Parameter error: why; nil leaves what the last attempt failed of.
    func deadLetter(_ delivery: DeliveryNumber, at moment: Instant, attempts: Int, error: String?) throws
    /// Makes dead letters deliveries again, as new as if they were put now and under new numbers, in the order given.
    ///
    /// - Returns: how many of them there were.
    func redrive(_ letters: [DeliveryNumber], at moment: Instant) throws -> Int
    /// Forgets dead letters.
    ///
    /// - Returns: how many of them there were.
    func discard(_ letters: [DeliveryNumber]) throws -> Int
}

/// Everything in the directory, each list in number order.
package struct StoredDirectory: Equatable, Sendable {
    package var users: [User] = []
    package var teams: [Team] = []
    package var devices: [Device] = []
    package var trackers: [Tracker] = []
    package var collections: [RegionCollection] = []
    package var rules: [Rule] = []
    package var targets: [Target] = []
    package var databases: [StoredDatabase] = []

    package init() {}
}

/// A place in a device's history: the last position that a page held.
package struct HistoryCursor: Hashable, Sendable {
    package var sampleTime: Instant
    package var latitude: Double
    package var longitude: Double

    package init(sampleTime: Instant, latitude: Double, longitude: Double) {
        self.sampleTime = sampleTime
        self.latitude = latitude
        self.longitude = longitude
    }
}

/// A secret that someone may present, or that the server signs with. Tokens and keys are stored as their SHA-256.
package struct Credential: Hashable, Sendable {
    /// What it is good for.
    package enum Kind: UInt8, Hashable, Sendable, CaseIterable {
        /// Key: the user's number, 4 bytes big-endian. Secret: the scrypt hash in its text form.
        case password
        /// Key: SHA-256 of the token. Subject: a device.
        case deviceToken
        /// Key: SHA-256 of the API key. Subject: a user.
        case apiKey
        /// Key: SHA-256 of the refresh token. Subject: a user. Secret: the family it belongs to.
        case refreshToken
        /// Key: the key's id. Secret: the private key's raw bytes.
        case signingKey
        /// Key: the device's number, 4 bytes big-endian. Secret: the 32 bytes of the key that seals its reports.
        case encryptionKey
        /// Key: the access key id, in ASCII. Subject: a user. Secret: the secret access key, and for a temporary one
        /// the SHA-256 of its session token behind it, sealed.
        case awsKey
        /// Key: the target's number, 4 bytes big-endian. Secret: what the target is told and signed with, sealed.
        case targetSecret
        /// Key: "mark". Secret: a known text, sealed, by which the key that seals secrets is known again.
        case vaultMark
        /// Key: the user's number, 4 bytes big-endian, and which of the user's it is, 1 byte. Subject: a user. Secret:
        /// the SHA-256 of its password, and behind it the mark of the user's password it was made under.
        case locationKey
    }

    package var kind: Kind
    package var key: [UInt8]
    package var user: UserNumber?
    package var device: DeviceNumber?
    /// What a person calls it.
    package var label: String
    package var secret: [UInt8]
    package var createdAt: Instant
    /// nil: never.
    package var expiresAt: Instant?
    /// When it was used up (a rotated refresh token); nil while good.
    package var usedAt: Instant?

    package init(
        kind: Kind, key: [UInt8], user: UserNumber? = nil, device: DeviceNumber? = nil, label: String = "",
        secret: [UInt8] = [], createdAt: Instant, expiresAt: Instant? = nil, usedAt: Instant? = nil
    ) {
        self.kind = kind
        self.key = key
        self.user = user
        self.device = device
        self.label = label
        self.secret = secret
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.usedAt = usedAt
    }
}

/// Why a store could not do it.
package enum StoreError: Error, Equatable, Sendable {
    /// The disk is full or takes no writes: what was asked did not happen, what is stored is safe.
    case unwritable(reason: String)
    /// The database cannot be used now: what was asked did not happen, what is stored is safe.
    case unavailable(reason: String)
    /// The file is damaged, or no database of ours.
    case corrupt(path: String, reason: String)
    /// The database of a folder, or changes that it acknowledged, are gone.
    case lost(path: String, reason: String)
    /// The file was written by a newer Muster.
    case tooNew(path: String, version: Int, known: Int)
    /// Changes after this sequence are no longer kept; the oldest kept is given.
    case trimmed(oldest: LogSequence)
    /// Another process has this store open for writing.
    case inUse(path: String)
    /// A backup was not put in the place of the store.
    case restore(path: String, reason: String)
    /// There is no such file.
    case missing(path: String)
    /// The backup could not be written.
    case backup(path: String, reason: String)
}
