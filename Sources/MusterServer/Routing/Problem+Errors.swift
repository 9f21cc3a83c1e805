import HTTPTypes
import Hummingbird
import MusterCore
import MusterStore
import MusterTiles
import MusterWire
import NIOCore

/// Maps errors of other layers to problems (RFC 9457) of the native API.
extension Problem {
    /// Turns an error of any layer into a problem. Only this initializer maps errors to statuses.
    ///
    /// - Returns: nil for an unexpected error.
    package init?(mapping error: any Error) {
        switch error {
        case let problem as Problem: self = problem
        case let fault as IdentityError: self = Problem(mapping: fault)
        case is RoleRefusal: self = .forbidden
        case let fault as LinkError: self = .conflict(fault.sentence)
        case let fault as LinkVisitError: self = Problem(mapping: fault)
        case let fault as RuleError: self = Problem(mapping: fault)
        case let fault as IncidentError: self = Problem(mapping: fault)
        case let fault as CheckInError: self = Problem(mapping: fault)
        case let fault as PauseError: self = .conflict(fault.sentence)
        case let fault as AttendanceError: self = Problem(mapping: fault)
        case let fault as ProximityError: self = Problem(mapping: fault)
        case let fault as JoinError: self = .conflict(fault.sentence)
        case let fault as DatasetError: self = Problem(mapping: fault)
        case let fault as SyncTriggerError: self = Problem(mapping: fault)
        case let fault as PushDeviceError: self = Problem(mapping: fault)
        case let fault as QuotaError: self = .overQuota(fault)
        case let error as CoordinatorError: self = Problem(mapping: error)
        case let error as StoreError: self = Problem(mapping: error)
        case let fault as TileFileError: self = .unreadableTile("The file of map tiles: \(fault.words).")
        case let fault as JSONError: self = Problem(mapping: JSONFaults([fault]))
        case let faults as JSONFaults: self = Problem(mapping: faults)
        case let faults as BodyFaults:
            self = .invalid(faults.faults.map { Fault($0.pointer, $0.words) })
        case let faults as RegionFaults: self = Problem(mapping: faults)
        case is NIOTooManyBytesError: self = .tooLarge(limitBytes: BodyLimits.standard.bytes)
        case let error as HTTPError where error.status == .serviceUnavailable:
            self = .unavailable(error.body ?? "")
        case let error as HTTPError where error.status == .notFound: self = .notFound
        case let error as HTTPError where error.status.kind == .clientError: self = .malformed(error.body ?? "")
        case WorkLimit.InterruptionError.abandoned: self = .unavailable("The request was cancelled.")
        case is WorkLimit.InterruptionError:
            self = .invalid([], "The request takes too long: ask for less at a time.")
        case WorkError.shareIsFull:
            self = .tooManyRequests(
                retryAfterSeconds: 1, "Too many of your requests are waiting. Wait until some are answered.")
        case WorkError.isFull: self = .unavailable("The queue of reads is full.")
        case is CancellationError: self = .unavailable("The request was cancelled.")
        default: return nil
        }
    }

    /// The problem for an invalid rule.
    private init(mapping fault: RuleError) {
        switch fault {
        case .noRule: self = .notFound
        case .hasTargets, .tooManyRules: self = .conflict(fault.description)
        case .pattern(let fault): self = .invalid("/pattern\(fault.pointer)", "\(fault.reason)")
        case .safetyPattern(let words): self = .invalid("/pattern", words)
        case .noTarget, .tooManyTargets, .input, .safetyTakesNoInput: self = .invalid("/targets", fault.description)
        }
    }

    private init(mapping fault: DatasetError) {
        switch fault {
        case .conflict, .merged: self = .conflict(fault.description)
        case .overLimit: self = .overLimit(fault.description)
        case .noDataset: self = .notFound
        case .invalid, .repeatedKey: self = .invalid("/records", fault.description)
        }
    }

