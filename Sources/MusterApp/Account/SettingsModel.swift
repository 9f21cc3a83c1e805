import Foundation
import MusterKit
import MusterWire
public import Observation

/// This phone: whether it reports positions, what the person allows, the datasets, the language, and the account.
@MainActor @Observable public final class SettingsModel {
    private let follower: TeamFollower
    private let phone: PhoneState
    private let outbox: Outbox
    private let visibility: VisibilityModel
    private let wording: Wording
    private let muster: Muster
    private let server: ServerClient
    private let system: AppSystem
    private var states: [Permission: PermissionState] = [:]
    private var datasetNames: [String] = []
    private var datasetProblem: String?
    /// Whether the person wants positions reported.
    public internal(set) var isReporting: Bool
    @ObservationIgnored var onReporting: (Bool) -> Void = { _ in }
    /// Called when the server no longer knows this phone's push token.
    @ObservationIgnored var onUnregistered: () -> Void = {}
    @ObservationIgnored var onSignOut: (_ erases: Bool) async throws(MusterError) -> Void = { _ in }
    /// Why signing out failed, or an invitation cannot be opened; nil for neither.
    public private(set) var problem: String?

    init(
        _ follower: TeamFollower, _ phone: PhoneState, _ outbox: Outbox, _ visibility: VisibilityModel,
        _ muster: Muster, _ server: ServerClient, _ system: AppSystem, _ wording: Wording, isReporting: Bool
    ) {
        (self.follower, self.phone, self.outbox, self.visibility) = (follower, phone, outbox, visibility)
        (self.muster, self.server, self.system, self.wording) = (muster, server, system, wording)
        self.isReporting = isReporting
    }

    // MARK: Positions

    /// The title of the part about positions.
    public var trackingTitle: String { words.text(.trackingTitle) }
    /// The title of the button that changes `isReporting`.
    public var reportingTitle: String { words.text(isReporting ? .trackingTurnOff : .trackingTurnOn) }

    /// Whether positions are reported, and why not.
    public var trackingText: String {
        guard isReporting else { return words.text(.trackingOff) }
        if visibility.isPausing, let pause = follower.state.me?.pause {
            return words.text(.trackingPaused, ["time": wording.minute(pause.until)])
        }
        switch phone.availability {
        case .denied, .deniedForAllApps, .restricted: return words.text(.trackingDenied)
        case .reducedAccuracy: return words.text(.trackingCoarse)
        case .noPosition: return words.text(.trackingNoPosition)
        case .available: break
        }
        return words.text(phone.location == nil ? .trackingAsking : .trackingOn)
    }

    /// The newest position: when, and how exact; nil without one.
    public var fixText: String? {
        guard let location = phone.location else { return nil }
        let time = wording.clock(location.time.addingTimeInterval(wording.serverAheadSeconds))
        guard let accuracy = location.accuracyMetres else { return words.text(.trackingFixOnly, ["time": time]) }
        return words.text(.trackingFix, ["time": time, "length": wording.length(accuracy)])
    }

    /// Reports positions from now on, or stops. Nothing that was recorded is lost.
    public func setReporting(_ isReporting: Bool) {
        guard isReporting != self.isReporting else { return }
        self.isReporting = isReporting
        onReporting(isReporting)
    }

    // MARK: Permissions

    /// A permission, what it is for, and what to do.
    public struct PermissionLine: Hashable, Sendable, Identifiable {
        /// What it is, the same for the same thing.
        public var id: Permission
        /// What it is called.
        public var title: String
        /// Whether the person allows it.
        public var state: PermissionState
        /// The state in words.
        public var stateText: String
        /// What does not work without it; empty if it is granted.
        public var advice: String
        /// The title of the button; nil if there is nothing to press.
        public var button: String?
        /// Whether the button opens the system's settings, because the system asks only once.
        public var opensSettings: Bool
    }

    /// The title of the part about permissions.
    public var permissionsTitle: String { words.text(.permissionsTitle) }
    /// Every permission that this phone knows, those first without which people are not found.
    public var permissions: [PermissionLine] {
        Permission.allCases.compactMap { permission in
            guard let state = states[permission], state != .unavailable else { return nil }
            return line(of: permission, state)
        }
    }

    /// The first permission that is missing for a person to be found and called; nil if none is.
    public var missing: PermissionLine? {
        permissions.first { line in
            [.location, .locationAlways, .preciseLocation, .notifications].contains(line.id) && line.state != .granted
        }
    }

    /// Reads the permissions anew, as when the app is opened.
    public func readPermissions() async {
        for permission in Permission.allCases { states[permission] = await system.permissions.state(of: permission) }
    }

