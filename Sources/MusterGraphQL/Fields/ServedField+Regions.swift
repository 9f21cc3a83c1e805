import MusterCore
import MusterServer
import MusterWire

/// The fields of regions.
extension ServedField {
    static let regions = fields(of: "Region", { $0.asRegion }, region)

    private static let region: [String: Field<Region>] = [
        "id": .value({ access, _ in access.mayReadRegions }) { region, operation in
            operation.directory.collections[region.collection].map {
                .string(GlobalID.region(region.id, of: $0.name).text)
            }
        },
        "collection": .value({ access, _ in access.mayReadRegions }) { region, operation in
            operation.directory.collections[region.collection].map { .string($0.name) }
        },
        "name": .value({ access, _ in access.mayReadRegions }) { region, _ in .string(region.name) },
        "isMuster": .value({ access, _ in access.mayReadRegions }) { region, operation in
            .boolean(operation.directory.isMuster(region))
        },
        "geoJSON": .value({ access, _ in access.mayReadRegions }) { region, operation in
            let text = geoJSON(of: region, in: operation.directory)
            // A long text counts as many objects: aliases could ask for it a thousand times.
            try operation.spend(text.utf8.count / 32)
            return .string(text)
        },
        "people": .batch({ access, _ in access.mayReadRegions }) { regions, arguments, operation in
            let paging = try Paging(arguments)
            let people = try operation.people()
            let directory = operation.directory
            let devices = people.flatMap { directory.devices(of: $0.number) }.compactMap { directory.devices[$0] }
            let facts = try await operation.facts(of: devices)
            var inside: [RegionNumber: Set<UserNumber>] = [:]
            for device in devices {
                for region in facts[device.number]?.regions ?? [] { inside[region, default: []].insert(device.user) }
            }
            return try regions.map { region in
                let found = (inside[region.number] ?? []).sorted().compactMap { directory.users[$0] }
                try operation.spend(found.count)
                return try Connection(found, paging) { .person($0) }.resolved
            }
        },
    ]

    private static func geoJSON(of region: Region, in directory: Directory) -> String {
        var scanner: String?
        if case .scanner(let device) = region.beacon?.source { scanner = directory.qualifiedName(of: device) }
        var writer = JSONWriter()
        writer.feature(region, isMuster: directory.isMuster(region), scanner: scanner)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
