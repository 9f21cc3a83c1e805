import MusterCore
import MusterDocuments

/// The stored bytes of changes of datasets.
extension ByteWriter {
    mutating func put(_ touch: DatasetTouch) {
        put(number: touch.owner.rawValue)
        put(text: touch.name)
        put(signed: touch.syncCount)
        put(text: touch.device ?? "")
    }
}

extension ByteReader {
    mutating func datasetTouch(isDeleted: Bool) throws(CodecError) -> DatasetTouch {
        let owner = UserNumber(try number())
        let name = try text()
        let count = try signed()
        let device = try text()
        return DatasetTouch(
            owner: owner, name: name, syncCount: count, isDeleted: isDeleted, device: device.isEmpty ? nil : device)
    }
}