    /// Asks the person for a permission.
    public func ask(for permission: Permission) async {
        states[permission] = await system.permissions.ask(for: permission)
    }

    // MARK: Datasets

    /// The title of the part about datasets.
    public var datasetsTitle: String { words.text(.datasetsTitle) }
    /// The names of the person's datasets, as far as this phone knows them.
    public var datasets: [String] { datasetNames.map { wording.legible($0) } }
    /// The title of the button that synchronizes.
    public var synchronizeTitle: String { words.text(.datasetsSynchronize) }
    /// Why the last synchronization failed; nil if it did not.
    public var datasetsProblem: String? { datasetProblem }

    /// Synchronizes every dataset of the person, also those of their other devices alone, and asks for silent pushes
    /// about each. What was changed here stays if it fails or is cancelled.
    public func synchronizeDatasets() async {
        // Without an answer it is those that this phone has.
        let told = ((try? await server.get("datasets"))?["items"]?.elements ?? []).compactMap { $0["name"]?.string }
        datasetNames = Set((try? await muster.datasetNames()) ?? []).union(told).sorted()
        var fault: MusterError?
        // One that fails does not keep the others from it.
        for name in datasetNames where fault != .cancelled {
            do throws(MusterError) { try await muster.dataset(name).synchronize() } catch { fault = error }
        }
        guard fault != .cancelled else { return }
        do throws(MusterError) {
            if try await muster.isDeviceRegistered { try await muster.subscribeAll(datasetNames) }
        } catch {
            if error == .deviceNotRegistered { onUnregistered() }
            fault = fault ?? error
        }
        datasetProblem = fault.flatMap { $0 == .cancelled ? nil : ErrorWords(wording: wording).text($0) }
    }

    // MARK: The account

    /// Who is signed in, and where.
    public var accountText: String {
        let user = follower.state.user
        let displayName = wording.names.displayNames(of: [user])[user]
        let name: KeyValuePairs = ["name": wording.legible(CalledNames.whole(user, displayName))]
        return words.listed([
            words.text(.appWho, name), muster.session.map { URL(string: $0.server)?.host() ?? "" } ?? "",
        ])
    }
    /// The version of the app; empty if the app did not say it.
    public var versionText: String {
        system.version.isEmpty ? "" : words.text(.appVersion, ["version": system.version])
    }
    /// The title of the choice of a language.
    public var languageTitle: String { words.text(.headerLanguage) }
    /// The title of the button that signs out.
    public var signOutTitle: String { words.text(.headerSignOut) }

    /// What is asked before signing out: what waits would stay on this phone until the same person signs in again.
    public var signOutQuestion: Question {
        let waiting = OutboxModel.waitingText(
            messages: outbox.waiting.count, positions: phone.unsentPositions ?? 0, words)
        let line = waiting.isEmpty ? words.text(.signOutNothingWaits) : words.text(.signOutWaits, ["what": waiting])
        return Question(
            title: words.text(.appSignOutTitle), lines: [line], button: words.text(.headerSignOut),
            cancel: words.text(.cancel), isDestructive: true)
    }
    /// The title of the choice to erase what is stored of the person.
    public var eraseTitle: String { words.text(.signOutErase) }
    /// What is lost then.
    public var eraseText: String { words.text(.appSignOutErases) }

    /// Signs out.
    ///
    /// - Parameter erases: whether everything of the person on this phone is erased, what waits included.
    public func signOut(erases: Bool) async {
        do {
            problem = nil
            try await onSignOut(erases)
        } catch {
            problem = ErrorWords(wording: wording).text(error)
        }
    }

    /// Says that an invitation can be opened once the person has signed out.
    func refuseInvitation() {
        problem = words.text(.inviteSignedIn, ["name": wording.called(follower.state.user)])
    }

    // MARK: Words

    private var words: Words { wording.words }

    private func line(of permission: Permission, _ state: PermissionState) -> PermissionLine {
        let isGranted = state == .granted
        let button: Word? =
            switch state {
            case .notAsked: .permissionsAsk
            case .denied: .permissionsSettings
            case .granted, .restricted, .unavailable: nil
            }
        return PermissionLine(
            id: permission, title: words.text(named: "permission.\(permission.rawValue)") ?? permission.rawValue,
            state: state, stateText: words.text(named: "permissions.state.\(state.rawValue)") ?? state.rawValue,
            advice: isGranted ? "" : words.text(named: "permission.\(permission.rawValue).without") ?? "",
            button: button.map { words.text($0) }, opensSettings: state == .denied)
    }
}
