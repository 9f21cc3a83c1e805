import MusterCore
import MusterStore
import MusterWire

/// The event of a signal. docs/triggers.md lists its members.
extension EventMapper {
    func content(_ signal: Signal, of number: DeviceNumber, _ directory: Directory) -> EventContent? {
        guard let device = directory.devices[number], let user = directory.users[device.user] else { return nil }
        let team = user.team.flatMap { directory.teams[$0] }
        var detail: [EventValue.Member] = []
        detail.add("Name", signal.name)
        // `DeviceId` is the user's name alone for the main device, and another device may become that one.
        detail.add("Device", directory.qualifiedName(of: number))
        detail.add("DeviceId", directory.amazonID(of: device))
        detail.add("User", directory.amazonName(of: user))
        detail.add("Team", team?.name)
        detail.add("SignalId", signal.id)
        detail.add("SampleTime", signal.sampleTime)
        detail.add(
            "ReportedBy", signal.reporter.flatMap { directory.users[$0] }.map { directory.amazonName(of: $0) })
        detail.append(.init("Values", .object(signal.values.map { .init($0.key, .string($0.text)) })))
        let seconds = signal.receivedTime.seconds(since: signal.sampleTime)
        return EventContent(
            detailType: "Muster Signal", time: signal.sampleTime,
            resources: team.map { [origin.arn(ofTeam: $0.name)] } ?? [],
            delaySeconds: seconds > Self.promptSeconds ? Int64(seconds) : nil, detail: .object(detail),
            subject: .device(number))
    }
}