    private init(mapping fault: SyncTriggerError) {
        switch fault {
        case .invalidAnswer(let words):
            self = .invalid("/records", "were not stored, because the pool's sync trigger failed. \(words)")
        case .throttled: self = .unavailable("The pool's sync trigger did not answer in time.")
        }
    }

    private init(mapping fault: CheckInError) {
        switch fault {
        case .isNoPerson: self = .conflict("A gateway is not a person and cannot check in.")
        case .hasNoTimer: self = .notFound("This person has no check-in timer.")
        case .isSetByAnother:
            self = .conflict("Someone else started this timer: check in, or end it before you start another.")
        }
    }

    private init(mapping fault: AttendanceError) {
        switch fault {
        case .hasNoRule: self = .notFound("The team has no attendance rule of this name.")
        case .tooMany(let limit): self = .conflict("The team has \(limit) attendance rules: remove one first.")
        }
    }

    private init(mapping fault: ProximityError) {
        switch fault {
        case .hasNoRule: self = .notFound("The team has no proximity rule of this name.")
        case .tooMany(let limit): self = .conflict("The team has \(limit) proximity rules: remove one first.")
        case .tooManyPeople(let limit):
            self = .conflict("The rules around this centre would count more than \(limit) people: name a role.")
        }
    }

    private init(mapping fault: IncidentError) {
        self = fault == .isNotInPAR ? .invalid("/crew", fault.sentence) : .conflict(fault.sentence)
    }

    private init(mapping fault: PushDeviceError) {
        switch fault {
        case .unknown: self = .notFound
        case .tooMany: self = .conflict(fault.description)
        case .notServed: self = .invalid("/platform", fault.description)
        case .notCalled: self = .invalid("/activity", fault.description)
        case .tooManyTests(let seconds): self = .tooManyRequests(retryAfterSeconds: seconds, fault.description)
        }
    }

    private init(mapping fault: LinkVisitError) {
        switch fault {
        case .noIncident, .tooMany: self = .conflict(fault.sentence)
        case .tooFast(let seconds): self = .tooManyRequests(retryAfterSeconds: seconds, fault.sentence)
        }
    }

    private init(mapping fault: IdentityError) {
        switch fault {
        case .missing, .refused: self = .unauthorized
        case .tooManyTries(let seconds): self = .tooManyRequests(retryAfterSeconds: seconds)
        case .busy: self = .unavailable("Too many sign-ins are in progress.")
        case .tooMany(let kind, let limit):
            self = .conflict("There are \(limit) \(kind) already: remove one first.")
        case .unusablePassword:
            self = .invalid(
                "/password",
                "must have at least \(Identity.shortestPassword) characters and at most "
                    + "\(Identity.longestPasswordBytes) bytes")
        case .unknown: self = .notFound
        }
    }

    private init(mapping error: CoordinatorError) {
        switch error {
        case .full: self = .unavailable("The queue of writes is full.")
        case .unwritable: self = .insufficientStorage
        case .unavailable: self = .unavailable("The disk or the database refused the operation.", retryAfterSeconds: 5)
        case .gone: self = .notFound
        case .overQuota(let fault): self = .overQuota(fault)
        case .closed: self = .unavailable("The server is shutting down.", retryAfterSeconds: 5)
        }
    }

    private init(mapping error: StoreError) {
        switch error {
        case .trimmed(let oldest):
            self = .gone("Changes before \(oldest.rawValue) are no longer stored: start again from the current state.")
        case .unwritable: self = .insufficientStorage
        case .corrupt:
            self = .unavailable(
                "The requested data is damaged on the server's disk, so the server does not send it. Its operator "
                    + "should run muster doctor.",
                retryAfterSeconds: 3600)
        case .unavailable, .tooNew, .inUse, .backup, .restore, .missing, .lost:
            self = .unavailable("The disk or the database refused the operation.", retryAfterSeconds: 5)
        }
    }

