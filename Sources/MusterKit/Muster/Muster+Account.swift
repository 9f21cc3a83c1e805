import MusterMutex
import MusterReplication

/// Signing in, registering, signing in again, and signing out.
extension Muster {
    /// Signs in, and stores the credentials: the next `open` is signed in without a network.
    ///
    /// A server that cannot be reached, or cannot answer now (503, or 507 on a full disk), is asked again until it
    /// answers. Meanwhile `account` is `.signingIn` with the reason. Cancel the task to give up.
    ///
    /// If the app signs in or out again before this call has ended, the later call counts: this one throws
    /// `.cancelled`, and stores nothing.
    ///
    /// The store belongs to one account. `.storeOfAnother` and `.anotherAccount` protect it: open another
    /// store for another person, or pass `allowingAccountChange`.
    ///
    /// - Parameters:
    ///   - user: the name of the person.
    ///   - password: their password, which is stored with the credentials to sign in again.
    ///   - allowingAccountChange: whether documents of another account on this device may go to this one.
    ///   - waitsForServer: false to throw `.away` instead of asking again.
    /// - Throws: `.refused`, `.storeOfAnother`, `.anotherAccount`, `.away`, `.unexpected`, `.credentialsUnavailable`,
    ///   `.deviceFull`, `.storeUnavailable`, `.cancelled`, `.closed`.
    public func signIn(
        user: String, password: String, allowingAccountChange: Bool = false, waitsForServer: Bool = true
    ) async throws(MusterError) {
        try await enter(waitsForServer) { state throws(MusterError) in
            let owner = try state.owner(for: user, allowingAccountChange)
            return (user, { [self] _ in try await logIn(user, password, as: owner) })
        }
    }

    /// Makes a user at a server whose registration is open, and signs in. It waits as `signIn` does.
    ///
    /// - Throws: `.userExists`; `.refused` for a name or a password that the server does not accept; as `signIn`.
    public func register(
        user: String, password: String, waitsForServer: Bool = true
    ) async throws(MusterError) {
        try await enter(waitsForServer) { state throws(MusterError) in
            let owner = try state.owner(for: user, false)
            return (user, { [self] in try await register(user, password, as: owner, isFirst: $0) })
        }
    }

    /// Signs the same person in again, after the server refused the device's key, for example because the password was
    /// changed. Recorded locations stay and are sent.
    ///
    /// - Parameters:
    ///   - password: the new password; nil: the stored one.
    ///   - allowingAccountChange: whether documents of another account of this name may go to this one.
    ///   - waitsForServer: false to throw `.away` instead of asking again.
    /// - Throws: `.signedOut` if nobody is signed in; as `signIn`.
    public func signInAgain(
        password: String? = nil, allowingAccountChange: Bool = false, waitsForServer: Bool = true
    ) async throws(MusterError) {
        try await enter(waitsForServer) { state throws(MusterError) in
            guard let session = state.session else { throw .signedOut }
            return (
                session.user,
                { _ in try await session.grantAgain(password: password, allowingAccountChange: allowingAccountChange) }
            )
        }
    }

    /// Signs out: records the waiting locations and deletes the credentials. Recorded locations stay in the store, and
    /// are sent when the same person signs in again. Until then nothing is recorded, also while a source is tracked.
    ///
    /// If it throws, the person is still signed in, nothing is lost, and the call can be repeated. A cancelled caller
    /// signs out all the same.
    ///
    /// - Throws: `.deviceFull`, `.storeUnavailable` if waiting locations cannot be recorded; `.credentialsUnavailable`,
    ///   `.closed`.
    public func signOut() async throws(MusterError) {
        let signingOut = try endSignIn { state throws(MusterError) in
            if state.isClosed { throw .closed }
            let (call, before) = (state.accountCalls + 1, state.signingOut)
            let task = Task {
                _ = await before?.result
                try await self.signOut(call)
            }
            state.signingOut = task
            return task
        }
        try await inWords { try await signingOut.value }
    }

    /// - Parameter call: the number of the sign-out among the calls that change the account.
    private func signOut(_ call: Int) async throws {
        let run = state.withLock { $0.run }
        try await run?.tracker.recordPending()
        let ended: (number: Int, run: TrackerRun?)? = try accountChange.withLock { _ in
            let (isOvertaken, isClosed) = state.withLock { ($0.sessionCall > call, $0.isClosed) }
            if isClosed { throw MusterError.closed }
            // A later sign-in has taken the session's place already.
            if isOvertaken { return nil }
            try useCredentials(Session.signOut)
            return state.withLock { state in
                state.session = nil
                state.places = nil
                state.sessionNumber += 1
                state.renewal?.cancel()
                defer { state.run = nil }
                return (state.sessionNumber, state.run)
            }
        }
        guard let ended else { return }
        endFollowingDatasets()
        await endBeaconMonitor()
        // Nothing but what came in this moment waits for it.
        do { try await ended.run?.stop() } catch { events.send(.failed(MusterError(error))) }
        changeAccount { state in
            guard state.sessionNumber == ended.number else { return }
            state.settledAccount = .signedOut
            presentRegions.value = []
            presentSafety.value = .unknown
            presentIncident.value = nil
        }
    }
}

extension Muster.State {
    /// The account that the store belongs to; nil if it belongs to none, or the app allows another account to take over
    /// its documents.
    ///
    /// - Throws: `MusterError.storeOfAnother`.
    fileprivate func owner(for user: String, _ allowingAccountChange: Bool) throws(MusterError) -> StoreOwner? {
        guard let owner, !allowingAccountChange else { return nil }
        guard owner.user == user else { throw .storeOfAnother(user: owner.user) }
        return owner
    }
}
