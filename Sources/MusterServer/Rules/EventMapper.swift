import MusterCore
import MusterGeometry
import MusterStore
import MusterWire

/// Turns changes of the log into events. This is the only place that decides which change becomes which event.
struct EventMapper: Sendable {
    let origin: EventOrigin

    /// An event states its delay when the fix was received, or the crossing reported, later than this after the sample
    /// time.
    static let promptSeconds: Double = 60

    /// Returns a device's position at a sample time; nil where it is not known.
    typealias Fix = (DeviceNumber, Instant) throws -> Position?

    /// Returns the event of a change; nil where the change is not an event, or concerns something that no longer
    /// exists.
    func event(
        of logged: LoggedChange, in directory: Directory, fix: Fix
    ) rethrows -> (event: Event, subject: DeliverySubject)? {
        let content: EventContent?
        switch logged.change {
        case .crossing(let crossing):
            let fix = try fix(crossing.device, crossing.sampleTime)
            content = self.content(crossing, directory, fix, at: logged.committedAt)
        case .signal(let signal, let device): content = self.content(signal, of: device, directory)
        case .position(let position, let device, _): content = self.content(position, of: device, directory)
        case .safety(let safety, let user): content = self.content(safety, of: user, directory)
        case .reminder(let safety, let user, let count):
            content = self.content(safety, of: user, reminder: count, directory)
        case .declaration(let declaration, let isCurrent):
            content = isCurrent ? self.content(declaration, directory) : nil
        case .checkInTimer(let timer, let user): content = self.content(timer, of: user, directory)
        case .attendance(let report): content = self.content(report, directory)
        case .proximity(let report): content = self.content(report, directory)
        case .incident(let incident): content = self.content(incident, at: logged.committedAt, directory)
        case .posted(let event): content = self.content(event)
        // The incident's own event covers the effect of a roll's change: whether everyone is accounted for. Only its
        // owner may see a dataset, and only admins may see rules. A pause is only for those who see the person.
        case .sighting, .note, .range, .presence, .belief, .pause, .roll, .region, .directory, .document, .dataset,
            .action:
            content = nil
        }
        guard let content else { return nil }
        let event = Event(
            id: origin.id(of: logged.sequence, at: logged.committedAt), source: content.source,
            detailType: content.detailType, account: origin.account, time: content.time, region: origin.region,
            resources: content.resources, delaySeconds: content.delaySeconds, detail: content.detail)
        return (event, content.subject)
    }

    /// The parts that differ from event to event.
    struct EventContent {
        var source = "muster"
        var detailType: String
        var time: Instant
        var resources: [String] = []
        var delaySeconds: Int64?
        var detail: EventValue
        var subject: DeliverySubject
    }

    // MARK: Positions and crossings

    private func content(
        _ crossing: Crossing, _ directory: Directory, _ fix: Position?, at moment: Instant
    ) -> EventContent? {
        guard let region = directory.regions[crossing.region], let device = directory.devices[crossing.device] else {
            return nil
        }
        var detail = crossingDetail(crossing.kind, region)
        detail.insert(.init("DeviceId", .string(directory.amazonID(of: device))), at: 2)
        detail.add("SampleTime", crossing.sampleTime)
        // A beacon shows that the device is near, but not its exact position, so the place of the beacon is given.
        let place = region.beacon == nil ? nil : region.shape?.circle
        detail.add("Position", fix?.coordinate ?? place?.centre)
        addAccuracy(fix == nil ? place?.radius : fix?.accuracy, to: &detail)
        addProperties(of: region, to: &detail)
        detail.add("PositionProperties", propertiesOf: fix?.attributes, most: 4, valueLimit: 150)
        var resources = directory.collections[region.collection].map { [origin.arn(ofCollection: $0.name)] } ?? []
        if let tracker = directory.tracker(of: device), !tracker.isOfEvaluations {
            resources.append(origin.arn(ofTracker: tracker.name))
        }
        let isAmazons = crossing.kind == .enter || crossing.kind == .exit
        return EventContent(
            source: isAmazons ? "aws.geo" : "muster",
            detailType: isAmazons ? "Location Geofence Event" : "Muster Crossing", time: crossing.sampleTime,
            resources: resources, delaySeconds: delaySeconds(of: crossing, of: region, fix, toldAt: moment),
            detail: .object(detail), subject: .device(crossing.device))
    }

