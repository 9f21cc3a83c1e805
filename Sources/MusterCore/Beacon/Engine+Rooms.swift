extension Engine {
    /// Leaves a device in one room at most: the one that it is in, until another one hears it better for some seconds,
    /// or this one does not hear it any more.
    ///
    /// - Parameters:
    ///   - challenger: the room that was heard better before, and since when.
    ///   - now: the server's time, because the clocks of two scanners differ.
    /// - Returns: the room that is heard better now, and since when; nil when none is.
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
            // Also a room whose scanner is silent: nobody is in two rooms.
            verdicts[index].standing = .outside
        }
        return remaining
    }
}
