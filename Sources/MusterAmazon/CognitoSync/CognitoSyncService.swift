import HTTPTypes
import MusterCore
import MusterServer
import MusterWire

/// Amazon Cognito Sync for unmodified AWS clients (rest-json, 2014-06-30; docs/push-sync.md).
///
/// An identity is a user or a guest, an identity pool is a team (`CognitoID`). Datasets are those of the native API.
/// A caller reaches its own identity alone; an admin also reads how much each identity stores, but no record.
struct CognitoSyncService: AmazonRESTService {
    let coordinator: StoreCoordinator
    let guestLimiter: GuestLimiter
    let keys: AmazonKeys
    let pushes: PushDispatcher
    let trigger: SyncTrigger
    let publisher: BulkPublisher
    let vault: SecretVault

    static let title = "Amazon Cognito Sync"
    static let signingName = "cognito-sync"
    static let contentType = "application/x-amz-json-1.1"
    static let errorNames = [
        "ValidationException": "InvalidParameterException", "AccessDeniedException": "NotAuthorizedException",
        "ThrottlingException": "TooManyRequestsException", "InternalServerException": "InternalErrorException",
        "ServiceQuotaExceededException": "LimitExceededException", "ConflictException": "ResourceConflictException",
    ]
    /// The largest body of `UpdateRecords`, in bytes: a dataset, and what JSON adds to it.
    static let updateLimit = 4 << 20

    static let pools = "/identitypools"
    static let pool = "\(pools)/{pool}"
    static let identity = "\(pool)/identities/{identity}"
    static let dataset = "\(identity)/datasets/{dataset}"

    /// Adds all routes, at the paths that clients know and below `/aws`.
    func register(in routes: inout RouteTable) {
        addDatasets(to: &routes)
        addRecords(to: &routes)
        addUsage(to: &routes)
        addDevices(to: &routes)
        addPools(to: &routes)
        addStreams(to: &routes)
    }

    /// The roles that may call operations on datasets. Each caller reaches its own datasets alone.
    static let owners = Route.Admission.everyRole.union([.guest])

    /// The caller's own identity, which the path must name.
    ///
    /// - Throws: `AmazonError` for a pool that does not exist, and for an identity that is not the caller's.
    func ownIdentity(_ call: AmazonCall) throws(AmazonError) -> SyncIdentity {
        let pool = try pool(call)
        let text = try call.parameter("identity")
        try require(text, isID: "IdentityId")
        let own = SyncIdentity(call.principal, in: coordinator.origin)
        guard text == own.text, own.guest == nil || own.pool == pool else {
            throw .denied("Access to Identity '\(text)' is forbidden.")
        }
        return own
    }

    /// The team whose pool the path names; nil for the pool of users without a team.
    func pool(_ call: AmazonCall) throws(AmazonError) -> TeamNumber? {
        let text = try call.parameter("pool")
        try require(text, isID: "IdentityPoolId")
        guard case .pool(let team) = coordinator.origin.cognitoID(text),
            team.map({ coordinator.directory.teams[$0] != nil }) ?? true
        else { throw .notFound("IdentityPool '\(text)' not found.") }
        return team
    }

    /// The name of the dataset in the path.
    func datasetName(_ call: AmazonCall) throws(AmazonError) -> String {
        let name = try call.parameter("dataset")
        guard DatasetLimits.isName(name) else {
            throw .validation("DatasetName", "must satisfy regular expression pattern: [a-zA-Z0-9_.:-]+")
        }
        return name
    }

    private func require(_ text: String, isID field: String) throws(AmazonError) {
        guard CognitoID.hasForm(text), text.utf8.count <= CognitoID.lengthLimit else {
            throw .validation(field, "must satisfy regular expression pattern: [\\w-]+:[0-9a-f-]+")
        }
    }

    /// The `maxResults` of the query.
    func pageSize(_ call: AmazonCall, most: Int) throws(AmazonError) -> Int {
        guard let text = Query(call.request).text("maxResults") else { return most }
        guard let number = Int(text), number > 0 else {
            throw .validation("MaxResults", "must be a whole number greater than 0")
        }
        return min(number, most)
    }
}

/// The identity whose datasets an operation is about: the caller's own.
struct SyncIdentity: Sendable {
    /// The identity as clients name it.
    let text: String
    /// The number under which the datasets are stored. For a guest who has stored nothing, it is a number that nobody
    /// has.
    let owner: UserNumber
    /// The team whose pool the identity is of; nil for the pool of users without a team.
    let pool: TeamNumber?
    let guest: GuestID?

    init(_ principal: Principal, in origin: EventOrigin) {
        guest = principal.guest?.id
        owner = principal.guest?.number ?? principal.user
        pool = principal.guest.map(\.id.pool) ?? principal.team
        text = guest.map { origin.text(of: $0) } ?? origin.text(of: .identity(owner))
    }
}

extension AmazonError {
    /// The error for an update that the sync trigger's target refused.
    init(mapping fault: SyncTriggerError) {
        switch fault {
        case .invalidAnswer(let words): self.init(400, "InvalidLambdaFunctionOutputException", words)
        case .throttled:
            self.init(429, "LambdaThrottledException", "The sync trigger's target did not answer in time.")
        }
    }

    /// The error for an update of a dataset that changed nothing.
    init(mapping fault: DatasetError) {
        switch fault {
        case .conflict(let key, let count):
            self.init(
                409, "ResourceConflictException", "Current SyncCount for: \(key), is: \(count).")
        case .noDataset(let name): self = .notFound("Dataset: \(name) does not exist.")
        case .invalid, .repeatedKey: self.init(400, "InvalidParameterException", fault.description)
        case .overLimit: self.init(400, "LimitExceededException", fault.description)
        case .merged: self = .denied(fault.description)
        }
    }
}

extension JSONWriter {
    /// Writes a time as seconds since 1970, with milliseconds.
    mutating func amazonEpoch(_ key: StaticString, _ moment: Instant) {
        member(key, Double(moment.milliseconds) / 1_000)
    }
}
