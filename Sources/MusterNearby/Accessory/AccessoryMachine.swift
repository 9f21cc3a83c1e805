/// Where a device is with an accessory, as a function of what happened. It sends nothing and reads no clock.
struct AccessoryMachine: Hashable, Sendable {
    /// How far the two are.
    enum State: String, Hashable, Sendable, CaseIterable {
        /// Nothing was sent.
        case idle
        /// The configuration was asked for.
        case initializing = "asked for its configuration"
        /// This device's radio makes its configuration.
        case configuring = "waiting for this device's configuration"
        /// The accessory was told to range.
        case starting = "told to start"
        /// Both range.
        case ranging
        /// The accessory was told to stop.
        case stopping = "told to stop"
        /// The end, for good or by a fault.
        case stopped
    }

    /// What happens.
    enum Event: Hashable, Sendable {
        /// The app wants to range.
        case start
        /// The accessory sent a message.
        case received(AccessoryMessage)
        /// This device's radio made its configuration.
        case configured([UInt8])
        /// The app wants to stop.
        case stop
        /// The connection ended.
        case closed
    }

    /// What follows.
    enum Effect: Hashable, Sendable {
        case send(AccessoryMessage)
        /// Make this device's configuration from the accessory's.
        case configureRadio([UInt8])
        case beginRanging
        /// It is over; a fault says why, if it was not asked for.
        case end(AccessoryFault?)
    }

    private(set) var state = State.idle

    /// Returns what follows from an event.
    mutating func handle(_ event: Event) -> [Effect] {
        switch (state, event) {
        case (.stopped, _): return []
        case (.idle, .start): return move(to: .initializing, [.send(.initialize)])
        case (.idle, .stop): return move(to: .stopped, [.end(nil)])
        case (_, .closed): return move(to: .stopped, [.end(state == .stopping ? nil : .closed)])
        case (.stopping, .received(.didStop)): return move(to: .stopped, [.end(nil)])
        // What was on its way when it was told to stop.
        case (.stopping, _), (_, .start): return []
        case (_, .stop): return move(to: .stopping, [.send(.stop)])
        case (.initializing, .received(.configurationData(let data))):
            return move(to: .configuring, [.configureRadio(data)])
        case (.configuring, .configured(let data)):
            guard (1..<AccessoryMessage.limitBytes).contains(data.count) else {
                return move(to: .stopped, [.send(.stop), .end(.configuration(bytes: data.count))])
            }
            return move(to: .starting, [.send(.configureAndStart(data))])
        case (.starting, .received(.didStart)): return move(to: .ranging, [.beginRanging])
        case (.starting, .received(.didStop)), (.ranging, .received(.didStop)):
            return move(to: .stopped, [.end(nil)])
        // The accessory was restarted, or it moved to another channel: both begin anew.
        case (.ranging, .received(.configurationData(let data))):
            return move(to: .configuring, [.configureRadio(data)])
        case (_, .received(let message)):
            return move(to: .stopped, [.send(.stop), .end(.unexpected(message, during: state.rawValue))])
        case (_, .configured): return []
        }
    }

    private mutating func move(to next: State, _ effects: [Effect]) -> [Effect] {
        state = next
        return effects
    }
}
