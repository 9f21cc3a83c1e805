import Foundation
import MusterMutex
import MusterReplication

/// How a sign-in runs, and how its session becomes the present one.
extension Muster {
    /// A sign-in that is under way.
    struct SignIn: Sendable {
        /// Its number among the calls that change the account.
        let call: Int
        let user: String
        /// Why it waits for the server; nil while it does not.
        var waitingFor: String?
        let task: Task<Void, any Error>
    }

    /// Signs in once; the argument is whether this is the first attempt of the call.
    typealias SignInAttempt = @Sendable (_ isFirst: Bool) async throws -> Session.Grant

    /// What a session comes from.
    enum SessionOrigin: Sendable {
        /// The credentials that were stored when this object was opened.
        case open
        /// A sign-in, by its number among the calls that change the account.
        case signIn(call: Int)
        /// The renewal of the session of this number.
        case renewal(ofSession: Int)
    }

    func logIn(_ user: String, _ password: String, as owner: StoreOwner?) async throws -> Session.Grant {
        try await Session.grant(
            at: server, user: user, password: password, after: owner?.account, isAgain: owner?.account != nil,
            options.connections)
    }

    func register(
        _ user: String, _ password: String, as owner: StoreOwner?, isFirst: Bool
    ) async throws -> Session.Grant {
        do {
            try await Session.makeUser(at: server, user: user, password: password, options.connections)
        } catch SessionError.userExists where !isFirst {
            // An earlier attempt may have made the user before the connection broke.
            return try await logIn(user, password, as: owner)
        }
        return try await Session.grant(
            at: server, user: user, password: password, after: Session.storedAccount(of: user, keeper),
            options.connections)
    }

    /// Repeats a sign-in until the server answers it, and then starts a tracker for that person. It ends an earlier
    /// sign-in that is still under way.
    ///
    /// - Parameter prepare: checks that the sign-in may begin, and returns how to attempt it.
    /// - Throws: the errors of `prepare` and of the attempt; `.cancelled` if a later call changes the account;
    ///   `.closed`.
    func enter(
        _ waitsForServer: Bool, _ prepare: (State) throws(MusterError) -> (user: String, attempt: SignInAttempt)
    ) async throws(MusterError) {
        let signIn = try beginSignIn(waitsForServer, prepare)
        do {
            try await withTaskCancellationHandler {
                try await signIn.task.value
            } onCancel: {
                signIn.task.cancel()
            }
        } catch {
            let (newest, isClosed) = state.withLock { ($0.accountCalls, $0.isClosed) }
            throw isClosed ? .closed : newest != signIn.call ? .cancelled : MusterError(error)
        }
    }

    private func beginSignIn(
        _ waitsForServer: Bool, _ prepare: (State) throws(MusterError) -> (user: String, attempt: SignInAttempt)
    ) throws(MusterError) -> SignIn {
        try accountChange.withLock { _ throws(MusterError) in
            try changeAccount { state throws(MusterError) in
                if state.isClosed { throw .closed }
                let (user, attempt) = try prepare(state)
                state.signIn?.task.cancel()
                state.accountCalls += 1
                let call = state.accountCalls
                let task = Task {
                    defer { self.changeAccount { if $0.signIn?.call == call { $0.signIn = nil } } }
                    let grant = try await self.retrying(waitsForServer, call, attempt)
                    try await self.adopt(grant.session, storing: grant.credentials, from: .signIn(call: call))
                }
                let signIn = SignIn(call: call, user: user, task: task)
                state.signIn = signIn
                return signIn
            }
        }
    }

    /// Ends the sign-in that is under way, if there is one, because of a call that changes the account.
    ///
    /// - Parameter body: takes the state; if it throws, the sign-in goes on.
    func endSignIn<Success: Sendable>(
        _ body: (inout State) throws(MusterError) -> Success
    ) throws(MusterError) -> Success {
        try accountChange.withLock { _ throws(MusterError) in
            try changeAccount { state throws(MusterError) in
                let result = try body(&state)
                state.accountCalls += 1
                state.signIn?.task.cancel()
                state.signIn = nil
                return result
            }
        }
    }

