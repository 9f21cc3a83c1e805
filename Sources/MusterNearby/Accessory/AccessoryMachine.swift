/// The state of the exchange between this device and an accessory, as a function of events. It does no I/O and reads no
/// clock.
struct AccessoryMachine: Hashable, Sendable {
    /// The state of the exchange.
    enum State: String, Hashable, Sendable, CaseIterable {
        /// No message was sent yet.
        case idle
        /// This device has asked the accessory for its configuration.
        case initializing = "asked for its configuration"
        /// This device's radio makes its configuration.
        case configuring = "waiting for this device's configuration"
        /// This device has told the accessory to range, and awaits its answer.
        case starting = "told to start"
        /// Both range.
        case ranging
        /// This device has told the accessory to stop, and awaits its answer.
        case stopping = "told to stop"
        /// The exchange has ended: by the app, by the accessory, or by a fault.
        case stopped
    }

    /// An input to the machine.
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

    /// An action that the owner of the machine must carry out.
    enum Effect: Hashable, Sendable {
        case send(AccessoryMessage)
        /// Make this device's configuration from the accessory's.
        case configureRadio([UInt8])
        case beginRanging
        /// End the exchange, with the fault that ended it; nil if the app ended it, or the accessory stopped by itself.
        case end(AccessoryError?)
    }

    private(set) var state = State.idle

    /// Applies an event, and returns the actions to carry out.
    mutating func handle(_ event: Event) -> [Effect] {
        switch (state, event) {
        case (.stopped, _): return []
        case (.idle, .start): return move(to: .initializing, [.send(.initialize)])
        case (.idle, .stop): return move(to: .stopped, [.end(nil)])
        case (_, .closed): return move(to: .stopped, [.end(state == .stopping ? nil : .closed)])
        case (.stopping, .received(.didStop)): return move(to: .stopped, [.end(nil)])
        // A message that the accessory sent before it was told to stop is ignored.
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
        // The accessory was restarted, or it moved to another channel: both exchange configurations again.
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
