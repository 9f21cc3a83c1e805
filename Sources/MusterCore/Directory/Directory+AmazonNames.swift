extension Directory {
    /// What Amazon's protocols call a device: its user's name for the user's main device, `user/device` for any other.
    /// A user whom nobody made, `X@Tracker`, is shown as X. nil when the device is of nobody.
    ///
    /// - Complexity: O(the user's devices).
    public func amazonID(of device: Device) -> String? {
        guard let user = users[device.user] else { return nil }
        return mainDevice(of: user)?.number == device.number
            ? user.shownName : "\(user.shownName)/\(device.name)"
    }

    /// The device that a tracker's clients call so; nil when none of that tracker's is.
    ///
    /// - Complexity: O(the user's devices).
    public func device(amazonID id: String, in tracker: Tracker) -> Device? {
        let parts = id.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        let candidates = [users[name], users["\(name)@\(tracker.name)"]]
        for case let user? in candidates where user.shownName == name {
            guard let device = parts.count == 1 ? mainDevice(of: user) : self.device(named: String(parts[1]), of: user)
            else { continue }
            if self.tracker(of: device)?.number == tracker.number { return device }
        }
        return nil
    }

    /// The device that speaks for its user: the one named like the user, else the one that was made first.
    ///
    /// - Complexity: O(the user's devices).
    public func mainDevice(of user: User) -> Device? {
        let own = devices(of: user.number).compactMap { devices[$0] }
        return own.first { $0.name == user.shownName } ?? own.min { $0.number < $1.number }
    }

    private func device(named name: String, of user: User) -> Device? { device(named: name, of: user.number) }
}

extension User {
    /// The name to show: one whom nobody made, `X@Tracker`, is shown as X.
    public var shownName: String { isImplicit ? String(name.prefix { $0 != "@" }) : name }
}
