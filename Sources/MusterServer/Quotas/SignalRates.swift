import MusterCore

/// The rates of signals: one for each device, and a looser one for all devices of a user together.
struct SignalRates: Sendable {
    private(set) var devices: QuotaBuckets<DeviceNumber>
    private(set) var users: QuotaBuckets<UserNumber>

    init(_ settings: QuotaSettings) {
        devices = QuotaBuckets(perSecond: settings.signalsPerSecond, burst: settings.signalBurst)
        users = QuotaBuckets(
            perSecond: settings.signalsPerSecond * QuotaSettings.signalDevices,
            burst: settings.signalBurst * QuotaSettings.signalDevices)
    }

    /// Takes tokens of a user and of each of the user's devices.
    ///
    /// - Returns: nil when the tokens were taken. Otherwise none were taken, and it returns the seconds to wait, with
    ///   the device that has too few tokens, or nil if the user has too few.
    mutating func spendTokens(
        _ needed: [DeviceNumber: Int], of user: UserNumber, at now: ContinuousClock.Instant
    ) -> (device: DeviceNumber?, seconds: Double)? {
        let total = needed.values.reduce(0, +)
        if let seconds = users.spendTokens(Double(total), of: user, at: now) { return (nil, seconds) }
        var taken: [DeviceNumber: Int] = [:]
        for (device, count) in needed {
            if let seconds = devices.spendTokens(Double(count), of: device, at: now) {
                for (device, count) in taken { devices.giveBack(Double(count), to: device) }
                users.giveBack(Double(total), to: user)
                return (device, seconds)
            }
            taken[device] = count
        }
        return nil
    }

    /// Gives back tokens that were not used, or a part of them.
    mutating func giveBack(_ taken: [DeviceNumber: Int], times share: Double = 1, of user: UserNumber) {
        for (device, count) in taken {
            devices.giveBack(Double(count) * share, to: device)
            users.giveBack(Double(count) * share, to: user)
        }
    }
}
