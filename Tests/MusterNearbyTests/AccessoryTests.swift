import MusterCore
import Testing

@testable import MusterNearby

@Suite struct AccessoryTests {
    private typealias State = AccessoryMachine.State

    /// A machine in a state.
    private func machine(_ state: State) -> AccessoryMachine {
        let ways: [State: [AccessoryMachine.Event]] = [
            .idle: [], .initializing: [.start], .configuring: [.start, .received(.configurationData([1]))],
            .starting: [.start, .received(.configurationData([1])), .configured([2])],
            .ranging: [.start, .received(.configurationData([1])), .configured([2]), .received(.didStart)],
            .stopping: [.start, .stop], .stopped: [.stop],
        ]
        var machine = AccessoryMachine()
        for event in ways[state] ?? [] { _ = machine.handle(event) }
        return machine
    }

    /// For each state, what follows from each event: start, configuration data, did start, did stop, configured, stop,
    /// closed. `.` stays, `!` is a fault; otherwise the first letters of the next state.
    private static let table: [(State, [String])] = [
        (.idle, ["initializing", "!", "!", "!", ".", "stopped", "!"]),
        (.initializing, [".", "configuring", "!", "!", ".", "stopping", "!"]),
        (.configuring, [".", "!", "!", "!", "starting", "stopping", "!"]),
        (.starting, [".", "!", "ranging", "stopped", ".", "stopping", "!"]),
        (.ranging, [".", "configuring", "!", "stopped", ".", "stopping", "!"]),
        (.stopping, [".", ".", ".", "stopped", ".", ".", "stopped"]),
        (.stopped, [".", ".", ".", ".", ".", ".", "."]),
    ]

    @Test func `every event in every state`() {
        let events: [AccessoryMachine.Event] = [
            .start, .received(.configurationData([1])), .received(.didStart), .received(.didStop), .configured([2]),
            .stop, .closed,
        ]
        #expect(Self.table.map(\.0) == State.allCases)
        for (state, row) in Self.table {
            for (event, next) in zip(events, row) {
                var machine = machine(state)
                #expect(machine.state == state)
                let effects = machine.handle(event)
                let isFault = effects.contains { if case .end(.some) = $0 { true } else { false } }
                #expect(isFault == (next == "!"), "\(state) \(event)")
                let expected = next == "." ? state : next == "!" ? .stopped : State.allCases.first { "\($0)" == next }
                #expect(machine.state == expected, "\(state) \(event)")
            }
        }
    }

    @Test func `an accessory is initialised, configured, started and stopped`() async throws {
        let (clock, accessory) = (ManualClock(), SoftwareAccessory())
        let source = AccessoryRanging(accessory, radio: SoftwareRadio(clock: clock.clock))
        let found = Collected<RangeMeasurement>()
        let task = found.read(source.measurements(over: .none))
        try #require(await clock.advance(by: 0.1) { found.elements.count >= 3 })
        #expect(found.elements[0].distance == 5)
        task.cancel()
        #expect(await clock.advance(by: 0.1) { accessory.received.count == 3 })
        #expect(accessory.received == [.initialize, .configureAndStart([UInt8](repeating: 1, count: 30)), .stop])
    }

    @Test func `a failure ends the measuring with its reason`() async {
        let clock = ManualClock()
        func reason(
            _ accessory: SoftwareAccessory, radio: SoftwareRadio? = nil,
            then act: (SoftwareAccessory) -> Void = { _ in }
        ) async -> String {
            let found = Collected<RangeMeasurement>()
            let source = AccessoryRanging(accessory, radio: radio ?? SoftwareRadio(clock: clock.clock))
            let task = found.read(source.measurements(over: .none))
            _ = await clock.advance(by: 0.1) {
                act(accessory)
                return found.isOver
            }
            await task.value
            return found.error.map { "\($0)" } ?? "none"
        }
        #expect(
            await reason(SoftwareAccessory(answerToStart: [9, 9])) == "the accessory sent a malformed message: [9, 9]")
        #expect(
            await reason(SoftwareAccessory(), then: { $0.vanish() }) == "the connection to the accessory ended")
        var wordy = SoftwareRadio(clock: clock.clock)
        wordy.configurationBytes = 255
        #expect(await reason(SoftwareAccessory(), radio: wordy) == "the radio made a configuration of 255 bytes")
        var wrong = SoftwareRadio(clock: clock.clock)
        wrong.distance = -1
        let rule = "m is not a valid distance: it must be finite and not negative"
        #expect(await reason(SoftwareAccessory(), radio: wrong) == "-1.0 " + rule)
        wrong.distance = .nan
        #expect(await reason(SoftwareAccessory(), radio: wrong) == "nan " + rule)
        // The accessory stops by itself: no fault.
        #expect(await reason(SoftwareAccessory(answerToStart: AccessoryMessage.didStop.bytes)) == "none")
    }

    @Test func `messages read back, in whatever pieces they arrive`() throws {
        let messages: [AccessoryMessage] = [
            .initialize, .configurationData(SoftwareAccessory.configuration), .configureAndStart([7]), .didStart,
            .didStop, .stop,
        ]
        let bytes = messages.flatMap(AccessoryStreamReader.frame)
        for size in [1, 3, bytes.count] {
            var reader = AccessoryStreamReader()
            var found: [AccessoryMessage] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                reader.append(bytes[start..<min(start + size, bytes.count)])
                while let message = try reader.next() { found.append(message) }
            }
            #expect(found == messages)
        }
        for bad in [[], [0], [1], [2, 0], [3, 1], [0xA, 1], [0xB], [0xC, 0], [4]] as [[UInt8]] {
            #expect(throws: AccessoryError.self) { try AccessoryMessage(bad) }
        }
    }
}
