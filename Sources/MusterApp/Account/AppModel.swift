public import Foundation
import MusterKit
public import Observation

/// The app: who is signed in, which face is shown, and where in it the person is.
///
/// Opening it needs no network, and it may be opened in the background, as for a notification's action. Whatever
/// fails is a text of `problem`, with what to do.
@MainActor @Observable public final class AppModel {
    /// What is shown.
    public enum Face: String, Sendable {
        /// Nobody is signed in: the form, or an invitation.
        case signIn
        /// A member's face.
        case member
        /// A leader's face.
        case leader
        /// The store or the keychain cannot be opened now, as before the first unlock after a restart of the phone:
        /// `problem` says why. `open()` tries again.
        case unavailable
    }

    /// The language, the time zone and the present moment.
    public let wording: Wording
    /// Signing in.
    public let signIn: SignInModel
    /// The models of the person who is signed in; nil if nobody is.
    public private(set) var account: AccountModel?
    /// Where in the app the person is.
    public var navigation = Navigation()
    /// Why the app cannot be opened now, and what to do; nil if it can.
    public private(set) var problem: String?

    @ObservationIgnored let system: AppSystem
    @ObservationIgnored let registrar = PushRegistrar()
    /// What is stored of the app; the defaults until it was read.
    @ObservationIgnored private var stored = StoredApp()
    @ObservationIgnored private var isRead = false
    @ObservationIgnored private var opening: Task<Void, Never>?

    /// Makes the app of a system. It opens nothing yet.
    public init(_ system: AppSystem) {
        self.system = system
        wording = Wording(
            Language.preferred(among: system.preferredLanguages), timeZone: system.timeZone,
            now: system.options.pacing.now().date)
        signIn = SignInModel(wording, system.options.connections, allowsPlainHTTP: system.allowsPlainHTTP)
        signIn.enter = { [weak self] in await self?.enter($0, $1, $2) }
        readStored()
    }

    /// What is shown.
    public var face: Face {
        if problem != nil { return .unavailable }
        guard let account else { return .signIn }
        return account.isLeader ? .leader : .member
    }

    /// The tabs of the face.
    public var tabs: [Navigation.Tab] { Navigation.tabs(isLeader: account?.isLeader ?? false) }
    /// The parts that are found within a tab, because they have none of their own.
    public func parts(within tab: Navigation.Tab) -> [Navigation.Tab] {
        Navigation.parts(within: tab, isLeader: account?.isLeader ?? false)
    }
    /// Leads to a part of the app.
    public func show(_ part: Navigation.Tab) { navigation.show(part, isLeader: account?.isLeader ?? false) }
    /// The title of a tab.
    public func title(of tab: Navigation.Tab) -> String { wording.words.text(named: "tab.\(tab.rawValue)") ?? "" }
    /// The title of the button that tries again what failed.
    public var retryTitle: String { wording.words.text(.listAgain) }

    /// Opens the store of the person who is signed in, if there is one, and begins to follow the server. It needs no
    /// network. An app that is open stays as it is.
    public func open() async {
        // The scene, a notification and an intent may ask for it at once: one of them opens, the others wait for it.
        if let opening { return await opening.value }
        let task = Task { await openStored() }
        opening = task
        await task.value
        opening = nil
    }

    /// Reads what is stored of the app, unless it was read.
    ///
    /// - Returns: false, with a `problem`, while it cannot be read; nothing is stored over it then.
    @discardableResult
    private func readStored() -> Bool {
        if isRead { return true }
        do {
            stored = try StoredApp.read(from: system.folder)
        } catch {
            problem = wording.words.text(.errorStore)
            return false
        }
        isRead = true
        problem = nil
        if let language = stored.language { wording.language = language }
        if navigation == Navigation() { navigation = stored.navigation ?? navigation }
        if let server = stored.server { signIn.server = server }
        if let user = stored.user { signIn.user = user }
        return true
    }

    private func openStored() async {
        guard readStored() else { return }
        guard account == nil, stored.isSignedIn, let server = stored.server, let user = stored.user else {
            problem = nil
            return
        }
        do {
            let muster = try await openMuster(server, user)
            guard muster.session != nil else {
                // The credentials are gone, as after the phone was restored from a backup.
                try await muster.close()
                return signOutHere()
            }
            await adopt(muster, user)
        } catch {
            problem = ErrorWords(wording: wording).text(error)
        }
    }

    /// Moves the present moment on, and does what it brings. An app calls it about once a second while it is seen.
    public func tick() {
        wording.tick(at: system.options.pacing.now().date)
        guard let account else { return }
        account.refresh()
        registrar.update(account, at: wording.phoneNow)
        navigation.restrict(isLeader: account.isLeader)
        if account.call.unseen != nil, navigation.sheet == nil { navigation.sheet = .call }
        if account.call.unseen == nil, navigation.sheet == .call { navigation.sheet = nil }
        if account.leader?.alarms.cards.isEmpty == false, navigation.sheet == nil { navigation.sheet = .alarm }
        if account.leader?.alarms.cards.isEmpty != false, navigation.sheet == .alarm { navigation.sheet = nil }
        if account.safety.countdown != nil { navigation.sheet = .sos }
        if account.safety.countdown == nil, navigation.sheet == .sos { navigation.sheet = nil }
    }

