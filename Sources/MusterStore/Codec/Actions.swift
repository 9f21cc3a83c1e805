import MusterCore
import MusterDocuments

/// The stored bytes of `Action`: what a user did that no other change of the log records.
extension ByteWriter {
    mutating func put(_ action: Action) {
        put(byte: action.kind.rawValue)
        put(number: action.author.rawValue)
        // Entities are numbered from 1, so 0 stands for nil.
        put(number: action.user?.rawValue ?? 0)
        put(number: action.device?.rawValue ?? 0)
        put(text: action.label)
    }
}

extension ByteReader {
    mutating func action() throws(CodecError) -> Action {
        guard let kind = Action.Kind(rawValue: try byte()) else { throw .malformed(offset: offset) }
        let author = UserNumber(try number())
        let user = try number()
        let device = try number()
        return Action(
            kind, by: author, user: user == 0 ? nil : UserNumber(user),
            device: device == 0 ? nil : DeviceNumber(device), label: try text())
    }
}