    /// How many seconds after its sample time the fix of a crossing was received; nil where it is at most
    /// `promptSeconds`. The time that the engine waits before it reports a crossing (an exit delay, or the second fix
    /// of a passage) is not included.
    ///
    /// - Parameter fix: nil where it is not stored; then the delay is the time until the report, minus the time waited.
    private func delaySeconds(
        of crossing: Crossing, of region: Region, _ fix: Position?, toldAt moment: Instant
    ) -> Int64? {
        let waitedSeconds =
            switch crossing.kind {
            case .exit: region.exitDelaySeconds
            case .passed: InferredPassage.longestGapSeconds
            // The engine reports these at the fix that decides them.
            case .enter, .dwell: 0.0
            }
        let seconds =
            fix.map { $0.receivedTime.seconds(since: crossing.sampleTime) }
            ?? moment.seconds(since: crossing.sampleTime) - waitedSeconds
        return seconds > Self.promptSeconds ? Int64(seconds) : nil
    }

    private func crossingDetail(_ kind: Crossing.Kind, _ region: Region) -> [EventValue.Member] {
        let type =
            switch kind {
            case .enter: "ENTER"
            case .exit: "EXIT"
            case .dwell: "DWELL"
            case .passed: "PASSED"
            }
        return [.init("EventType", .string(type)), .init("GeofenceId", .string(region.id))]
    }

    private func addProperties(of region: Region, to detail: inout [EventValue.Member]) {
        detail.add("GeofenceProperties", propertiesOf: region.properties, most: 3, valueLimit: 40)
    }

    private func addAccuracy(_ accuracy: Metres?, to detail: inout [EventValue.Member]) {
        guard let accuracy else { return }
        detail.append(.init("Accuracy", .object([.init("Horizontal", .number(accuracy.value))])))
    }

    private func content(_ position: Position, of number: DeviceNumber, _ directory: Directory) -> EventContent? {
        guard let device = directory.devices[number], let tracker = directory.tracker(of: device),
            tracker.emitsPositionEvents
        else { return nil }
        var detail: [EventValue.Member] = []
        detail.add("EventType", "UPDATE")
        detail.add("TrackerName", tracker.name)
        detail.add("DeviceId", directory.amazonID(of: device))
        detail.add("SampleTime", position.sampleTime)
        detail.add("ReceivedTime", position.receivedTime)
        detail.add("Position", position.coordinate)
        addAccuracy(position.accuracy, to: &detail)
        detail.add("PositionProperties", propertiesOf: position.attributes, most: 4, valueLimit: 150)
        return EventContent(
            source: "aws.geo", detailType: "Location Device Position Event", time: position.sampleTime,
            resources: [origin.arn(ofTracker: tracker.name)], detail: .object(detail), subject: .device(number))
    }

    /// The part of an enter event that describes the region, with every tracker linked to it among the resources. Rules
    /// with the target `safety` are matched against it to find the muster regions.
    func entering(_ region: Region, in directory: Directory) -> EventValue? {
        guard let collection = directory.collections[region.collection] else { return nil }
        let trackers = directory.trackers.all.filter { tracker in
            tracker.collections.contains(collection.number) && !tracker.isOfEvaluations
        }
        var detail = crossingDetail(.enter, region)
        addProperties(of: region, to: &detail)
        let resources =
            [origin.arn(ofCollection: collection.name)] + trackers.map { origin.arn(ofTracker: $0.name) }
        return .object([
            .init("source", .string("aws.geo")), .init("detail-type", .string("Location Geofence Event")),
            .init("resources", .array(resources.map { .string($0) })), .init("detail", .object(detail)),
        ])
    }

    // MARK: Posted events

    private func content(_ event: PostedEvent) -> EventContent? {
        guard let detail = try? JSONValue(parsing: Array(event.detail.utf8)) else { return nil }
        return EventContent(
            source: event.source, detailType: event.detailType, time: event.time, resources: event.resources,
            detail: EventValue(detail), subject: .nobody)
    }
}