    /// Ticks each second until the task is cancelled.
    public func run() async {
        while !Task.isCancelled {
            tick()
            do { try await system.options.pacing.sleep(1) } catch { return }
        }
    }

    /// The app is no longer seen: stores what the server said and where the person is, and records by the filter for
    /// the background.
    public func enterBackground() async {
        account?.muster.isInBackground = true
        stored.navigation = navigation
        save()
        await account?.follower.keep()
    }

    /// The app is seen again: asks the server at once. What was heard before does not count as of now until it answers.
    public func enterForeground() async {
        account?.muster.isInBackground = false
        account?.follower.restart()
        account?.outbox.hurry()
        registrar.retry()
        tick()
        if account == nil { await open() }
        await account?.settings.readPermissions()
    }

    /// Chooses the language.
    public func choose(_ language: Language) {
        wording.language = language
        stored.language = language
        save()
    }

    /// Opens a link: an invitation, or a part of the app. Somebody who is signed in is told to sign out first
    /// for an invitation.
    ///
    /// - Returns: whether it led anywhere.
    @discardableResult
    public func open(_ link: URL) async -> Bool {
        await open()
        if link.path().contains("/console/invite") {
            guard let account else { return signIn.open(link.absoluteString) }
            account.settings.refuseInvitation()
            show(.phone)
            return true
        }
        return navigation.open(link, isLeader: account?.isLeader ?? false)
    }

    /// Ends all that runs. The person stays signed in for the next start.
    public func close() async {
        guard let account else { return }
        self.account = nil
        do { try await account.end() } catch { problem = ErrorWords(wording: wording).text(error) }
    }

    /// Shows the models of a preview.
    func adoptSample(_ account: AccountModel) { self.account = account }

    // MARK: Pieces

    private func enter(_ server: String, _ user: String, _ password: String) async {
        guard readStored() else {
            signIn.problem = problem
            return
        }
        do throws(MusterError) {
            await close()
            problem = nil
            let muster = try await openMuster(server, user)
            let reasons = Task { [weak self] in
                for await account in muster.account {
                    guard let self, case .signingIn(_, let reason) = account else { continue }
                    self.signIn.waitingText = reason == nil ? nil : self.wording.words.text(.signInNoAnswer)
                }
            }
            defer { reasons.cancel() }
            do throws(MusterError) {
                try await muster.signIn(user: user, password: password)
            } catch {
                try? await muster.close()
                throw error
            }
            stored.server = server
            stored.user = user
            stored.isSignedIn = true
            save()
            await adopt(muster, user)
        } catch {
            signIn.problem = ErrorWords(wording: wording).text(error)
            // Whoever was signed in before still is.
            if account == nil, stored.isSignedIn { await open() }
        }
    }

    private func openMuster(_ server: String, _ user: String) async throws(MusterError) -> Muster {
        let account = StoredApp.accountName(server, user)
        let store = folder(of: server, user).appending(path: "locations.sqlite")
        return try await Muster.open(
            server, store: store, credentials: system.credentials.map { $0(account) }, options: system.options)
    }

    /// The folder of one account, with all that is stored of it.
    private func folder(of server: String, _ user: String) -> URL {
        system.folder.appending(path: "accounts/\(StoredApp.accountName(server, user))")
    }

    private func adopt(_ muster: Muster, _ user: String) async {
        let folder = self.folder(of: stored.server ?? "", user)
        let account = AccountModel(
            muster, user: user, folder: folder, system, wording, isReporting: stored.isReporting)
        account.settings.onReporting = { [weak self] in self?.setReporting($0) }
        account.onReachable = { [weak self] isSignedInAnew in
            if isSignedInAnew { self?.registrar.forget() } else { self?.registrar.retry() }
        }
        account.settings.onUnregistered = { [weak self] in self?.registrar.forget() }
        account.settings.onSignOut = { [weak self] erases throws(MusterError) in try await self?.signOut(erases) }
        await account.restore()
        self.account = account
        problem = nil
        account.begin()
        tick()
    }

    private func setReporting(_ isReporting: Bool) {
        stored.isReporting = isReporting
        save()
        account?.refresh()
    }

    private func signOut(_ erases: Bool) async throws(MusterError) {
        guard let account else { return }
        registrar.isPaused = true
        defer {
            // The registration is gone, and comes back by itself if this fails: the person is signed in then.
            registrar.isPaused = false
            registrar.forget()
        }
        await account.endNotices()
        try await account.muster.signOut()
        if erases { await account.outbox.erase() }
        self.account = nil
        try? await account.end()
        if erases, let server = stored.server, let user = stored.user {
            try? FileManager.default.removeItem(at: folder(of: server, user))
        }
        signOutHere()
    }

    private func signOutHere() {
        stored.isSignedIn = false
        stored.navigation = nil
        navigation = Navigation()
        save()
    }

    private func save() { if isRead { stored.write(to: system.folder) } }
}