    private func retrying(
        _ waitsForServer: Bool, _ call: Int, _ attempt: SignInAttempt
    ) async throws -> Session.Grant {
        var failures = 0
        while true {
            do {
                return try await attempt(failures == 0)
            } catch let fault as SessionError where waitsForServer && fault.isPassing {
                try Task.checkCancellation()
                failures += 1
                changeAccount { if $0.signIn?.call == call { $0.signIn?.waitingFor = fault.description } }
                try await options.pacing.sleep(options.pacing.delaySeconds(afterFailures: failures))
            }
        }
    }

    /// Changes the state, and publishes the account that follows from it: the sign-in under way, or else the settled
    /// account.
    func changeAccount<Success: Sendable, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Success
    ) throws(Failure) -> Success {
        try state.withLock { state throws(Failure) in
            let result = try body(&state)
            let account =
                state.signIn.map { Account.signingIn(user: $0.user, waitingFor: $0.waitingFor) }
                ?? state.settledAccount
            if presentAccount.value != account {
                presentAccount.value = account
                events.send(.account(account))
            }
            return result
        }
    }

    // MARK: Sessions

    /// Makes a session the present one: stores its credentials, and starts a tracker for its person, in place of the
    /// present one.
    ///
    /// - Parameter credentials: the credentials to store; nil if they are stored already.
    /// - Throws: `MusterError.cancelled` if a later call changed the account; then nothing is stored.
    func adopt(_ session: Session, storing credentials: Data?, from origin: SessionOrigin) async throws {
        let (before, former) = state.withLock { ($0.run, $0.owner) }
        let owner = StoreOwner(user: session.user, account: session.account)
        if let former, former != owner, former.account != nil {
            // The other account has datasets with counts of its own, and has not registered this device.
            try await store.file.write { try $0.datasets.makeAllUnsynchronized() }
            if let id = try await store.pushDeviceID() { try await store.forgetRegistrations([id]) }
        }
        let isReplacing = before?.user != session.user
        if isReplacing { try await before?.tracker.recordPending() }
        let makeRun = isReplacing ? try await runMaker(for: session) : nil
        let number = try accountChange.withLock { _ in
            try checkMayBegin(origin)
            if let credentials { try useCredentials { try $0.storeCredentials(credentials) } }
            let (number, run) = state.withLock { begin(session, owner, makeRun?() ?? before, origin, in: &$0) }
            // Under the lock, so that of two sessions the later one's key stays.
            if !isReplacing { run?.tracker.reauthenticate(as: session) }
            return number
        }
        // The session has begun: nothing of what follows may be left out because the caller was cancelled.
        try await Task {
            if isReplacing { await self.end(before) }
            self.changeAccount { state in
                guard state.sessionNumber == number else { return }
                state.settledAccount = .signedIn(user: session.user)
                if state.signIn?.call == state.sessionCall { state.signIn = nil }
            }
            self.endFollowingDatasets()
            self.followDatasets()
            try await self.store.file.write { transaction in
                // Read inside the transaction: of two sessions the later one's owner stays.
                guard let owner = self.state.withLock({ $0.owner }) else { return }
                try transaction.storeNote(try LocalStore.json(of: owner), note: StoreOwner.note)
            }
        }.value
    }

    /// - Throws: `MusterError.closed`; `.cancelled` if a later call changed the account.
    private func checkMayBegin(_ origin: SessionOrigin) throws(MusterError) {
        let state = state.withLock { $0 }
        if state.isClosed { throw .closed }
        let mayBegin =
            switch origin {
            case .open: true
            case .signIn(let call): state.accountCalls == call
            case .renewal(let number): state.sessionNumber == number && state.session != nil
            }
        guard mayBegin else { throw .cancelled }
    }

    /// - Returns: the number of the session, and its tracker.
    private func begin(
        _ session: Session, _ owner: StoreOwner, _ run: TrackerRun?, _ origin: SessionOrigin, in state: inout State
    ) -> (number: Int, run: TrackerRun?) {
        state.session = session
        state.places = nil
        state.sessionNumber += 1
        if case .signIn(let call) = origin { state.sessionCall = call }
        if case .renewal = origin { state.isRenewed = true } else { state.isRenewed = false }
        state.owner = owner
        state.run = run
        return (state.sessionNumber, run)
    }

    /// Restores what a person's tracker needs from the store.
    ///
    /// - Returns: a function that starts the tracker.
    private func runMaker(for session: Session) async throws -> @Sendable () -> TrackerRun {
        let watch = RegionWatch(session: session, store: store, now: options.pacing.now)
        try await watch.restore()
        let tracker = LocationTracker(
            store: store, monitor: LocationMonitor(), server: session.peer, user: session.user,
            session: options.run, watch: watch, pace: options.pace,
            observer: { [weak self, weak watch] event in
                if let self, let watch { self.receive(event, of: watch) }
            })
        return { [weak self, options] in
            TrackerRun(
                user: session.user, tracker: tracker, watch: watch, pace: options.pace,
                onChange: { [weak self, weak watch] in
                    if let self, let watch { self.publish(watch) }
                },
                onFailure: { [weak self] in self?.events.send(.failed(MusterError($0))) })
        }
    }

    /// Ends the tracker of the person before. What waited for the disk is recorded already, but for what came since.
    private func end(_ before: TrackerRun?) async {
        guard let before else { return }
        await endBeaconMonitor()
        do { try await before.stop() } catch { events.send(.failed(MusterError(error))) }
    }

    // MARK: Renewal

    /// Signs in again with the stored password, to get another key. It does so once, and not again until a request with
    /// the new key has succeeded.
    ///
    /// - Parameter number: the session that the server refused.
    /// - Returns: whether there is another session now.
    @discardableResult
    func renewSession(_ number: Int) async -> Bool {
        let renewal = state.withLock { state -> Task<Bool, Never>? in
            guard state.sessionNumber == number, let session = state.session, !state.isClosed else { return nil }
            if let renewal = state.renewal { return renewal }
            let mayRenew = !state.isRenewed
            let renewal = Task {
                let isRenewed = await self.renew(session, number, mayRenew)
                self.state.withLock { $0.renewal = nil }
                return isRenewed
            }
            state.renewal = renewal
            return renewal
        }
        if let renewal { return await renewal.value }
        return state.withLock { $0.sessionNumber > number && $0.session != nil }
    }

    private func renew(_ session: Session, _ number: Int, _ mayRenew: Bool) async -> Bool {
        let (account, isSigningIn) = state.withLock { ($0.settledAccount, $0.signIn != nil) }
        if case .signInNeeded = account { return false }
        if isSigningIn { return false }
        do {
            guard mayRenew else { throw MusterError.refused(reason: "a new key is not accepted either") }
            let grant = try await session.grantAgain()
            try await adopt(grant.session, storing: grant.credentials, from: .renewal(ofSession: number))
            return true
        } catch let fault as SessionError where fault.isPassing {
            // The next attempt to send asks again.
            return false
        } catch {
            let error = MusterError(error)
            if error == .cancelled || error == .closed { return false }
            changeAccount { state in
                guard state.sessionNumber == number else { return }
                state.settledAccount = .signInNeeded(user: session.user, reason: error.description)
            }
            return false
        }
    }
}

extension SessionError {
    /// Whether a later attempt may succeed.
    var isPassing: Bool {
        switch self {
        case .unreachable, .busy: true
        case .illegalServer, .userExists, .refused, .anotherAccount, .unexpected: false
        }
    }
}