    /// Text that is not JSON is malformed; JSON with an invalid value is invalid.
    private init(mapping faults: JSONFaults) {
        let list = faults.faults.map { Fault($0.pointer, $0.reason.description) }
        if let fault = faults.faults.first(where: { $0.reason.isSyntax }) {
            self = .malformed("Not valid JSON: byte \(fault.offset).", list)
        } else {
            self = .invalid(list, faults.hasMore ? "Not all faults are listed." : nil)
        }
    }
}

extension Problem {
    private init(mapping faults: RegionFaults) {
        let list = faults.faults.map {
            Fault($0.pointer, $0.reason.description, feature: $0.feature, coordinate: $0.coordinate)
        }
        if faults.faults.contains(where: { $0.reason.isSyntax }) {
            self = .malformed("Not valid JSON.", list)
        } else {
            let more = faults.hasMore ? " Not all faults are listed." : ""
            self = .invalid(list, "Nothing was stored.\(more)")
        }
    }
}

extension JSONError.Reason {
    /// Whether the text is not JSON, in contrast to JSON with an invalid value.
    package var isSyntax: Bool {
        switch self {
        case .unexpectedEnd, .unexpectedByte, .trailingBytes, .invalidUTF8, .controlCharacter, .invalidEscape,
            .loneSurrogate, .invalidNumber, .numberTooLong, .tooDeep, .tooManyValues:
            true
        case .duplicateKey, .numberOverflow, .wrongType, .missing, .outOfRange, .time, .tooLong, .tooMany, .invalid:
            false
        }
    }
}

extension JoinError {
    /// The message for the client.
    fileprivate var sentence: String {
        switch self {
        case .isSame: "Both are the same user."
        case .isAccount:
            "This user is a person's account, which would be removed. Give the other user its devices one by one, with "
                + "POST /users/{user}/devices/{device}/owner."
        case .isInOtherTeam: "Both must be in the same team: put them into one first."
        case .isMachine: "A gateway is not a person and cannot own a person's devices."
        case .tooManyDevices(let limit): "They would have more than \(limit) devices: remove one first."
        case .hasKeys: "This user has keys of its own, which would be lost: revoke them first."
        case .hasDocuments: "This user has documents of its own, which would be lost: move and delete them first."
        case .isExpected: "An attendance or proximity rule counts this user alone or is about them: change it first."
        case .hasTimer: "This user has a check-in timer: end it first, and start one for the other user."
        case .callsForHelp: "This user calls for help: clear that first, so that the call is not lost."
        }
    }
}

extension PauseError {
    /// A sentence for the person who wants to pause.
    fileprivate var sentence: String {
        switch self {
        case .isNoPerson: "A gateway is not a person and cannot pause."
        case .isNotAllowed: "Your team does not allow its people to pause: its leader can."
        case .isInIncident(let number): "Incident \(number.rawValue) asks for you: nobody pauses until it is closed."
        case .callsForHelp: "You call for help: clear that first, or nobody will believe the pause."
        }
    }
}

extension IncidentError {
    /// The message for the client.
    fileprivate var sentence: String {
        switch self {
        case .isOpen(let number): "Incident \(number.rawValue) of this team is open."
        case .nobodyToAccountFor: "This team has no people to account for."
        case .isNotOpen: "This incident is closed."
        case .isNotClosed: "This incident is open."
        case .wasClosedLongAgo: "This incident was closed more than 24 hours ago: start a new one."
        case .isNotOnRoll: "Nobody with this number is on the roll."
        case .isUser: "This person is a user: say how they are with POST /users/{user}/declarations."
        case .tooManyVisitors: "There are \(Roll.visitorLimit) visitors on this roll already."
        case .hasNoPAR: "No PAR is open: request one first."
        case .isNotNewestPAR(let number): "The newest PAR is number \(number): report for that one."
        case .isNotInPAR: "is not a crew of this PAR"
        case .tooManyPARs: "This incident has had \(PARRound.limit) PARs: close it and start another."
        case .tooManyReports:
            "This crew was reported \(PARRound.reportLimit) times in this PAR: request a new one."
        case .keepsTeam(let number): "Incident \(number.rawValue) of this team is open: close it first."
        }
    }
}
