import MusterCore
import MusterServer
import MusterWire

/// Finds the tracker or collection that a request names, if the caller may use it for the purpose; otherwise throws
/// `AmazonError`.
extension LocationService {
    /// The purpose for which a call names a tracker.
    enum TrackerUse {
        /// To read or change the tracker itself.
        case itself
        /// To read the positions of its devices.
        case positions
        /// To report positions of its devices.
        case reports
    }

    /// The tracker that a call names, and its team.
    ///
    /// - Throws: `AmazonError.noTracker`, also if the caller may not use the tracker for this purpose.
    func tracker(
        _ call: AmazonCall, for use: TrackerUse, in directory: Directory
    ) throws(AmazonError) -> (tracker: Tracker, team: Team) {
        try tracker(named: call.parameter("tracker"), call, for: use, in: directory)
    }

    /// The tracker of that name, and its team.
    func tracker(
        named name: String, _ call: AmazonCall, for use: TrackerUse, in directory: Directory
    ) throws(AmazonError) -> (tracker: Tracker, team: Team) {
        if let fault = AmazonText.resourceName.fault(in: name) { throw .validation("TrackerName", fault) }
        guard let tracker = directory.trackers[name], let team = directory.team(of: tracker),
            isOpen(tracker, of: team, to: call.access(in: directory), for: use)
        else { throw .noTracker(name) }
        return (tracker, team)
    }

    private func isOpen(_ tracker: Tracker, of team: Team, to access: Access, for use: TrackerUse) -> Bool {
        switch use {
        case .itself: access.mayRead(tracker)
        case .positions: access.mayRead(team)
        case .reports: access.mayReportToTracker(of: team)
        }
    }

    /// The collection that a call names.
    func collection(_ call: AmazonCall, in directory: Directory) throws(AmazonError) -> RegionCollection {
        try collection(named: call.parameter("collection"), in: directory)
    }

    func collection(named name: String, in directory: Directory) throws(AmazonError) -> RegionCollection {
        if let fault = AmazonText.resourceName.fault(in: name) { throw .validation("CollectionName", fault) }
        guard let collection = directory.collections[name] else { throw .noCollection(name) }
        return collection
    }

    /// The collection that a call names, if the caller may change its regions.
    func changeableCollection(
        _ call: AmazonCall, in directory: Directory
    ) throws(AmazonError) -> RegionCollection {
        let collection = try self.collection(call, in: directory)
        guard call.access(in: directory).mayChange(collection) else { throw .notYourCollection }
        return collection
    }
}
