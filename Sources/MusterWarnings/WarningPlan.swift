import MusterCore
import MusterServer
import MusterWire

/// The regions that a feed's warnings should have, and the edits that bring the stored ones there. It touches no region
/// but those of the same feed in the team's collection of warnings.
struct WarningPlan: Sendable {
    /// The regions by their ids.
    var regions: [String: WarningRegion] = [:]
    /// The alerts whose warnings hold; a stored region of one that is not in `regions` goes.
    var known: Set<CAPAlert.Key>
    /// The alerts that were replaced or cancelled.
    var ended: Set<CAPAlert.Key>

    /// Returns the edits that bring a collection to the plan. A region of an alert that the feed no longer has, from
    /// before a restart, stays until it expires.
    ///
    /// - Parameters:
    ///   - collection: the team's collection of warnings; nil where there is none yet.
    ///   - makeNumber: makes the number of a new region.
    func edits(
        of source: WarningSourceID, in collection: RegionCollection?, _ directory: Directory, at now: Instant,
        _ makeNumber: () throws -> RegionNumber
    ) rethrows -> [Edit] {
        var edits: [Edit] = []
        let number = collection?.number ?? CollectionNumber(0)
        var stored: [String: Region] = [:]
        for region in collection.map({ directory.regions(in: $0.number) }) ?? [] {
            guard let region = directory.regions[region], let warning = StoredWarning(region),
                warning.source == source.text
            else { continue }
            stored[region.id] = region
            guard regions[region.id] == nil else { continue }
            if warning.expires <= now || known.contains(warning.key) || ended.contains(warning.key) {
                edits.append(.removeRegion(region.number, from: number))
            }
        }
        var room = Directory.regionLimit - directory.regions.count
        for wanted in regions.values.sorted(by: { $0.id < $1.id }) {
            let former = stored[wanted.id]
            if former == nil {
                // An id that another feed's region has stays that one's.
                guard room > 0, collection.map({ directory.region(wanted.id, in: $0.number) == nil }) ?? true else {
                    continue
                }
                room -= 1
            } else if former.map({ wanted.isStored(as: $0) }) == true {
                continue
            }
            edits.append(
                .putRegion(
                    Region(
                        number: try former?.number ?? makeNumber(), collection: number, id: wanted.id,
                        name: wanted.name, shape: wanted.shape, properties: wanted.properties)))
        }
        return edits
    }
}

extension WarningRegion {
    /// Whether a stored region is this one.
    func isStored(as region: Region) -> Bool {
        region.name == name && region.shape == shape && region.properties == properties && !region.isMuster
    }
}

extension Directory {
    /// The collections of official warnings.
    var warningCollections: [RegionCollection] { collections.all.filter(\.isOfWarnings) }

    /// The collection of a team's warnings; nil where there is none.
    func warningCollection(of team: TeamNumber) -> RegionCollection? {
        warningCollections.first { $0.particulars.tags[RegionCollection.warningTag] == "\(team.rawValue)" }
    }

    /// The name for a new collection of a team's warnings, which no collection has.
    func nameForWarnings(of team: Team) -> String {
        let base = "warnings-" + team.name.prefix(EntityName.limit - "warnings-".count - 4)
        var name = base
        var count = 1
        while collections[name] != nil {
            count += 1
            name = "\(base)-\(count)"
        }
        return name
    }

    /// Returns the edits that remove the regions of warnings that have expired or whose feed is no longer followed, and
    /// the collections that no feed needs any more.
    ///
    /// - Parameter sources: the feeds that are followed, by team.
    /// - Returns: the edits, and when the next region expires.
    func edits(endingWarningsAt now: Instant, _ sources: [TeamNumber: Set<String>]) -> (edits: [Edit], next: Instant?) {
        var edits: [Edit] = []
        var next: Instant?
        for collection in warningCollections {
            let team = collection.particulars.tags[RegionCollection.warningTag].flatMap { Int32($0) }
            let followed = team.flatMap { sources[TeamNumber($0)] } ?? []
            if followed.isEmpty {
                edits += removal(of: collection.number)
                continue
            }
            for number in regions(in: collection.number) {
                guard let region = regions[number] else { continue }
                if let warning = StoredWarning(region), followed.contains(warning.source), warning.expires > now {
                    next = min(next ?? warning.expires, warning.expires)
                } else {
                    edits.append(.removeRegion(number, from: collection.number))
                }
            }
        }
        return (edits, next)
    }
}
