/// In which room a device is: beacon regions that exclude each other.
extension Engine {
    /// Leaves a device inside one room at most. The device stays in its present room until the signal of another one is
    /// stronger for `BeaconPolicy.roomSeconds`, or until the present room no longer hears the device.
    ///
    /// - Parameters:
    ///   - challenger: the room whose signal was stronger before this decision, and since when.
    ///   - now: the server's time, because the clocks of two scanners differ.
    /// - Returns: the room whose signal is stronger now, and since when; nil when there is none.
    func chooseRoom(
        among verdicts: inout [BeaconVerdict], challenger: BeaconMemory.Challenger?, at now: Instant
    ) -> BeaconMemory.Challenger? {
        let rooms = verdicts.indices.filter { verdicts[$0].isRoom && verdicts[$0].standing == .inside }
        guard var chosen = rooms.max(by: { verdicts[$0].signal < verdicts[$1].signal }) else { return nil }
        var remaining: BeaconMemory.Challenger?
        if let present = rooms.first(where: { verdicts[$0].former == .inside }), present != chosen {
            let better = verdicts[chosen]
            if better.signal > verdicts[present].signal + BeaconPolicy.roomMargin {
                let since = challenger?.region == better.region ? challenger?.since ?? now : now
                if now.seconds(since: since) < BeaconPolicy.roomSeconds {
                    remaining = BeaconMemory.Challenger(region: better.region, since: since)
                    chosen = present
                }
            } else {
                chosen = present
            }
        }
        for index in verdicts.indices where verdicts[index].isRoom && index != chosen {
            // This also ends the presence in a room whose scanner is silent: a device is never in two rooms. So the
            // device is here at most with the probability that it is not in the chosen room.
            verdicts[index].standing = .outside
            verdicts[index].probability = min(verdicts[index].probability, 1 - verdicts[chosen].probability)
        }
        return remaining
    }
}
