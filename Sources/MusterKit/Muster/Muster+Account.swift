import MusterReplication
import Synchronization

/// How a person signs in, registers, signs in again, and signs out.
extension Muster {
    /// Signs in, and stores what that brought: the next `open` is signed in without a network.
    ///
    /// A server that cannot be reached, or cannot answer now (503, or 507 on a full disk), is asked again until it
    /// answers. Meanwhile `account` is `.signingIn` and says why. Cancel the task to give up.
    ///
    /// The store belongs to one account. `.storeOfAnother` and `.anotherAccount` protect it: open another
    /// store for another person, or pass `allowingAccountChange`.
    ///
    /// - Parameters:
    ///   - user: the name of the person.
    ///   - password: their password, which is stored with the credentials to sign in again.
    ///   - allowingAccountChange: whether documents of another account on this device may go to this one.
    ///   - waitsForServer: false to throw `.away` instead of asking again.
    /// - Throws: `.refused`, `.storeOfAnother`, `.anotherAccount`, `.away`, `.credentialsUnavailable`, `.cancelled`,
    ///   `.closed`.
    public func signIn(
        user: String, password: String, allowingAccountChange: Bool = false, waitsForServer: Bool = true
    ) async throws(MusterError) {
        let owner = try owner(for: user, allowingAccountChange)
        try await enter(user, waitsForServer) { _ in try await self.logIn(user, password, as: owner) }
    }

    /// Makes a user at a server whose registration is open, and signs in. It waits as `signIn` does.
    ///
    /// - Throws: `.userExists`; `.refused` for a name or a password that the server does not accept; as `signIn`.
    public func register(
        user: String, password: String, waitsForServer: Bool = true
    ) async throws(MusterError) {
        let owner = try owner(for: user, false)
        try await enter(user, waitsForServer) { isFirst in
            do {
                return try await Session.register(
                    at: self.server, user: user, password: password, self.keeper,
                    connections: self.options.connections)
            } catch SessionError.userExists where !isFirst {
                // An earlier attempt may have made the user before the connection broke.
                return try await self.logIn(user, password, as: owner)
            }
        }
    }

    /// Signs the same person in again, after the server refused the device's key, for example because the password was
    /// changed. Recorded locations stay and are sent.
    ///
    /// - Parameters:
    ///   - password: the new password; nil: the stored one.
    ///   - allowingAccountChange: whether documents of another account of this name may go to this one.
    ///   - waitsForServer: false to throw `.away` instead of asking again.
    /// - Throws: `.signedOut` where nobody was signed in; as `signIn`.
    public func signInAgain(
        password: String? = nil, allowingAccountChange: Bool = false, waitsForServer: Bool = true
    ) async throws(MusterError) {
        guard let session else { throw isClosed ? .closed : .signedOut }
        try await enter(session.user, waitsForServer) { _ in
            try await session.signInAgain(
                password: password, self.keeper, allowingAccountChange: allowingAccountChange)
        }
    }

    /// Signs out: records what waits and deletes the credentials. What was recorded stays in the store, and is sent
    /// when the same person signs in again. Until then nothing is recorded, also while a source is tracked.
    ///
    /// - Throws: `.credentialsUnavailable`, `.closed`.
    public func signOut() async throws(MusterError) {
        if isClosed { throw .closed }
        let run = state.withLock { state in
            state.signOuts += 1
            state.session = nil
            state.places = nil
            defer { state.run = nil }
            return state.run
        }
        await endBeaconMonitor()
        await run?.stop()
        endFollowingDatasets()
        try await inWords { try Session.signOut(keeper) }
        setAccount(.signedOut)
        presentRegions.value = []
        presentSafety.value = .unknown
        presentIncident.value = nil
    }

    // MARK: Pieces

    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// The account that the store belongs to; nil where the app allows another account to take over its documents.
    private func owner(for user: String, _ allowingAccountChange: Bool) throws(MusterError) -> StoreOwner? {
        let (owner, isClosed) = state.withLock { ($0.owner, $0.isClosed) }
        if isClosed { throw .closed }
        guard let owner, !allowingAccountChange else { return nil }
        guard owner.user == user else { throw .storeOfAnother(user: owner.user) }
        return owner
    }

    private func logIn(_ user: String, _ password: String, as owner: StoreOwner?) async throws -> Session {
        try await Session.signIn(
            at: server, user: user, password: password, keeper, after: owner?.account, isAgain: owner?.account != nil,
            options.connections)
    }

    /// Repeats a sign-in until the server answers it, and then starts a tracker for that person.
    ///
    /// - Parameter attempt: signs in; it is told whether it is the first attempt.
    private func enter(
        _ user: String, _ waitsForServer: Bool, _ attempt: (_ isFirst: Bool) async throws -> Session
    ) async throws(MusterError) {
        let before = presentAccount.value
        let signOuts = state.withLock { $0.signOuts }
        setAccount(.signingIn(user: user, waitingFor: nil))
        do {
            let session = try await retrying(user, waitsForServer, signOuts, attempt)
            do {
                try await start(session, unlessSignedOutSince: signOuts)
            } catch MusterError.cancelled {
                // The person signed out while the server answered: what the answer brought is not kept.
                if !isClosed { try Session.signOut(keeper) }
                throw MusterError.cancelled
            }
        } catch {
            if state.withLock({ $0.signOuts }) == signOuts { setAccount(before) }
            throw MusterError(error)
        }
    }

    private func retrying(
        _ user: String, _ waitsForServer: Bool, _ signOuts: Int, _ attempt: (_ isFirst: Bool) async throws -> Session
    ) async throws -> Session {
        var failures = 0
        while true {
            do {
                return try await attempt(failures == 0)
            } catch let fault as SessionError where waitsForServer && fault.isPassing {
                failures += 1
                setAccount(.signingIn(user: user, waitingFor: fault.description))
                try await options.pacing.sleep(options.pacing.delaySeconds(afterFailures: failures))
                guard state.withLock({ $0.signOuts }) == signOuts else { throw MusterError.cancelled }
            }
        }
    }

    /// Makes another key with the stored password. It tries that once until a request with the new key succeeds.
    ///
    /// - Parameter number: the session that the server refused.
    /// - Returns: whether there is another session now.
    @discardableResult
    func renewSession(_ number: Int) async -> Bool {
        let renewal = state.withLock { state -> Task<Bool, Never>? in
            guard state.sessionNumber == number, let session = state.session else { return nil }
            if let renewal = state.renewal { return renewal }
            let signOuts = state.signOuts
            let mayRenew = !state.isRenewed
            let renewal = Task {
                let isRenewed = await self.renew(session, mayRenew, signOuts)
                self.state.withLock { state in
                    state.renewal = nil
                    if isRenewed { state.isRenewed = true }
                }
                return isRenewed
            }
            state.renewal = renewal
            return renewal
        }
        if let renewal { return await renewal.value }
        return state.withLock { $0.sessionNumber > number && $0.session != nil }
    }

    private func renew(_ session: Session, _ mayRenew: Bool, _ signOuts: Int) async -> Bool {
        if case .signInNeeded = presentAccount.value { return false }
        if case .signingIn = presentAccount.value { return false }
        do {
            guard mayRenew else { throw MusterError.refused(reason: "a new key is not accepted either") }
            try await start(try await session.signInAgain(keeper), unlessSignedOutSince: signOuts)
            return true
        } catch let fault as SessionError where fault.isPassing {
            // The next attempt to send asks again.
            return false
        } catch MusterError.cancelled {
            return false
        } catch {
            setAccount(.signInNeeded(user: session.user, reason: MusterError(error).description))
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
